/* Explains failed modules: finds the driver's log in a second attempt. */
#include "prime/prime_run.h"

#include "base/compiler.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

#include <string.h>

enum { MAX_EXPLAINED = 4, EXPLAIN_MS = 120 * 1000 };

static const struct jw_device *gpu_for(const struct prime *p, uint16_t sm)
{
    for (size_t i = 0; i < p->out->driver.n_gpus; i++)
        if (p->ctx.driver.gpus[i].chosen && p->ctx.driver.gpus[i].sm == sm)
            return &p->ctx.driver.gpus[i];
    return NULL;
}

/* Uses a separate cache, because asking for the log may make another entry. driver-fact: F18-jit-options-in-key */
static bool explain(struct prime_compiling *r, struct jw_job *j, const char *cache, struct jw_err *err)
{
    const struct jw_device *g = gpu_for(r->p, j->sm);
    struct jw_worker_options o = jw_session_worker(r->p->run->session);
    const struct jw_place *at = j->module.places;
    struct jw_load how = { .explain = true };
    struct jw_worker_result result = { 0 };
    struct jw_err why = { 0 };
    struct jw_worker *w = NULL;
    bool ok;
    size_t n;

    if (!g || !at->disk)
        return true;
    o.cache_folder = cache;
    o.device = *g->uuid ? g->uuid : NULL;
    o.timeout_ms = EXPLAIN_MS;
    o.eager = true;
    ok = jw_worker_start(&w, &o, &why);
    if (ok) {
        const struct jw_device *d = jw_worker_devices(w, &n);

        how.device = o.device && n ? d[0].index : g->index;
        ok = jw_worker_load(w, at, &how, &result, &why);
    }
    if (ok && result.log && *result.log)
        j->log = jw_arena_str(r->p->run->a, result.log);
    jw_worker_stop(w);
    if (why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    }
    return true;
}

static bool seen_before(const struct prime_compiling *r, size_t at)
{
    const struct jw_job *jobs = r->p->plan.jobs;

    for (size_t i = 0; i < at; i++)
        if (jobs[i].state == JW_JOB_FAILED && jobs[i].log && jobs[i].code == jobs[at].code
            && jobs[i].module.places->package == jobs[at].module.places->package)
            return true;
    return false;
}

bool prime_explain_failures(struct prime_compiling *r, struct jw_err *err)
{
    char *cache = NULL;
    unsigned explained = 0;

    for (size_t i = 0; i < r->p->plan.n_todo; i++) {
        struct jw_job *j = &r->p->plan.jobs[i];

        if (j->state != JW_JOB_FAILED || explained == MAX_EXPLAINED || seen_before(r, i)
            || jw_interrupted(r->p->run->interrupted)
            || (r->p->run->deadline && jw_time_monotonic_ns() >= r->p->run->deadline))
            continue;
        if (!cache) {
            cache = jw_path_join(r->p->run->a, r->p->ctx.cache.work, "explain");
            if (!jw_make_private_dir(cache, err))
                return jw_wrap(err, "%s", cache);
        }
        explained++;
        if (!explain(r, j, cache, err))
            return false;
    }
    return true;
}

/* Only these answers are about the code. Others, for example a lack of memory, may differ the next time. */
bool prime_is_refusal(int code)
{
    static const int about_code[] = { 200 /* INVALID_IMAGE */, 209 /* NO_BINARY_FOR_GPU */,
                                      218 /* INVALID_PTX */, 222 /* UNSUPPORTED_PTX_VERSION */,
                                      300 /* INVALID_SOURCE */ };

    for (size_t i = 0; i < JW_COUNT(about_code); i++)
        if (about_code[i] == code)
            return true;
    return false;
}

const char *prime_refusal(const struct jw_job *j, struct jw_arena *a)
{
    struct jw_buf text = JW_LINE(a);

    jw_say(&text, j->code_name ? "the driver refused it: %s (%d)" : "the driver refused it: %serror %d",
           j->code_name ? j->code_name : "", j->code);
    if (j->log) {
        const char *words = j->log + strspn(j->log, " \t\r\n");

        jw_say(&text, ": ");
        jw_text_clean(&text, jw_arena_text(a, words, strcspn(words, "\r\n")));
    }

    return jw_buf_cstr(&text);
}

/* ---- in the report ---- */

#define J struct jw_job

const struct jw_row prime_job_failure_rows[] = {
    { JW_ROW("log", J, log), JW_NULLABLE, JW_ABOUT("the driver's words") },
    { JW_ROW("kernel", J, module.kernel), JW_NULLABLE,
      JW_ABOUT("its first one, at most 79 bytes of its name") },
    { 0 },
};
