#include "base/json_read.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "base/source.h"
#include "machine/list.h"
#include "report/command/report_view.h"

#include <string.h>

#define SCHEMA "jitwarm.report/1"

/* ---- writing ---- */

static void write_lists(struct jw_json *j, const struct report_machine *m)
{
    jw_json_array(j, "gpus");
    for (size_t i = 0; i < m->n_gpus; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "name", m->gpus[i].name);
        jw_json_text(j, "arch", m->gpus[i].arch);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_array(j, "software");
    for (size_t i = 0; i < m->n_software; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "name", m->software[i].name);
        jw_json_text(j, "gpu", m->software[i].gpu);
        jw_json_text(j, "verdict", m->software[i].verdict);
        jw_json_text(j, "what", m->software[i].what);
        jw_json_number(j, "ptx_bytes", m->software[i].ptx_bytes);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_array(j, "slowest");
    for (size_t i = 0; i < m->n_slowest; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "kernel", m->slowest[i].kernel);
        jw_json_text(j, "name", m->slowest[i].name);
        jw_json_text(j, "arch", m->slowest[i].arch);
        jw_json_number(j, "milliseconds", m->slowest[i].milliseconds);
        jw_json_number(j, "ptx_bytes", m->slowest[i].ptx_bytes);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_array(j, "timeline");
    for (size_t i = 0; i < m->n_timeline; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "name", m->timeline[i].name);
        jw_json_number(j, "worker", m->timeline[i].worker);
        jw_json_number(j, "began", m->timeline[i].began);
        jw_json_number(j, "milliseconds", m->timeline[i].milliseconds);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_array(j, "builds");
    for (size_t i = 0; i < m->n_builds; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "build", m->builds[i].build);
        jw_json_text(j, "arch", m->builds[i].arch);
        jw_json_text(j, "state", m->builds[i].state);
        jw_json_number(j, "entries", m->builds[i].entries);
        jw_json_number(j, "bytes", m->builds[i].bytes);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_findings(struct jw_json *j, const struct report_machine *m)
{
    jw_json_array(j, "findings");
    for (size_t i = 0; i < m->n_findings; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "severity", m->findings[i].severity);
        jw_json_text(j, "text", m->findings[i].text);
        jw_json_text(j, "consequence", m->findings[i].consequence);
        jw_json_text(j, "fix", m->findings[i].fix);
        jw_json_text(j, "command", m->findings[i].command);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_texts(j, "next", m->next, m->n_next);
}

bool report_write_json(struct jw_buf *out, const struct report_machine *m, struct jw_err *err)
{
    struct jw_json j;

    jw_json_begin(&j, jw_sink_buf(out), true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", SCHEMA);
    jw_json_text(&j, "name", m->name);
    jw_json_text(&j, "made", m->made);
    jw_json_text(&j, "version", m->version);
    jw_json_text(&j, "driver", m->driver);
    jw_json_bool(&j, "simulated", m->simulated);
    jw_json_bool(&j, "primed", m->primed);
    jw_json_text(&j, "primed_when", m->primed_when);
    jw_json_number(&j, "modules", m->modules);
    jw_json_number(&j, "warm", m->warm);
    jw_json_number(&j, "compiled", m->compiled);
    jw_json_number(&j, "compile_ms", m->compile_ms);
    jw_json_text(&j, "cache", m->cache);
    jw_json_number(&j, "cache_bytes", m->cache_bytes);
    jw_json_number(&j, "cache_limit", m->cache_limit);
    write_lists(&j, m);
    write_findings(&j, m);
    jw_json_close(&j);
    return jw_json_end(&j);
}

/* ---- reading ---- */

struct reader {
    struct jw_arena *a;
};

static const char *text_of(struct reader *r, const struct jw_jval *v)
{
    const char *text = jw_jtext(v);

    return jw_arena_str(r->a, text ? text : "");
}

static const char *get(struct reader *r, const struct jw_jval *o, const char *key)
{
    return text_of(r, jw_jget(o, key));
}

static uint64_t number(const struct jw_jval *o, const char *key)
{
    double n;

    return jw_jnumber(jw_jget(o, key), &n) && n >= 0 && n < 9e15 ? (uint64_t)n : 0;
}

static bool flag(const struct jw_jval *o, const char *key)
{
    bool value = false;

    return jw_jbool(jw_jget(o, key), &value) && value;
}

#define EACH(list, key, body)                                                                                \
    for (const struct jw_jval *v = jw_jfirst(jw_jget(root, key)); v; v = jw_jnext(v)) {                      \
        void *slot = jw_list_add(r->a, &m->list, &m->n_##list, sizeof *m->list, REPORT_MOST, err);           \
                                                                                                             \
        if (!slot)                                                                                           \
            return false;                                                                                    \
        body;                                                                                                \
    }

static bool read_lists(struct reader *r, const struct jw_jval *root, struct report_machine *m,
                       struct jw_err *err)
{
    EACH(gpus, "gpus",
         *(struct report_gpu *)slot = ((struct report_gpu){ get(r, v, "name"), get(r, v, "arch") }))
    EACH(software, "software",
         *(struct report_software *)slot =
             ((struct report_software){ get(r, v, "name"), get(r, v, "gpu"), get(r, v, "verdict"),
                                        get(r, v, "what"), number(v, "ptx_bytes") }))
    EACH(slowest, "slowest",
         *(struct report_module *)slot =
             ((struct report_module){ get(r, v, "kernel"), get(r, v, "name"), get(r, v, "arch"),
                                      number(v, "milliseconds"), number(v, "ptx_bytes") }))
    EACH(timeline, "timeline",
         *(struct report_span *)slot = ((struct report_span){
             get(r, v, "name"), number(v, "worker"), number(v, "began"), number(v, "milliseconds") }))
    EACH(builds, "builds",
         *(struct report_build *)slot =
             ((struct report_build){ get(r, v, "build"), get(r, v, "arch"), get(r, v, "state"),
                                     number(v, "entries"), number(v, "bytes") }))
    EACH(findings, "findings",
         *(struct report_finding *)slot =
             ((struct report_finding){ get(r, v, "severity"), get(r, v, "text"), get(r, v, "consequence"),
                                       get(r, v, "fix"), get(r, v, "command") }))
    EACH(next, "next", *(const char **)slot = text_of(r, v))
    return true;
}

bool report_read_json(struct jw_bytes text, struct jw_arena *a, struct report *r, struct jw_err *err)
{
    struct reader reader = { .a = a };
    struct jw_jdoc *doc = NULL;
    struct report_machine *m;
    const struct jw_jval *root;
    const char *schema;
    bool ok;

    if (!jw_jdoc_parse(&doc, text, err))
        return false;
    root = jw_jdoc_root(doc);
    schema = jw_jtext(jw_jget(root, "schema"));
    if (!schema || strcmp(schema, SCHEMA) != 0) {
        jw_jdoc_free(doc);
        return jw_fail(err, JW_E_FORMAT, "not a report: make one with jitwarm report --format json");
    }
    m = jw_list_add(a, &r->v, &r->n, sizeof *m, REPORT_MOST, err);
    ok = m != NULL;
    if (ok) {
        *m = (struct report_machine){ .name = get(&reader, root, "name"),
                                      .made = get(&reader, root, "made"),
                                      .version = get(&reader, root, "version"),
                                      .driver = get(&reader, root, "driver"),
                                      .cache = get(&reader, root, "cache"),
                                      .primed_when = get(&reader, root, "primed_when"),
                                      .simulated = flag(root, "simulated"),
                                      .primed = flag(root, "primed"),
                                      .modules = number(root, "modules"),
                                      .warm = number(root, "warm"),
                                      .compiled = number(root, "compiled"),
                                      .compile_ms = number(root, "compile_ms"),
                                      .cache_bytes = number(root, "cache_bytes"),
                                      .cache_limit = number(root, "cache_limit") };
        ok = read_lists(&reader, root, m, err);
    }
    jw_jdoc_free(doc);
    return ok;
}
