#include "doctor/command/report_view.h"

#include <string.h>

/* Escapes text for a table or a sentence. */
static void put_md(struct jw_buf *out, const char *text)
{
    struct jw_buf clean = JW_BUF(REPORT_TEXT);

    jw_text_clean(&clean, text);
    for (const char *c = jw_buf_cstr(&clean); *c; c++)
        jw_buf_printf(out, strchr("\\`*_{}[]<>#+!|&", *c) ? "\\%c" : "%c", *c);
    jw_buf_free(&clean);
}

/* Begins with a capital letter, unless its first word is a name ("nvidia-smi", "jitwarm"). */
static void put_sentence(struct jw_buf *out, const char *text)
{
    size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    bool plain = word && strchr(" ,", text[word]) && !jw_text_starts(text, "jitwarm");

    if (plain)
        jw_buf_printf(out, "%c", text[0] - 'a' + 'A');
    put_md(out, text + plain);
}

/* A line with a cell for each text. */
static void put_row(struct jw_buf *out, const char *const *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        jw_buf_text(out, i ? " | " : "| ");
        put_md(out, cells[i]);
    }
    jw_buf_text(out, " |\n");
}

/* A command that stands by itself, to be copied: indented, which makes it code. */
static void put_command(struct jw_buf *out, const char *command)
{
    if (*command)
        jw_say(out, "\n      %s\n\n", command);
}

static void write_software(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->n_software)
        return;
    jw_buf_text(out,
                "\n| software | GPU | verdict | what happens | PTX to compile |\n|---|---|---|---|---:|\n");
    for (size_t i = 0; i < m->n_software; i++) {
        const struct report_software *s = &m->software[i];

        put_row(out, (const char *[]){ s->name, s->gpu, s->verdict, s->what, report_size(s->ptx_bytes).text },
                5);
    }
}

static void write_findings(struct jw_buf *out, const struct report_machine *m)
{
    if (m->n_findings)
        jw_buf_text(out, "\n");
    for (size_t i = 0; i < m->n_findings; i++) {
        const struct report_finding *f = &m->findings[i];

        jw_buf_printf(out, "* **%s**: ", report_severity(f->severity));
        put_md(out, f->text);
        jw_buf_text(out, *f->consequence ? ". " : "");
        put_sentence(out, f->consequence);
        jw_buf_text(out, *f->fix ? ". Fix: " : "");
        put_md(out, f->fix);
        jw_buf_text(out, "\n");
        put_command(out, f->command);
    }
}

static void write_commands(struct jw_buf *out, const struct report_machine *m)
{
    if (m->n_commands)
        jw_buf_text(out, "\n| recorded command | start | modules | recorded |\n|---|---|---:|---|\n");
    for (size_t i = 0; i < m->n_commands; i++)
        put_row(out,
                (const char *[]){ m->commands[i].words, m->commands[i].times, JW_NUM(m->commands[i].modules),
                                  m->commands[i].when },
                4);
}

static void write_slowest(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->n_slowest)
        return;
    jw_buf_text(out, "\n| slowest modules | software | GPU | PTX | time |\n|---|---|---|---:|---:|\n");
    for (size_t i = 0; i < m->n_slowest; i++) {
        const struct report_module *s = &m->slowest[i];

        put_row(out,
                (const char *[]){ report_module_name(s), s->name, s->arch, report_size(s->ptx_bytes).text,
                                  report_ms(s->milliseconds).text },
                5);
    }
}

void report_write_md(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_text(out, "## ");
    put_md(out, *m->name ? m->name : "This machine");
    jw_buf_text(out, "\n\n");
    for (size_t i = 0; i < REPORT_FACTS; i++) {
        struct jw_buf value = JW_BUF(REPORT_TEXT);
        const char *label = report_fact(m, i, &value);

        if (value.n) {
            jw_buf_printf(out, "* %s: ", label);
            put_md(out, jw_buf_cstr(&value));
            jw_buf_text(out, "\n");
        }
        jw_buf_free(&value);
    }
    write_software(out, m);
    write_findings(out, m);
    write_commands(out, m);
    write_slowest(out, m);
    if (m->n_next)
        jw_buf_text(out, "\nNext:\n\n");
    for (size_t i = 0; i < m->n_next; i++)
        jw_say(out, "    %s\n", m->next[i]);
}
