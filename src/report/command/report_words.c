#include "report/command/report_words.h"

#include "base/text.h"

void report_say_size(struct jw_buf *out, uint64_t bytes)
{
    if (bytes)
        jw_text_bytes(out, bytes);
}

void report_say_ms(struct jw_buf *out, uint64_t milliseconds)
{
    if (milliseconds < 10000)
        jw_buf_printf(out, "%.1f s", (double)milliseconds / 1000);
    else
        jw_text_clock(out, (double)milliseconds / 1000);
}

const char *report_module_name(const struct report_module *m)
{
    return *m->kernel ? m->kernel : "no kernel named";
}

const char *report_severity(const char *word)
{
    return strcmp(word, "error") == 0 ? "Problem" : strcmp(word, "warning") == 0 ? "Warning" : "Note";
}

static void say_gpus(struct jw_buf *out, const struct report_machine *m)
{
    for (size_t i = 0; i < m->n_gpus; i++) {
        jw_buf_text(out, i ? ", " : "");
        jw_buf_text(out, m->gpus[i].name);
        if (*m->gpus[i].arch)
            jw_buf_printf(out, " (%s)", m->gpus[i].arch);
    }
}

void report_say_warm(struct jw_buf *out, const struct report_machine *m)
{
    jw_text_count(out, m->warm);
    jw_buf_text(out, " of ");
    jw_text_count(out, m->modules);
}

static void say_warm(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->primed) {
        jw_buf_text(out, "not known: no complete run is recorded here");
        return;
    }
    report_say_warm(out, m);
    jw_buf_text(out, m->modules == 1 ? " module" : " modules");
    if (*m->primed_when)
        jw_buf_printf(out, " (last prime: %s)", m->primed_when);
}

static void say_cache(struct jw_buf *out, const struct report_machine *m)
{
    if (!*m->cache)
        return;
    if (m->cache_bytes)
        report_say_size(out, m->cache_bytes);
    else
        jw_buf_text(out, "0 B");
    if (m->cache_limit) {
        jw_buf_text(out, " of ");
        report_say_size(out, m->cache_limit);
    }
    jw_buf_printf(out, ", in %s", m->cache);
}

static void say_saved(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->compiled)
        return;
    report_say_ms(out, m->compile_ms);
    jw_buf_text(out, " of compiling for ");
    jw_text_count(out, m->compiled);
    jw_buf_printf(out, " module%s, measured by prime; a start does not wait for it again",
                  m->compiled == 1 ? "" : "s");
}

static void say_driver(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_text(out, *m->driver ? m->driver : "none");
}

static void say_made(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_printf(out, "%s, by jitwarm %s", m->made, m->version);
}

const char *report_fact(const struct report_machine *m, size_t i, struct jw_buf *value)
{
    static const struct {
        const char *label;
        void (*say)(struct jw_buf *out, const struct report_machine *m);
    } facts[REPORT_FACTS] = {
        { "GPU", say_gpus },    { "Driver", say_driver },    { "Warm", say_warm },
        { "Cache", say_cache }, { "Time saved", say_saved }, { "Report", say_made },
    };

    facts[i].say(value, m);
    return facts[i].label;
}
