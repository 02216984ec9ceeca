/* Bans and explains failed modules: a second attempt gets the driver's log, and a module that the
 * driver refused is banned. */
#include "prime/compile.h"

#include "base/path.h"
#include "facts/errors.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "prime/look_work.h"

#include <string.h>

enum { MAX_EXPLAINED = 4, APART_MS = 120 * 1000 };

void compile_ban(struct compiling *r, struct jw_job *j)
{
    const struct jw_scope *driver = &r->p->look->scope;

    if (!driver->build || (jw_job_is_warm(j) && !j->banned && j->stopped <= 0))
        return;
    j->banned = j->ended > JW_JOB_LOADED;
    struct jw_ban *ban =
        jw_list_add(r->p->run->a, &r->bans.v, &r->bans.n, sizeof *ban, SIZE_MAX, JW_IGNORED);
    *ban = (struct jw_ban){.sm = j->sm, .how = j->ended, .why = j->why};
    ban->build = driver->build;
    ban->compiler = driver->compiler;
    ban->stopped_ms = (uint32_t)(j->stopped * 1000);
    memcpy(ban->id, j->id, sizeof ban->id);
    if (j->ended != JW_JOB_LOADED && j->ended != JW_JOB_FAILED)
        compile_save_bans(r);
}

void compile_save_bans(struct compiling *r)
{
    if (r->bans.n)
        (void)!jw_bans_change(r->p->look->memory, &r->bans, JW_IGNORED);
    r->bans.n = 0;
}

bool compile_apart(struct jw_prime *p, const struct jw_job *j, const char *cache, const char **log,
                   struct jw_err *err)
{
    bool absent = p->look->scope.absent;
    struct jw_worker_options o = jw_session_worker(p->run->session);
    struct jw_load how = {.explain = log != NULL, .sm = absent ? j->sm : 0};
    struct jw_worker_result result = {0};
    struct jw_err why = {0};
    struct jw_worker *w = NULL;

    o.cache_folder = cache;
    o.device = absent ? p->probe->devices : jw_probe_device(p->probe, j->sm);
    o.timeout_ms = APART_MS;
    o.priority = p->o.background ? JW_PRIORITY_IDLE : JW_PRIORITY_BEHIND;
    if (!o.device || !j->place->disk)
        return true;
    bool ok = jw_worker_start(&w, &o, &why) && jw_worker_load(w, j->place, &how, &result, &why);

    if (ok && log && result.log && *result.log)
        *log = jw_arena_str(p->run->a, result.log);
    jw_worker_stop(w);
    return why.code != JW_E_INTERRUPTED || jw_pass(err, why);
}

static bool seen_before(const struct compiling *r, size_t at)
{
    const struct jw_job *jobs = r->jobs;

    for (size_t i = 0; i < at; i++)
        if (jobs[i].ended == JW_JOB_FAILED && jobs[i].log && jobs[i].code == jobs[at].code
            && strcmp(jobs[i].place->path, jobs[at].place->path) == 0)
            return true;
    return false;
}

static bool is_over(const struct jw_prime *p)
{
    return jw_interrupted(p->run->interrupted)
           || (p->run->deadline && jw_time_monotonic_ns() >= p->run->deadline);
}

static bool explain_some(struct compiling *r, struct jw_err *err)
{
    const char *cache = jw_path_join(r->p->run->a, r->p->hold.work, "explain");
    unsigned explained = 0;

    for (size_t i = 0; i < r->p->plan.n_todo && explained < MAX_EXPLAINED && !is_over(r->p); i++) {
        if (r->jobs[i].ended != JW_JOB_FAILED || seen_before(r, i))
            continue;
        if (!explained++ && !jw_make_private_dir(cache, err))
            return jw_wrap(err, "%s", cache);
        if (!compile_apart(r->p, &r->jobs[i], cache, &r->jobs[i].log, err))
            return false;
    }
    return true;
}

/* Only these errors are about the code. Others, such as a lack of memory, may not come again. */
bool compile_is_refusal(int code)
{
    static const int about_code[] = {JW_CUDA_INVALID_IMAGE, JW_CUDA_NO_BINARY_FOR_GPU,
                                     JW_CUDA_INVALID_PTX, JW_CUDA_UNSUPPORTED_PTX_VERSION,
                                     JW_CUDA_INVALID_SOURCE};

    for (size_t i = 0; i < JW_COUNT(about_code); i++)
        if (about_code[i] == code)
            return true;
    return false;
}

/* How the module failed: "CUDA_ERROR_INVALID_PTX (218): ptxas fatal : ..." */
static const char *words(const struct jw_job *j, struct jw_arena *a)
{
    struct jw_buf text = JW_LINE(a);
    const char *name = jw_error_name((unsigned)j->code);

    jw_say(&text, "%s (%d)", name ? name : "error", j->code);
    if (j->log) {
        const char *log = j->log + strspn(j->log, " \t\r\n");

        jw_say(&text, ": ");
        jw_text_clean(&text, jw_arena_text(a, log, strcspn(log, "\r\n")));
    }
    return jw_buf_cstr(&text);
}

bool compile_explain(struct compiling *r, struct jw_err *err)
{
    if (!explain_some(r, err))
        return false;
    for (size_t i = 0; i < r->p->plan.n_todo; i++) {
        struct jw_job *j = &r->jobs[i];

        if (j->ended != JW_JOB_FAILED)
            continue;
        j->why = words(j, r->p->run->a);
        if (compile_is_refusal(j->code))
            compile_ban(r, j);
    }
    return true;
}
