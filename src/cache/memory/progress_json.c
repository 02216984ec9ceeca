#include "cache/memory/progress_json.h"

#include "base/json_read.h"
#include "base/limits.h"

#include <limits.h>
#include <string.h>

#define SCHEMA "jitwarm.progress/1"

static const char *const phases[] = { "look", "ask-driver", "compile", "verify" };

const char *jw_prime_phase_name(enum jw_prime_phase phase)
{
    return phases[phase];
}

/* ---- writing ---- */

#define T struct jw_progress_record
#define S struct jw_prime_slot

static const struct jw_row slot_rows[] = {
    { JW_ROW("what", S, what) },
    { JW_ROW("ptx_bytes", S, ptx_bytes) },
    { JW_ROW("seconds", S, seconds) },
    { 0 },
};

static const struct jw_row slowest_rows[] = {
    { JW_ROW("what", T, now.slowest) },
    { JW_ROW("seconds", T, now.slowest_seconds) },
    { 0 },
};

const struct jw_row jw_progress_rows[] = {
    { JW_ROW("pid", T, who.pid) },
    { JW_ROW("started", T, who.started), JW_ABOUT("seconds since 1970") },
    { JW_NAMED("phase", T, now.phase, jw_prime_phase_name, JW_PHASE_VERIFY + 1) },
    { JW_ROW("at", T, now.at), JW_MAY, JW_ABOUT("the file or module at work") },
    { JW_ROW("done", T, now.done), JW_ABOUT("modules") },
    { JW_ROW("total", T, now.total) },
    { JW_ROW("failed", T, now.failed) },
    { JW_ROW("done_bytes", T, now.done_bytes), JW_ABOUT("PTX") },
    { JW_ROW("total_bytes", T, now.total_bytes) },
    { JW_ROW("seconds", T, now.seconds) },
    { JW_ROW("eta_seconds", T, now.eta), JW_MAY, JW_ABOUT("null: not known yet") },
    { JW_ROW("late_seconds", T, now.late), JW_ABOUT("for so long no progress was made") },
    { JW_LIST("slots", T, now.slots, now.n_slots, slot_rows), JW_ABOUT("modules that compile now") },
    { JW_SUB_OF("slowest", slowest_rows), JW_IF(T, now.slowest), JW_MAY },
    { 0 },
};

bool jw_progress_write(struct jw_buf *out, const struct jw_progress_who *who,
                       const struct jw_prime_progress *p, struct jw_err *err)
{
    struct jw_json j;

    jw_json_begin(&j, jw_sink_buf(out), true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", SCHEMA);
    jw_rows_write(&j, jw_progress_rows, &(const struct jw_progress_record){ *who, *p });
    jw_json_close(&j);
    return jw_json_end(&j);
}

/* ---- reading ---- */

struct reader {
    struct jw_arena *a;
    struct jw_err *err;
};

static bool refuse(struct reader *r, const char *field)
{
    return jw_fail(r->err, JW_E_FORMAT, "progress: \"%s\" is missing or wrong", field);
}

static bool read_seconds(struct reader *r, const struct jw_jval *in, const char *field, double *out)
{
    return (jw_jnumber(jw_jget(in, field), out) && *out >= 0 && *out <= JW_ROWS_MOST) || refuse(r, field);
}

static bool read_count(struct reader *r, const struct jw_jval *in, const char *field, uint64_t *out)
{
    double n;

    if (!read_seconds(r, in, field, &n) || (double)(uint64_t)n != n)
        return refuse(r, field);
    *out = (uint64_t)n;
    return true;
}

static bool read_text(struct reader *r, const struct jw_jval *in, const char *field, const char **out)
{
    const char *text = jw_jtext(jw_jget(in, field));

    if (!text)
        return refuse(r, field);
    *out = jw_arena_str(r->a, text);
    return true;
}

static bool read_text_or_null(struct reader *r, const struct jw_jval *in, const char *field, const char **out)
{
    *out = NULL;
    return jw_jnull(jw_jget(in, field)) || read_text(r, in, field, out);
}

static bool read_phase(struct reader *r, const struct jw_jval *in, enum jw_prime_phase *out)
{
    const char *name = jw_jtext(jw_jget(in, "phase"));

    for (size_t i = 0; name && i < JW_COUNT(phases); i++)
        if (strcmp(name, phases[i]) == 0) {
            *out = (enum jw_prime_phase)i;
            return true;
        }
    return refuse(r, "phase");
}

static bool read_slots(struct reader *r, const struct jw_jval *in, struct jw_prime_progress *out)
{
    const struct jw_jval *list = jw_jget(in, "slots");
    struct jw_prime_slot *slots;
    size_t n = 0;

    if (!jw_jarray(list))
        return refuse(r, "slots");
    for (const struct jw_jval *v = jw_jfirst(list); v; v = jw_jnext(v))
        n++;
    if (n > JW_MAX_WORKERS)
        return refuse(r, "slots");
    slots = jw_arena_alloc(r->a, n * sizeof *slots);
    out->slots = slots;
    for (const struct jw_jval *v = jw_jfirst(list); v; v = jw_jnext(v)) {
        struct jw_prime_slot *slot = &slots[out->n_slots++];

        if (!read_text(r, v, "what", &slot->what) || !read_count(r, v, "ptx_bytes", &slot->ptx_bytes)
            || !read_seconds(r, v, "seconds", &slot->seconds))
            return false;
    }
    return true;
}

static bool read_slowest(struct reader *r, const struct jw_jval *in, struct jw_prime_progress *out)
{
    const struct jw_jval *slowest = jw_jget(in, "slowest");

    if (!slowest || jw_jnull(slowest))
        return slowest || refuse(r, "slowest");
    return read_text(r, slowest, "what", &out->slowest)
           && read_seconds(r, slowest, "seconds", &out->slowest_seconds);
}

static bool read_eta(struct reader *r, const struct jw_jval *in, struct jw_prime_progress *out)
{
    out->eta = -1;
    if (jw_jget(in, "late_seconds") && !read_seconds(r, in, "late_seconds", &out->late))
        return false;
    return jw_jnull(jw_jget(in, "eta_seconds")) || read_seconds(r, in, "eta_seconds", &out->eta);
}

static bool read_who(struct reader *r, const struct jw_jval *in, struct jw_progress_who *out)
{
    uint64_t pid, started;

    if (!read_count(r, in, "pid", &pid) || !read_count(r, in, "started", &started))
        return false;
    if (pid > ULONG_MAX)
        return refuse(r, "pid");
    out->pid = (unsigned long)pid;
    out->started = (int64_t)started;
    return true;
}

static bool read_all(struct reader *r, const struct jw_jval *in, struct jw_progress_record *out)
{
    const char *schema = jw_jtext(jw_jget(in, "schema"));
    struct jw_prime_progress *p = &out->now;

    if (!schema || strcmp(schema, SCHEMA) != 0)
        return jw_fail(r->err, JW_E_FORMAT, "progress: another version of jitwarm wrote it (schema %.40s)",
                       schema ? schema : "none");
    return read_who(r, in, &out->who) && read_phase(r, in, &p->phase)
           && read_text_or_null(r, in, "at", &p->at) && read_count(r, in, "done", &p->done)
           && read_count(r, in, "total", &p->total) && read_count(r, in, "failed", &p->failed)
           && read_count(r, in, "done_bytes", &p->done_bytes)
           && read_count(r, in, "total_bytes", &p->total_bytes) && read_seconds(r, in, "seconds", &p->seconds)
           && read_eta(r, in, p) && read_slots(r, in, p) && read_slowest(r, in, p);
}

bool jw_progress_read(struct jw_bytes text, struct jw_arena *a, struct jw_progress_record *out,
                      struct jw_err *err)
{
    struct reader r = { a, err };
    struct jw_jdoc *doc;
    bool ok;

    *out = (struct jw_progress_record){ 0 };
    if (!jw_jdoc_parse(&doc, text, err))
        return jw_wrap(err, "progress");
    ok = read_all(&r, jw_jdoc_root(doc), out);
    jw_jdoc_free(doc);
    return ok;
}
