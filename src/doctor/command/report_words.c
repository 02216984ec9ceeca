#include "doctor/command/report_view.h"

#include <stdio.h>
#include <string.h>

struct jw_words report_size(uint64_t bytes)
{
    return bytes ? jw_words(jw_text_bytes, bytes) : (struct jw_words){ "" };
}

struct jw_words report_ms(uint64_t milliseconds)
{
    return jw_words_of_time(jw_text_tenths, (double)milliseconds / 1000);
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
        const char *arch = m->gpus[i].arch;

        jw_say(out, "%s%s%s%s%s", i ? ", " : "", m->gpus[i].name, *arch ? " (" : "", arch, *arch ? ")" : "");
    }
}

static void say_warm(struct jw_buf *out, const struct report_machine *m)
{
    jw_say(out, "%s", m->warm);
}

static void say_cache(struct jw_buf *out, const struct report_machine *m)
{
    if (*m->cache)
        jw_say(out, "%s%s%s, in %s", JW_SIZE(m->cache_bytes), m->cache_limit ? " of " : "",
               report_size(m->cache_limit).text, m->cache);
}

static void say_driver(struct jw_buf *out, const struct report_machine *m)
{
    jw_say(out, "%s", *m->driver ? m->driver : "none");
}

static void say_made(struct jw_buf *out, const struct report_machine *m)
{
    jw_say(out, "%s, by jitwarm %s", m->made, m->version);
}

const char *report_fact(const struct report_machine *m, size_t i, struct jw_buf *value)
{
    static const struct {
        const char *label;
        void (*say)(struct jw_buf *out, const struct report_machine *m);
    } facts[REPORT_FACTS] = {
        { "GPU", say_gpus },    { "Driver", say_driver }, { "Warm", say_warm },
        { "Cache", say_cache }, { "Report", say_made },
    };

    facts[i].say(value, m);
    return facts[i].label;
}
