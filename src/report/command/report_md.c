#include "base/text.h"
#include "report/command/report_words.h"

/* Escapes text for a table or a sentence. */
static void put(struct jw_buf *out, const char *text)
{
    struct jw_buf clean = JW_BUF(REPORT_TEXT);

    jw_text_clean(&clean, text);
    for (const char *c = jw_buf_cstr(&clean); *c; c++)
        jw_buf_printf(out, strchr("\\`*_{}[]<>#+!|&", *c) ? "\\%c" : "%c", *c);
    jw_buf_free(&clean);
}

/* A command, as code. */
static void put_code(struct jw_buf *out, const char *text)
{
    struct jw_buf clean = JW_BUF(REPORT_TEXT);

    jw_text_clean(&clean, text);
    jw_buf_text(out, "    ");
    jw_buf_text(out, jw_buf_cstr(&clean));
    jw_buf_text(out, "\n");
    jw_buf_free(&clean);
}

static void write_software(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->n_software)
        return;
    jw_buf_text(out,
                "\n| software | GPU | verdict | what happens | PTX to compile |\n|---|---|---|---|---:|\n");
    for (size_t i = 0; i < m->n_software; i++) {
        const struct report_software *s = &m->software[i];

        jw_buf_text(out, "| ");
        put(out, s->name);
        jw_buf_text(out, " | ");
        put(out, s->gpu);
        jw_buf_text(out, " | ");
        put(out, s->verdict);
        jw_buf_text(out, " | ");
        put(out, s->what);
        jw_buf_text(out, " | ");
        report_say_size(out, s->ptx_bytes);
        jw_buf_text(out, " |\n");
    }
}

static void write_findings(struct jw_buf *out, const struct report_machine *m)
{
    if (m->n_findings)
        jw_buf_text(out, "\n");
    for (size_t i = 0; i < m->n_findings; i++) {
        const struct report_finding *f = &m->findings[i];

        jw_buf_printf(out, "* **%s**: ", report_severity(f->severity));
        put(out, f->text);
        jw_buf_text(out, *f->consequence ? ". " : "");
        put(out, f->consequence);
        jw_buf_text(out, *f->fix ? ". Fix: " : "");
        put(out, f->fix);
        jw_buf_text(out, "\n");
    }
}

static void write_slowest(struct jw_buf *out, const struct report_machine *m)
{
    enum { FEW = 10 };

    if (!m->n_slowest)
        return;
    jw_buf_text(out, "\n| slowest modules | software | GPU | PTX | time |\n|---|---|---|---:|---:|\n");
    for (size_t i = 0; i < m->n_slowest && i < FEW; i++) {
        jw_buf_text(out, "| ");
        put(out, report_module_name(&m->slowest[i]));
        jw_buf_text(out, " | ");
        put(out, m->slowest[i].name);
        jw_buf_text(out, " | ");
        put(out, m->slowest[i].arch);
        jw_buf_text(out, " | ");
        report_say_size(out, m->slowest[i].ptx_bytes);
        jw_buf_text(out, " | ");
        report_say_ms(out, m->slowest[i].milliseconds);
        jw_buf_text(out, " |\n");
    }
}

static void write_machine(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_text(out, "## ");
    put(out, *m->name ? m->name : "This machine");
    jw_buf_text(out, "\n\n");
    for (size_t i = 0; i < REPORT_FACTS; i++) {
        struct jw_buf value = JW_BUF(REPORT_TEXT);
        const char *label = report_fact(m, i, &value);

        if (value.n) {
            jw_buf_printf(out, "* %s: ", label);
            put(out, jw_buf_cstr(&value));
            jw_buf_text(out, "\n");
        }
        jw_buf_free(&value);
    }
    write_software(out, m);
    write_findings(out, m);
    write_slowest(out, m);
    if (m->n_next)
        jw_buf_text(out, "\nNext:\n\n");
    for (size_t i = 0; i < m->n_next; i++)
        put_code(out, m->next[i]);
}

void report_write_md(struct jw_buf *out, const struct report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        jw_buf_text(out, i ? "\n" : "");
        write_machine(out, &r->v[i]);
    }
}
