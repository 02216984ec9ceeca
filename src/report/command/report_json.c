#include "base/json_read.h"
#include "base/rows.h"
#include "machine/list.h"
#include "report/command/report_view.h"

#include <string.h>

#define M struct report_machine
#define G struct report_gpu
#define S struct report_software
#define K struct report_module
#define T struct report_span
#define B struct report_build
#define F struct report_finding

static const struct jw_row gpus[] = {
    { JW_ROW("name", G, name) },
    { JW_ROW("arch", G, arch) },
    { 0 },
};

static const struct jw_row software[] = {
    { JW_ROW("name", S, name) },           { JW_ROW("gpu", S, gpu) },
    { JW_ROW("verdict", S, verdict) },     { JW_ROW("what", S, what) },
    { JW_ROW("ptx_bytes", S, ptx_bytes) }, { 0 },
};

static const struct jw_row slowest[] = {
    { JW_ROW("kernel", K, kernel) },       { JW_ROW("name", K, name) },
    { JW_ROW("arch", K, arch) },           { JW_ROW("milliseconds", K, milliseconds) },
    { JW_ROW("ptx_bytes", K, ptx_bytes) }, { 0 },
};

static const struct jw_row timeline[] = {
    { JW_ROW("name", T, name) },
    { JW_ROW("worker", T, worker) },
    { JW_ROW("began", T, began) },
    { JW_ROW("milliseconds", T, milliseconds) },
    { 0 },
};

static const struct jw_row builds[] = {
    { JW_ROW("build", B, build) },     { JW_ROW("arch", B, arch) },   { JW_ROW("state", B, state) },
    { JW_ROW("entries", B, entries) }, { JW_ROW("bytes", B, bytes) }, { 0 },
};

static const struct jw_row findings[] = {
    { JW_ROW("severity", F, severity), JW_PATTERN("^(note|warning|error)$") },
    { JW_ROW("text", F, text) },
    { JW_ROW("consequence", F, consequence) },
    { JW_ROW("fix", F, fix) },
    { JW_ROW("command", F, command) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_ROW("name", M, name) },
    { JW_ROW("made", M, made) },
    { JW_ROW("version", M, version) },
    { JW_ROW("driver", M, driver) },
    { JW_ROW("primed", M, primed) },
    { JW_ROW("primed_when", M, primed_when) },
    { JW_ROW("modules", M, modules) },
    { JW_ROW("warm", M, warm) },
    { JW_ROW("compiled", M, compiled) },
    { JW_ROW("compile_ms", M, compile_ms) },
    { JW_ROW("cache", M, cache) },
    { JW_ROW("cache_bytes", M, cache_bytes) },
    { JW_ROW("cache_limit", M, cache_limit) },
    { JW_LIST("gpus", M, gpus, n_gpus, gpus) },
    { JW_LIST("software", M, software, n_software, software) },
    { JW_LIST("slowest", M, slowest, n_slowest, slowest) },
    { JW_LIST("timeline", M, timeline, n_timeline, timeline) },
    { JW_LIST("builds", M, builds, n_builds, builds) },
    { JW_LIST("findings", M, findings, n_findings, findings) },
    { JW_TEXTS("next", M, next, n_next) },
    { 0 },
};

const struct jw_form report_form = {
    "report", "One machine, for report --merge. An empty text is unknown; cache_limit 0 is unknown.", rows
};

/* ---- reading, by the same rows; what is missing or of another kind is unknown ---- */

static void copy_text(void *at, const struct jw_jval *v, struct jw_arena *a)
{
    const char *text = jw_jtext(v), *copy = jw_arena_str(a, text ? text : "");

    memcpy(at, &copy, sizeof copy);
}

static bool read_rows(const struct jw_row *r, const struct jw_jval *in, void *of, struct jw_arena *a,
                      struct jw_err *err);

static bool read_list(const struct jw_row *r, const struct jw_jval *in, uint8_t *of, struct jw_arena *a,
                      struct jw_err *err)
{
    const struct jw_jval *first = jw_jfirst(in), *v;
    uint8_t *items;
    size_t n = 0;

    for (v = first; v; v = jw_jnext(v))
        n++;
    if (n > REPORT_MOST)
        return jw_fail(err, JW_E_LIMIT, "\"%s\" has more than %u elements", r->key, (unsigned)REPORT_MOST);
    items = jw_arena_alloc(a, n * r->stride);
    memcpy(of + r->at, &items, sizeof items);
    memcpy(of + r->n_at, &n, sizeof n);
    for (v = first; v; v = jw_jnext(v), items += r->stride)
        if (!r->rows)
            copy_text(items, v, a);
        else if (!read_rows(r->rows, v, items, a, err))
            return false;
    return true;
}

static bool read_rows(const struct jw_row *r, const struct jw_jval *in, void *of, struct jw_arena *a,
                      struct jw_err *err)
{
    for (; r->kind; r++) {
        const struct jw_jval *v = jw_jget(in, r->key);
        uint8_t *at = (uint8_t *)of + r->at;
        double number = 0;
        bool flag = false;

        if (r->kind == JW_ROW_LIST) {
            if (!read_list(r, v, of, a, err))
                return false;
        } else if (r->kind == JW_ROW_TEXT) {
            copy_text(at, v, a);
        } else if (r->kind == JW_ROW_BOOL) {
            flag = jw_jbool(v, &flag) && flag;
            memcpy(at, &flag, sizeof flag);
        } else {
            bool fits = jw_jnumber(v, &number) && number >= 0 && number < JW_ROWS_MOST;
            uint64_t n = fits ? (uint64_t)number : 0;

            memcpy(at, &n, sizeof n);
        }
    }
    return true;
}

bool report_read_json(struct jw_bytes text, struct jw_arena *a, struct report *r, struct jw_err *err)
{
    struct jw_jdoc *doc = NULL;
    struct report_machine *m;
    const struct jw_jval *root;
    const char *schema;
    bool ok;

    if (!jw_jdoc_parse(&doc, text, err))
        return false;
    root = jw_jdoc_root(doc);
    schema = jw_jtext(jw_jget(root, "schema"));
    if (!schema || strcmp(schema, "jitwarm.report/1") != 0) {
        jw_jdoc_free(doc);
        return jw_fail(err, JW_E_FORMAT, "not a report: make one with jitwarm report --format json");
    }
    m = jw_list_add(a, &r->v, &r->n, sizeof *m, REPORT_MOST, err);
    ok = m && read_rows(rows, root, m, a, err);
    jw_jdoc_free(doc);
    return ok;
}
