#include "prime/prove.h"

#include "facts/errors.h"
#include "os/machine/time.h"
#include "prime/compile.h"
#include "prime/look_work.h"

#include <stdatomic.h>
#include <string.h>

enum { LOAD_MS = 30 * 60 * 1000 };

/* What went wrong with a module in a fresh process. */
static const char not_loaded[] = "a fresh process could not load it";
static const char refused[] = "the driver refused it in a fresh process, or crashed on it";
static const char not_taken[] = "a fresh process did not take it from the cache";

struct proving {
    struct jw_run *run;
    struct jw_look *look;
    const struct jw_probe_report *probe;
    bool unknown;  /* nobody knows which modules are warm: only this load shows it */
    uint64_t left; /* modules that were not loaded for lack of time */
    /* the pass for one architecture, in which one process loads its warm jobs again: */
    uint16_t sm;
    const char **missed; /* of each job of the look: what went wrong with it, or NULL */
    size_t *of, n_jobs;  /* indexes of the look's jobs: modules, then inputs of the device linker */
    size_t n_modules;    /* the inputs begin here */
    size_t upto;         /* end of the range that is loaded now */
    struct jw_witness *witness; /* watches the load of the modules */
    struct jw_cache_listing before, after;
    uint64_t new_entries;           /* new entries of these modules */
    const struct jw_device *device; /* NULL: none of this architecture is here */
    atomic_bool halt;
};

/* ---- callbacks of the pool ---- */

static void on_loaded(void *ctx, size_t job, unsigned slot, const struct jw_worker_result *r)
{
    struct proving *v = ctx;

    (void)slot;
    v->look->proof.loaded += r->outcome == JW_JOB_LOADED;
    v->left += r->outcome == JW_JOB_TODO;
    if (r->outcome == JW_JOB_LOADED)
        return;
    v->missed[job] = not_loaded;
    if (r->code == JW_CUDA_JIT_COMPILATION_DISABLED)
        v->missed[job] = not_taken;
    if (r->outcome == JW_JOB_CRASHED
        || (r->outcome == JW_JOB_FAILED && compile_is_refusal(r->code)))
        v->missed[job] = refused;
    v->look->proof.failed += r->outcome != JW_JOB_TODO;
}

/* The pool calls it when the worker has loaded all jobs and still runs. */
static void on_ending(void *ctx)
{
    struct proving *v = ctx;

    if (v->witness)
        jw_witness_look(v->witness);
}

static void on_load_tick(void *ctx, const struct jw_pool_state *s)
{
    struct proving *v = ctx;
    struct jw_progress now = {.phase = JW_PHASE_VERIFY,
                              .done = v->upto - s->left,
                              .total = v->n_jobs,
                              .eta = -1,
                              .seconds = jw_time_since(v->run->began)};

    if (jw_interrupted(v->run->interrupted))
        atomic_store(&v->halt, true);
    if (v->run->progress)
        v->run->progress(v->run->ctx, &now);
}

/* ---- one pass ---- */

static void choose_jobs(struct proving *v)
{
    const struct jw_look *look = v->look;
    struct jw_arena *a = v->run->a;

    v->of = jw_arena_alloc(a, (look->n_jobs + 1) * sizeof *v->of);
    for (unsigned links = 0; links < 2; links++) { /* modules first, then inputs of the linker */
        for (size_t i = 0; i < look->n_jobs; i++)
            if (jw_job_is_warm(&look->jobs[i]) && look->jobs[i].sm == v->sm
                && look->jobs[i].place->link == (links != 0))
                v->of[v->n_jobs++] = i;
        v->n_modules = links ? v->n_modules : v->n_jobs;
    }
}

static bool load_some(struct proving *v, size_t first, size_t end, struct jw_err *err)
{
    const struct jw_scope *scope = &v->look->scope;
    struct jw_pool_report report = {0};
    struct jw_pool_options o = {.plan = {.jobs = v->look->jobs,
                                         .run = v->of + first,
                                         .n_run = end - first,
                                         .devices = v->device ? v->device : v->probe->devices,
                                         .n_devices = 1,
                                         .absent_gpus = !v->device,
                                         .as_listed = true,
                                         .memory = UINT64_MAX,
                                         .deadline_ns = v->run->deadline},
                                .n_jobs = v->look->n_jobs,
                                .timeout_ms = LOAD_MS,
                                .max_workers = 1,
                                .cache =
                                    scope->absent || v->run->session->cache ? scope->cache : NULL,
                                .worker = jw_session_worker(v->run->session),
                                .stop = &v->halt,
                                .done = on_loaded,
                                .ending = on_ending,
                                .tick = on_load_tick,
                                .ctx = v};

    o.worker.inherit = !scope->absent;
    o.worker.no_compile = v->unknown && end <= v->n_modules;
    v->upto = end;
    if (first == end)
        return true;
    return jw_pool_run(&o, &report, err)
           && (!report.why || jw_end_unopened(v->run, v->look, &report));
}

/* ---- what the driver took from the cache ---- */

/* Was the entry left as it was? A driver that cannot use it, or not all of it, writes it again. */
static bool stayed(const struct proving *v, uint64_t name)
{
    const struct jw_cache_file *was = jw_cache_file_find(&v->before, name);
    const struct jw_cache_file *is = jw_cache_file_find(&v->after, name);

    return was && is && was->mtime == is->mtime && was->size == is->size;
}

/* Did the fresh process take the entry? In a folder that cannot be listed it is opened by its name,
 * as the driver does. */
static bool is_taken(const struct proving *v, const struct jw_job *j)
{
    const struct jw_cache_file *was = jw_cache_file_find(&v->before, j->name);

    return was ? stayed(v, j->name) && !was->damage
               : jw_cache_lookup_finds(&v->look->cache, j->name, NULL);
}

/* Judges an entry that is new or was written again: another build of the driver made it, or a
 * variable changed the result. Other programs may add entries, too; below level 1 nothing shows
 * whose an entry is. */
static void count_new(struct proving *v, const struct jw_cache_file *f)
{
    const struct jw_scope *scope = &v->look->scope;
    const char *path = jw_cache_entry_path(scope->cache, f->name, v->run->a);
    struct jw_job made = {.key_size = f->entry.key_size, .sm = f->sm};
    const size_t *at = NULL; /* a module with the same options, else one with the same PTX */

    if (scope->level < JW_LEVEL_READABLE || f->damage) {
        v->new_entries++;
        return;
    }
    if (f->kind != JW_CACHE_CUDA || f->sm != v->sm
        || !jw_entry_job(v->run->a, scope, path, NULL, &made))
        return;
    for (size_t i = 0; i < v->n_jobs; i++) {
        const struct jw_job *j = &v->look->jobs[v->of[i]];

        if (memcmp(j->text, made.text, JW_DIGEST) == 0
            && (!at || memcmp(j->id, made.id, JW_DIGEST) == 0))
            at = &v->of[i];
    }
    if (at) {
        v->missed[*at] = v->missed[*at] ? v->missed[*at] : not_taken;
        v->new_entries++;
    }
}

/* Fills `missed`, and counts new entries that hold these modules. */
static void check_pass(struct proving *v)
{
    v->new_entries =
        v->after.foreign > v->before.foreign ? v->after.foreign - v->before.foreign : 0;
    for (size_t i = 0; i < v->n_jobs; i++) {
        const struct jw_job *j = &v->look->jobs[v->of[i]];

        if (!v->missed[v->of[i]] && j->name && !is_taken(v, j))
            v->missed[v->of[i]] = not_taken;
    }
    for (size_t i = 0; i < v->after.n; i++)
        if (!stayed(v, v->after.files[i].name))
            count_new(v, &v->after.files[i]);
}

/* ---- all passes ---- */

static bool list(const struct proving *v, struct jw_cache_listing *out, struct jw_err *err)
{
    return jw_cache_list(v->look->scope.cache, false, v->run->interrupted, v->run->a, out, err);
}

/* Loads the modules with a witness, then the inputs of the linker without one: the driver's linker
 * opens the compiler even for an input that is in the cache. So for inputs the entries decide.
 * driver-fact: F92-link-opens-compiler */
static bool load_all(struct proving *v, struct jw_witness_report *seen, struct jw_err *err)
{
    /* Its worker preloads nothing. */
    v->witness = jw_witness_begin(v->probe->driver.library, v->probe->compiler.path, NULL, NULL);
    bool ok = load_some(v, 0, v->n_modules, err);

    jw_witness_end(v->witness, v->run->interrupted, v->run->a, seen);
    v->witness = NULL;
    if (!v->n_modules)
        seen->why = NULL;
    return ok && load_some(v, v->n_modules, v->n_jobs, err);
}

/* Calls modules that were not found cold. If names are unknown, a new entry may belong to any
 * module. An entry that the driver refused is not used again until its file changes. */
static void note_misses(const struct proving *v)
{
    bool anyones = v->look->scope.level < JW_LEVEL_PREDICTABLE && v->new_entries;

    for (size_t i = 0; i < v->n_jobs; i++) {
        struct jw_job *j = &v->look->jobs[v->of[i]];
        const char *why = v->missed[v->of[i]];

        if (!why && !anyones)
            continue;
        const struct jw_cache_file *f = jw_cache_file_find(&v->after, j->name);

        jw_job_becomes(j, why == not_loaded || !anyones ? JW_MODULE_UNSTORED : JW_MODULE_COLD, why);
        v->look->proof.misses += !why || why == not_taken;
        if (why == refused && f)
            look_cache_refuse(v->run, v->look, f);
    }
}

static bool run_pass(struct proving *v, uint16_t sm, struct jw_err *err)
{
    struct jw_proof *proof = &v->look->proof;
    struct jw_witness_report seen = {0};
    uint64_t left = v->left;

    v->sm = sm;
    v->device = jw_probe_device(v->probe, sm);
    v->missed = jw_arena_alloc(v->run->a, (v->look->n_jobs + 1) * sizeof *v->missed);
    v->n_jobs = v->new_entries = 0;
    atomic_init(&v->halt, false);
    choose_jobs(v);
    if (!v->n_jobs)
        return true;
    bool ok = list(v, &v->before, err) && load_all(v, &seen, err) && list(v, &v->after, err);

    if (ok)
        check_pass(v);
    if (ok && v->left == left)
        note_misses(v);
    if (proof->compiled == JW_WITNESS_NOTHING || seen.answer == JW_WITNESS_COMPILED) {
        proof->compiled = seen.answer;
        proof->why = seen.answer == JW_WITNESS_COMPILED
                         ? "the driver compiled while a fresh process loaded them"
                         : seen.why;
    }
    proof->new_entries += v->new_entries;
    jw_cache_listing_free(&v->before);
    jw_cache_listing_free(&v->after);
    return ok;
}

/* ---- all ---- */

static bool prove_all(struct proving *x, struct jw_hold *hold, struct jw_err *err)
{
    struct jw_look *look = x->look;

    for (size_t i = 0; i < look->n_jobs; i++)
        if (!look->jobs[i].place->disk && !jw_hold_make_work(hold, err))
            return false;
    if (hold->work && !spool_jobs(x->run, look, hold->work, jw_job_is_warm, err))
        return false;
    for (size_t i = 0; i < look->scope.sms.n; i++)
        if (!run_pass(x, look->scope.sms.v[i], err))
            return false;
    return true;
}

/* Below level 2 a look cannot say what is warm. A run that changes nothing takes all modules for
 * warm, and loads them without compiling, where the driver can be kept from that. */
static bool take_unknown(struct jw_look *look)
{
    if (look->purpose.changes || look->cache.refusal || look->scope.level == JW_LEVEL_NONE)
        return false;
    if (!jw_look_answer(look).unknown
        || !jw_variable_heeded(JW_VAR_DISABLE_PTX_JIT, look->scope.version))
        return false;
    for (struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++)
        if (jw_job_is_todo(j))
            jw_job_becomes(j, JW_MODULE_WARM, NULL);
    return true;
}

bool jw_prove(struct jw_run *run, struct jw_look *look, struct jw_hold *hold, struct jw_err *err)
{
    struct proving x = {.run = run, .look = look, .unknown = take_unknown(look)};

    look->proof = (struct jw_proof){.compiled = JW_WITNESS_NOTHING};
    if (!jw_answer_count(look, jw_job_is_warm))
        return true;
    if (!jw_scope_ask_driver(run, look, JW_LENIENT, &x.probe, err)
        || (!run->ended && !prove_all(&x, hold, err)))
        return false;
    if (run->ended)
        return true;
    if (x.left) { /* nothing is proven, and nothing is wrong */
        look->proof.why = "there was no time to load all of it again";
        return !jw_interrupted(run->interrupted) || jw_run_done(run, JW_END_INTERRUPTED);
    }
    look->proof.done = true;
    return true;
}
