/*
 * The proof: fresh processes, with the settings that programs of this user will have, load everything again, and the
 * cache has not one entry more than before.
 */
#include "engine/prime_work.h"

#include "base/mem.h"
#include "os/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MISSES = 1 << 16, LOAD_MS = 30 * 60 * 1000 };

/* One pass: every job again, in one process for each GPU architecture. */
struct pass {
    struct prime *p;
    const char *where;
    struct jw_pool_job *jobs;
    size_t *of, n_jobs;
    bool *missed, *failed; /* for each job of the plan */
    uint64_t n_failed;
    struct jw_cache_listing before, after;
};

/* ---- before and after ---- */

static const struct jw_cache_file *find(const struct jw_cache_listing *l, uint64_t name)
{
    size_t low = 0, high = l->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (l->files[mid].name < name)
            low = mid + 1;
        else
            high = mid;
    }
    return low < l->n && l->files[low].name == name ? &l->files[low] : NULL;
}

static bool list(const struct prime *p, struct jw_cache_listing *out, struct jw_err *err)
{
    return jw_cachedir_walk(p->dir.root, false, p->o->interrupted, p->a, out, err);
}

static int by_text(const void *a, const void *b)
{
    return memcmp(a, b, JW_DIGEST);
}

/* The texts of what was loaded, sorted. NULL: no memory. */
static uint8_t (*texts_of(const struct prime *p))[JW_DIGEST]
{
    uint8_t(*list)[JW_DIGEST] = jw_alloc((p->found.n + 1) * sizeof *list);

    for (size_t i = 0; list && i < p->found.n; i++)
        memcpy(list[i], p->found.list[i].text, JW_DIGEST);
    if (list && p->found.n)
        qsort(list, p->found.n, JW_DIGEST, by_text);
    return list;
}

/* Another program may compile something meanwhile: only what holds our modules counts, where that can be read. */
static bool is_ours(const struct prime *p, const struct jw_cache_file *f, const uint8_t (*texts)[JW_DIGEST],
                    bool *yes, struct jw_err *err)
{
    struct prime_entry e;

    *yes = true;
    if (p->probe.state.level < JW_LEVEL_READABLE || f->damage)
        return true;
    if (f->kind != JW_CACHE_CUDA) {
        *yes = false;
        return true;
    }
    bool ok = prime_entry_read(p, p->dir.root, f, &e, err);

    if (ok)
        *yes = p->found.n && bsearch(e.text, texts, p->found.n, JW_DIGEST, by_text);
    prime_entry_free(&e);
    return ok;
}

static bool count_new(const struct pass *v, uint64_t *n, struct jw_err *err)
{
    uint8_t(*texts)[JW_DIGEST] = texts_of(v->p);
    bool ok = texts || jw_nomem(err, v->p->found.n * JW_DIGEST), ours;

    *n = v->after.foreign > v->before.foreign ? v->after.foreign - v->before.foreign : 0;
    for (size_t i = 0; ok && i < v->after.n; i++) {
        if (find(&v->before, v->after.files[i].name))
            continue;
        ok = is_ours(v->p, &v->after.files[i], (const uint8_t(*)[JW_DIGEST])texts, &ours, err);
        *n += ok && ours;
    }
    jw_free(texts);
    return ok;
}

/* Why was it compiled again? NULL: it was not. */
static const char *cause(const struct pass *v, const struct jw_job *j)
{
    const struct jw_cache_file *was = find(&v->before, j->name), *is = find(&v->after, j->name);

    if (was && is && was->mtime == is->mtime && was->size == is->size && !was->damage)
        return NULL;
    if (was && is && !was->damage && !was->indexed)
        return "its entry was there, but the cache's index did not name it";
    if (!was && is)
        return j->state == JW_JOB_WARMED || j->state == JW_JOB_WARM
                   ? "its entry was gone: evicted, or removed by another program"
                   : "it was not in the cache";
    if (!was)
        return "it is not kept: larger than the limit of this environment, or the cache is not used at all";
    if (!is)
        return "its entry was evicted while others were loaded: the limit is too small for all";
    return was->damage ? "its entry was damaged" : "the driver did not take its entry, and wrote it again";
}

/* ---- the pool's side ---- */

static void on_done(void *ctx, const struct jw_pool_result *r)
{
    struct pass *v = ctx;

    if (r->outcome == JW_POOL_DONE)
        return;
    v->failed[v->of[r->job]] = true;
    v->n_failed++;
}

static void on_tick(void *ctx, const struct jw_pool_state *s)
{
    const struct pass *v = ctx;
    struct jw_prime_progress what = { .phase = JW_PHASE_VERIFY,
                                      .at = v->where,
                                      .done = v->n_jobs - s->left,
                                      .total = v->n_jobs,
                                      .eta = -1,
                                      .seconds = (double)(jw_time_monotonic_ns() - v->p->began) / 1e9 };

    if (v->p->o->progress)
        v->p->o->progress(v->p->o->ctx, &what);
}

static bool to_be_warm(const struct jw_job *j)
{
    return j->state == JW_JOB_WARM || j->state == JW_JOB_WARMED;
}

static bool make_jobs(struct pass *v, struct jw_err *err)
{
    const struct prime *p = v->p;
    size_t n = p->plan.n_jobs + 1, every = p->o->sample && p->o->sample < n ? n / p->o->sample : 1;

    v->jobs = jw_arena_alloc(p->a, n * sizeof *v->jobs);
    v->of = jw_arena_alloc(p->a, n * sizeof *v->of);
    v->missed = jw_arena_alloc(p->a, n);
    v->failed = jw_arena_alloc(p->a, n);
    if (!v->jobs || !v->of || !v->missed || !v->failed)
        return jw_nomem(err, n * sizeof *v->jobs);
    for (size_t i = 0; i < p->plan.n_jobs; i += every) {
        const struct jw_job *j = &p->plan.jobs[i];
        struct jw_pool_job *out = &v->jobs[v->n_jobs];

        if (!to_be_warm(j) || !j->places->disk)
            continue;
        *out = (struct jw_pool_job){ .what = { .path = j->places->disk,
                                               .at = j->places->at,
                                               .size = j->places->size,
                                               .text = j->places->text },
                                     .ptx_bytes = j->ptx_bytes,
                                     .timeout_ms = p->o->timeout_s ? p->o->timeout_s * 1000 : LOAD_MS };
        memcpy(out->what.digest, j->places->digest, sizeof out->what.digest);
        for (unsigned k = 0; k < p->n_sms; k++)
            if (p->sms[k] == j->sm)
                out->group = k;
        v->of[v->n_jobs++] = i;
    }
    return true;
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
                                 .stop = p->o->interrupted,
                                 .deadline_ns = p->deadline,
                                 .done = on_done,
                                 .tick = on_tick,
                                 .ctx = v };

    for (size_t k = 0; k < p->n_sms; k++)
        for (size_t i = 0; i < p->out->n_gpus; i++)
            if (p->gpus[i].chosen && p->gpus[i].sm == p->sms[k]) {
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

/* What all passes found. */
struct proof {
    struct jw_verify_pass *passes;
    size_t n_passes;
    struct jw_verify_miss *misses;
    size_t n_misses;
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
        const struct jw_job *j = &v->p->plan.jobs[v->of[i]];
        const char *why = j->name ? cause(v, j) : NULL;

        if (v->failed[v->of[i]])
            continue;
        out->hits += why == NULL;
        out->misses += why != NULL;
        if (why && !add_miss(v->p, proof, v->of[i], why, err))
            return false;
    }
    return true;
}

/* Where names are not known, each new file is a miss of somebody's. */
static void count_by_files(const struct pass *v, struct jw_verify_pass *out)
{
    if (v->p->probe.state.level >= JW_LEVEL_PREDICTABLE)
        return;
    out->misses = out->new_entries < out->hits ? out->new_entries : out->hits;
    out->hits -= out->misses;
}

static bool run_pass(struct prime *p, const char *where, const struct jw_child_edit *edits, size_t n_edits,
                     struct proof *proof, struct jw_err *err)
{
    struct pass v = { .p = p, .where = where };
    struct jw_verify_pass *out = &proof->passes[proof->n_passes++];
    uint64_t began = jw_time_monotonic_ns();
    bool ok = make_jobs(&v, err) && list(p, &v.before, err) && load_all(&v, edits, n_edits, err)
              && list(p, &v.after, err);

    *out = (struct jw_verify_pass){ .where = where,
                                    .loaded = v.n_jobs - v.n_failed,
                                    .failed = v.n_failed,
                                    .milliseconds = (unsigned)((jw_time_monotonic_ns() - began) / 1000000) };
    if (ok) {
        ok = count_new(&v, &out->new_entries, err) && note_misses(&v, out, proof, err);
        count_by_files(&v, out);
    }
    jw_cache_listing_free(&v.before);
    jw_cache_listing_free(&v.after);
    return ok;
}

/* ---- the environments ---- */

/* What a fresh login has otherwise than this process, as edits. Where an interactive shell agrees with us, it is we who are
 * like the user's programs. */
static size_t login_edits(const struct prime *p, struct jw_child_edit *edits, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_differences && n < most; i++)
        if (!p->differences[i].terminal_agrees)
            edits[n++] = (struct jw_child_edit){ p->differences[i].name, p->differences[i].login };
    return n;
}

static const char *why_cold(const struct prime *p, const struct jw_job *j)
{
    const struct jw_cache_file *f = j->name ? find(&p->listing, j->name) : NULL;

    if (!f)
        return "it is not in the cache";
    if (f->damage)
        return "its entry is damaged";
    return f->indexed ? "its entry is another module's"
                      : "its entry is there, but the cache's index has lost it";
}

/* verify alone: what the cache does not hold would be compiled; to find that out nothing has to be. */
static bool note_cold(struct prime *p, struct proof *proof, struct jw_err *err)
{
    for (size_t i = 0; p->o->verify_only && i < p->plan.n_jobs; i++) {
        if (to_be_warm(&p->plan.jobs[i]))
            continue;
        proof->passes[0].misses++;
        if (!add_miss(p, proof, i, why_cold(p, &p->plan.jobs[i]), err))
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
    uint64_t bad = 0;

    for (size_t i = 0; i < v->n_passes; i++)
        bad += v->passes[i].misses + v->passes[i].failed;
    for (size_t i = 0; i < p->plan.n_jobs; i++)
        bad += !to_be_warm(&p->plan.jobs[i]);
    if (!p->ended)
        p->out->end = bad ? JW_END_PARTLY : did_something(p) ? JW_END_DONE : JW_END_NOTHING;
}

enum { MOST_EDITS = 16, PASSES = 2 };

/* In this environment; where a fresh login has another one, in that, too. */
static bool run_passes(struct prime *p, struct proof *proof, struct jw_err *err)
{
    struct jw_child_edit edits[MOST_EDITS];
    size_t n = 0;

    if (p->o->cache) {
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_PATH", p->o->cache };
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_DISABLE", "0" };
    }
    if (!run_pass(p, "this environment", edits, n, proof, err))
        return false;
    n = p->o->cache ? 0 : login_edits(p, edits, MOST_EDITS);
    return !n || run_pass(p, "a fresh login", edits, n, proof, err);
}

bool prime_verify(struct prime *p, struct jw_err *err)
{
    struct proof proof = { .passes = jw_arena_alloc(p->a, PASSES * sizeof *proof.passes) };
    struct jw_verify_report *v = &p->out->verify;

    if (!proof.passes)
        return jw_nomem(err, PASSES * sizeof *proof.passes);
    if (!p->o->no_verify && p->plan.n_jobs) {
        if (!run_passes(p, &proof, err) || !note_cold(p, &proof, err))
            return false;
        *v = (struct jw_verify_report){ .done = true,
                                        .login_same = p->login_known && proof.n_passes == 1,
                                        .passes = proof.passes,
                                        .n_passes = proof.n_passes,
                                        .misses = proof.misses,
                                        .n_misses = proof.n_misses };
    }
    judge(p);
    return true;
}
