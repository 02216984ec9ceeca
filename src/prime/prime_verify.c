/* Verifies: fresh processes with the settings of this user's programs load all modules again, and no entry may appear
 * in the cache. */
#include "prime/prime_judge.h"

#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum { MOST_MISSES = 1 << 16, LOAD_MS = 30 * 60 * 1000 };

/* ---- the pool's side ---- */

static void on_done(void *ctx, const struct jw_pool_result *r)
{
    struct pass *v = ctx;

    v->load_ms[v->of[r->job]] = r->milliseconds;
    if (r->outcome == JW_POOL_DONE)
        return;
    v->failed[v->of[r->job]] = true;
    v->n_left += r->outcome == JW_POOL_LEFT;
    v->n_failed += r->outcome != JW_POOL_LEFT;
}

static void on_tick(void *ctx, const struct jw_pool_state *s)
{
    struct pass *v = ctx;
    struct jw_prime_progress what = { .phase = JW_PHASE_VERIFY,
                                      .at = v->where,
                                      .done = v->n_jobs - s->left,
                                      .total = v->n_jobs,
                                      .eta = -1,
                                      .seconds = (double)(jw_time_monotonic_ns() - v->p->began) / 1e9 };

    if (prime_interrupted(v->p))
        atomic_store(&v->halt, true);
    prime_write_status(v->p, &what);
    if (v->p->o->progress)
        v->p->o->progress(v->p->o->ctx, &what);
}

static bool to_be_warm(const struct jw_job *j)
{
    return j->state == JW_JOB_WARM || j->state == JW_JOB_WARMED;
}

static void make_jobs(struct pass *v)
{
    const struct prime *p = v->p;
    size_t n = v->n_all + 1, every = p->o->sample && p->o->sample < n ? n / p->o->sample : 1;

    v->jobs = jw_arena_alloc(p->a, n * sizeof *v->jobs);
    v->of = jw_arena_alloc(p->a, n * sizeof *v->of);
    v->failed = jw_arena_alloc(p->a, n);
    v->load_ms = jw_arena_alloc(p->a, n * sizeof *v->load_ms);
    v->causes = jw_arena_alloc(p->a, n * sizeof *v->causes);
    for (size_t i = 0; i < v->n_all; i += every) {
        const struct jw_job *j = &v->all[i];
        struct jw_pool_job *out = &v->jobs[v->n_jobs];

        if (!to_be_warm(j) || !j->places->disk)
            continue;
        *out = (struct jw_pool_job){ .what = { .path = j->places->disk,
                                               .at = j->places->at,
                                               .size = j->places->size,
                                               .text = j->places->text,
                                               .target = p->o->siblings ? j->sm : 0 },
                                     .ptx_bytes = j->ptx_bytes,
                                     .timeout_ms = p->o->timeout_s ? prime_timeout_ms(p) : LOAD_MS };
        memcpy(out->what.digest, j->places->digest, sizeof out->what.digest);
        for (unsigned k = 0; k < p->n_sms && !p->o->siblings; k++)
            if (p->sms[k] == j->sm)
                out->group = k;
        v->of[v->n_jobs++] = i;
    }
}

/* ---- one pass ---- */

static bool load_all(struct pass *v, const struct jw_child_edit *edits, size_t n_edits, struct jw_err *err)
{
    struct prime *p = v->p;
    struct jw_pool_device devices[MODULE_MOST_ARCHS] = { 0 };
    struct jw_pool_report report = { 0 };
    struct jw_pool_options o = { .jobs = v->jobs,
                                 .n_jobs = v->n_jobs,
                                 .devices = devices,
                                 .max_workers = 1,
                                 .memory = UINT64_MAX,
                                 .worker = { .exe = p->o->exe,
                                             .driver = p->o->driver,
                                             .eager = true,
                                             .inherit = true,
                                             .edits = edits,
                                             .n_edits = n_edits },
                                 .recycle_jobs = UINT32_MAX,
                                 .stop = &v->halt,
                                 .deadline_ns = p->deadline,
                                 .done = on_done,
                                 .tick = on_tick,
                                 .ctx = v };

    for (size_t k = 0; k < (p->o->siblings ? 1 : p->n_sms); k++)
        for (size_t i = 0; i < p->out->n_gpus; i++)
            if (p->gpus[i].chosen && (p->o->siblings || p->gpus[i].sm == p->sms[k])) {
                devices[o.n_devices++] =
                    (struct jw_pool_device){ .uuid = *p->gpus[i].uuid ? p->gpus[i].uuid : NULL,
                                             .index = p->gpus[i].index,
                                             .group = (unsigned)k,
                                             .memory = p->gpus[i].memory };
                break;
            }
    if (!v->n_jobs)
        return true;
    return jw_pool_run(&o, &report, err) && (!report.why || jw_fail(err, JW_E_DRIVER, "%s", report.why));
}

/* The jobs to load again, and the results of all passes. */
struct proof {
    const struct jw_job *jobs;
    size_t n_jobs;
    struct jw_verify_pass *passes;
    size_t n_passes;
    struct jw_verify_miss *misses;
    size_t n_misses;
    uint64_t left; /* modules skipped because time was up */
};

static bool add_miss(struct prime *p, struct proof *proof, size_t job, const char *why, struct jw_err *err)
{
    struct jw_verify_miss *m =
        jw_list_add(p->a, &proof->misses, &proof->n_misses, sizeof *m, MOST_MISSES, err);

    if (m)
        *m = (struct jw_verify_miss){ job, why };
    return m != NULL;
}

static bool note_misses(struct pass *v, struct jw_verify_pass *out, struct proof *proof, struct jw_err *err)
{
    for (size_t i = 0; i < v->n_jobs; i++) {
        const char *why = v->causes[v->of[i]];

        if (v->failed[v->of[i]])
            continue;
        out->hits += why == NULL;
        out->misses += why != NULL;
        if (why && !add_miss(v->p, proof, v->of[i], why, err))
            return false;
    }
    return true;
}

/* If names are unknown, each new file is a miss. */
static void count_by_files(const struct pass *v, struct jw_verify_pass *out)
{
    if (v->p->probe.state.level >= JW_LEVEL_PREDICTABLE)
        return;

    uint64_t all = out->hits + out->misses;

    if (out->misses < out->new_entries)
        out->misses = out->new_entries < all ? out->new_entries : all;
    out->hits = all - out->misses;
}

static bool list(const struct prime *p, struct jw_cache_listing *out, struct jw_err *err)
{
    return jw_cachedir_walk(p->dir.root, false, p->o->interrupted, p->a, out, err);
}

/* `useless`: why no module would be found there, so that none is loaded; NULL: load them. */
static bool run_pass(struct prime *p, const char *where, const char *useless,
                     const struct jw_child_edit *edits, size_t n_edits, struct proof *proof,
                     struct jw_err *err)
{
    struct pass v = { .p = p, .all = proof->jobs, .n_all = proof->n_jobs, .where = where };
    struct jw_verify_pass *out = &proof->passes[proof->n_passes++];
    uint64_t began = jw_time_monotonic_ns();

    atomic_init(&v.halt, false);
    make_jobs(&v);
    bool ok =
        list(p, &v.before, err) && (useless || load_all(&v, edits, n_edits, err)) && list(p, &v.after, err);

    *out = (struct jw_verify_pass){ .where = where,
                                    .loaded = v.n_jobs - v.n_failed - v.n_left,
                                    .failed = v.n_failed,
                                    .milliseconds = (unsigned)((jw_time_monotonic_ns() - began) / 1000000) };
    if (ok) {
        for (size_t i = 0; useless && i < v.n_jobs; i++)
            v.causes[v.of[i]] = useless;
        ok = pass_judge(&v, &out->new_entries, err) && note_misses(&v, out, proof, err);
        count_by_files(&v, out);
    }
    proof->left += v.n_left;
    jw_cache_listing_free(&v.before);
    jw_cache_listing_free(&v.after);
    return ok;
}

/* ---- the environments ---- */

/* The differences of a fresh login, as edits. Skips variables in which an interactive shell agrees with this
 * process. */
static size_t login_edits(const struct prime *p, struct jw_child_edit *edits, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_differences && n < most; i++)
        if (!p->differences[i].terminal_agrees
            && !(p->tuned && strcmp(p->differences[i].name, "CUDA_CACHE_MAXSIZE") == 0))
            edits[n++] = (struct jw_child_edit){ p->differences[i].name, p->differences[i].login };
    return n;
}

static const char *why_cold(const struct prime *p, const struct jw_job *j)
{
    const struct jw_cache_file *f = j->name ? jw_cache_file_find(&p->listing, j->name) : NULL;

    if (!f)
        return "not in the cache";
    if (f->damage)
        return "damaged in the cache";
    return f->indexed ? "the cache has another module under this name" : "in the cache, but not in its index";
}

/* verify alone: loads no module that is missing in the cache, because the driver would compile it. */
static bool note_cold(struct prime *p, struct proof *proof, struct jw_err *err)
{
    for (size_t i = 0; p->o->verify_only && i < proof->n_jobs; i++) {
        if (to_be_warm(&proof->jobs[i]))
            continue;
        proof->passes[0].misses++;
        if (!add_miss(p, proof, i, why_cold(p, &proof->jobs[i]), err))
            return false;
    }
    return true;
}

static bool did_something(const struct prime *p)
{
    return p->plan.n_todo || (p->o->verify_only && p->plan.n_jobs);
}

static void judge(struct prime *p)
{
    const struct jw_verify_report *v = &p->out->verify;
    uint64_t bad = p->sourceless + p->unread.n;

    for (size_t i = 0; i < v->n_passes; i++)
        bad += v->passes[i].misses + v->passes[i].failed + v->passes[i].new_entries;
    for (size_t i = 0; i < p->plan.n_jobs; i++)
        bad += !to_be_warm(&p->plan.jobs[i]);
    if (!p->ended)
        p->out->end = bad ? JW_END_PARTLY : did_something(p) ? JW_END_DONE : JW_END_NOTHING;
}

enum { MOST_EDITS = 16, PASSES = 2 };

/* `*why`: a fresh login uses another cache, or none. NULL: it uses the same. */
static void useless_login(struct prime *p, const char **why)
{
    *why = NULL;
    for (size_t i = 0; i < p->n_differences; i++) {
        const struct jw_env_difference *d = &p->differences[i];
        char text[256];

        if (d->terminal_agrees || !prime_decides(d->name))
            continue;
        (void)snprintf(text, sizeof text, "%s is %.120s there", d->name, d->login ? d->login : "unset");
        *why = jw_arena_str(p->a, text);
        return;
    }
}

/* In this environment, and in that of a fresh login if it differs. */
static bool run_passes(struct prime *p, struct proof *proof, struct jw_err *err)
{
    struct jw_child_edit edits[MOST_EDITS];
    const char *useless;
    char limit[24];
    size_t n = 0;

    if (p->tuned) { /* the limit that programs will have */
        (void)snprintf(limit, sizeof limit, "%llu", (unsigned long long)p->tuned);
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_MAXSIZE", limit };
    }
    if (p->o->cache) {
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_PATH", p->dir.root };
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_DISABLE", "0" };
    }
    if (!run_pass(p, "this environment", NULL, edits, n, proof, err))
        return false;
    n = p->o->cache ? 0 : login_edits(p, edits, MOST_EDITS);
    if (!n)
        return true;
    if (p->tuned && n < MOST_EDITS)
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_MAXSIZE", limit };
    useless_login(p, &useless);
    return run_pass(p, "a fresh login", useless, edits, n, proof, err);
}

/* Incomplete: nothing is proven, and nothing is wrong. */
static bool end_early(struct prime *p)
{
    p->out->verify = (struct jw_verify_report){ .why = "there was no time to load all of it again" };
    if (prime_interrupted(p))
        return prime_end(p, JW_END_INTERRUPTED, "%s", "");
    return prime_end(p, JW_END_TIME, "the time box was over before all was verified");
}

bool prime_prove(struct prime *p, const struct jw_job *jobs, size_t n, struct jw_err *err)
{
    struct proof proof = { .jobs = jobs,
                           .n_jobs = n,
                           .passes = jw_arena_alloc(p->a, PASSES * sizeof *proof.passes) };

    if (!run_passes(p, &proof, err) || !note_cold(p, &proof, err))
        return false;
    if (proof.left)
        return end_early(p);
    p->out->verify = (struct jw_verify_report){ .done = true,
                                                .login_same = p->login_known && proof.n_passes == 1,
                                                .passes = proof.passes,
                                                .n_passes = proof.n_passes,
                                                .misses = proof.misses,
                                                .n_misses = proof.n_misses };
    return true;
}

bool prime_verify(struct prime *p, struct jw_err *err)
{
    if (!p->o->no_verify && p->plan.n_jobs && !prime_prove(p, p->plan.jobs, p->plan.n_jobs, err))
        return false;
    judge(p);
    return true;
}
