/* Verifies: fresh processes with the settings of this user's programs load all modules again, and no entry may appear
 * in the cache. */
#include "driver/witness/witness.h"
#include "prime/commands/command.h"
#include "prime/prime_pass.h"

#include "base/path.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "machine/settings.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum { MAX_MISSES = 1 << 16, LOAD_MS = 30 * 60 * 1000 };

/* ---- the pool's side ---- */

static void on_loaded(void *ctx, size_t job, unsigned slot, const struct jw_worker_result *r)
{
    struct pass *v = ctx;

    (void)slot;
    v->load_ms[job] = r->milliseconds;
    if (r->outcome == JW_JOB_LOADED)
        return;
    v->failed[job] = true;
    v->n_left += r->outcome == JW_JOB_TODO;
    v->n_failed += r->outcome != JW_JOB_TODO;
}

static void on_load_tick(void *ctx, const struct jw_pool_state *s)
{
    struct pass *v = ctx;
    struct jw_prime_progress what = { .phase = JW_PHASE_VERIFY,
                                      .at = v->where,
                                      .done = v->upto - s->left,
                                      .total = v->n_jobs,
                                      .eta = -1,
                                      .seconds = (double)(jw_time_monotonic_ns() - v->run->began) / 1e9 };

    if (jw_interrupted(v->run->interrupted))
        atomic_store(&v->halt, true);
    prime_write_status(&v->proof->ctx->cache, &what);
    prime_show_progress(v->run, &what);
}

static bool is_for_hidden(const struct prime_proof *w, uint16_t sm)
{
    const struct prime_driver *d = &w->ctx->driver;

    for (size_t i = d->out->n_gpus - d->n_hidden; i < d->out->n_gpus; i++)
        if (d->gpus[i].sm == sm)
            return true;
    return false;
}

static void choose_jobs(struct pass *v)
{
    const struct prime_proof *w = v->proof;
    struct jw_arena *a = v->run->a;
    size_t n = w->n_jobs + 1;

    v->of = jw_arena_alloc(a, n * sizeof *v->of);
    v->failed = jw_arena_alloc(a, n);
    v->load_ms = jw_arena_alloc(a, n * sizeof *v->load_ms);
    v->causes = jw_arena_alloc(a, n * sizeof *v->causes);
    for (unsigned links = 0; links < 2; links++) { /* modules first */
        for (size_t i = 0; i < w->n_jobs; i++)
            if (jw_job_is_warm(&w->jobs[i]) && !is_for_hidden(w, w->jobs[i].sm)
                && w->jobs[i].module.places->disk && w->jobs[i].module.places->link == (links != 0))
                v->of[v->n_jobs++] = i;
        v->n_modules = links ? v->n_modules : v->n_jobs;
    }
}

/* ---- one pass ---- */

static bool load_some(struct pass *v, size_t first, size_t end, const struct jw_child_edit *edits,
                      size_t n_edits, struct jw_err *err)
{
    const struct prime_driver *d = &v->proof->ctx->driver;
    struct jw_device devices[JW_MAX_SMS]; /* the first of each architecture */
    struct jw_pool_report report = { 0 };
    struct jw_pool_options o = { .plan = { .jobs = v->proof->jobs,
                                           .run = v->of + first,
                                           .n_run = end - first,
                                           .devices = devices,
                                           .absent_gpus = d->absent_gpus,
                                           .as_listed = true,
                                           .memory = UINT64_MAX,
                                           .recycle_jobs = UINT32_MAX,
                                           .deadline_ns = v->run->deadline },
                                 .n_jobs = v->proof->n_jobs,
                                 .timeout_ms = v->proof->timeout_ms ? v->proof->timeout_ms : LOAD_MS,
                                 .max_workers = 1,
                                 .worker = { .exe = v->run->session->exe,
                                             .driver = v->run->session->driver,
                                             .eager = true,
                                             .inherit = true,
                                             .edits = edits,
                                             .n_edits = n_edits },
                                 .stop = &v->halt,
                                 .done = on_loaded,
                                 .tick = on_load_tick,
                                 .ctx = v };

    for (size_t k = 0; k < (d->absent_gpus ? 1 : d->n_sms); k++)
        for (size_t i = 0; i < d->out->n_gpus; i++)
            if (d->gpus[i].chosen && !d->gpus[i].hidden && (d->absent_gpus || d->gpus[i].sm == d->sms[k])) {
                devices[o.plan.n_devices++] = d->gpus[i];
                break;
            }
    v->upto = end;
    if (first == end)
        return true;
    return jw_pool_run(&o, &report, err) && (!report.why || jw_fail(err, JW_E_DRIVER, "%s", report.why));
}

/* The results of all passes. */
struct proving {
    struct jw_run *run;
    const struct prime_proof *proof;
    struct jw_verify_pass *passes;
    size_t n_passes;
    struct jw_verify_miss *misses;
    size_t n_misses;
    struct pass_links links;
    uint64_t left; /* modules skipped because time was up */
    bool login_differs;
};

static bool add_miss(struct proving *x, size_t job, size_t pass, const char *why, struct jw_err *err)
{
    struct jw_verify_miss *m = jw_list_add(x->run->a, &x->misses, &x->n_misses, sizeof *m, MAX_MISSES, err);

    if (m)
        *m = (struct jw_verify_miss){ .job = job, .pass = pass, .cause = why };
    return m != NULL;
}

static bool note_misses(struct proving *x, const struct pass *v, struct jw_verify_pass *out,
                        struct jw_err *err)
{
    for (size_t i = 0; i < v->n_jobs; i++) {
        const char *why = v->causes[v->of[i]];

        if (v->failed[v->of[i]]) {
            if (x->proof->unloaded)
                x->proof->unloaded[v->of[i]] = true;
            continue;
        }
        out->hits += why == NULL;
        out->misses += why != NULL;
        if (why && !add_miss(x, v->of[i], x->n_passes - 1, why, err))
            return false;
    }
    return true;
}

/* If names are unknown, each new file is a miss. */
static void count_by_files(const struct prime_driver *d, struct jw_verify_pass *out)
{
    if (d->probe->state.level >= JW_LEVEL_PREDICTABLE)
        return;

    uint64_t all = out->hits + out->misses;

    if (out->misses < out->new_entries)
        out->misses = out->new_entries < all ? out->new_entries : all;
    out->hits = all - out->misses;
}

/* Counts entries of these modules that are other files now. */
static uint64_t count_rewritten(const struct pass *v)
{
    uint64_t n = 0;

    for (size_t i = 0; i < v->n_jobs; i++) {
        uint64_t name = v->proof->jobs[v->of[i]].name;
        const struct jw_cache_file *was = name ? jw_cache_file_find(&v->before, name) : NULL,
                                   *is = was ? jw_cache_file_find(&v->after, name) : NULL;

        n += is && (is->mtime != was->mtime || is->size != was->size);
    }
    return n;
}

static bool list(const struct proving *x, struct jw_cache_listing *out, struct jw_err *err)
{
    return jw_cachedir_walk(x->proof->ctx->cache.folder, false, x->run->interrupted, x->run->a, out, err);
}

/* Loads modules with a witness, and then inputs of the linker. The driver's linker opens the compiler even for an input
 * that is in the cache, so for inputs entries and times decide. driver-fact: F92-link-opens-compiler */
static bool load_all(struct proving *x, struct pass *v, const struct jw_child_edit *edits, size_t n_edits,
                     struct jw_witness_report *seen, struct jw_err *err)
{
    const struct jw_probe_report *driver = x->proof->ctx->driver.probe;
    struct jw_witness *w = jw_witness_begin(
        &(struct jw_witness_ask){ .library = driver->driver.library, .compiler = driver->compiler.path });
    bool ok = load_some(v, 0, v->n_modules, edits, n_edits, err);

    if (w)
        jw_witness_end(w, NULL, x->run->a, seen);
    return ok && load_some(v, v->n_modules, v->n_jobs, edits, n_edits, err)
           && (x->n_passes > 1 || pass_time_links(v, edits, n_edits, &x->links, err));
}

static bool run_pass(struct proving *x, const char *where, const struct jw_child_edit *edits, size_t n_edits,
                     struct jw_err *err)
{
    struct pass v = { .run = x->run, .proof = x->proof, .where = where };
    struct jw_verify_pass *out = &x->passes[x->n_passes++];
    uint64_t began = jw_time_monotonic_ns();

    struct jw_witness_report seen = { 0 };

    atomic_init(&v.halt, false);
    choose_jobs(&v);
    bool ok =
        list(x, &v.before, err) && load_all(x, &v, edits, n_edits, &seen, err) && list(x, &v.after, err);

    *out = (struct jw_verify_pass){ .where = where,
                                    .compiled = seen.answer,
                                    .loaded = v.n_jobs - v.n_failed - v.n_left,
                                    .inputs = v.n_jobs - v.n_modules,
                                    .failed = v.n_failed,
                                    .milliseconds = (unsigned)((jw_time_monotonic_ns() - began) / 1000000) };
    v.compiled_nothing = seen.answer == JW_WITNESS_NOTHING;
    ok = ok && pass_check(&v, &out->new_entries, err) && note_misses(x, &v, out, err);
    out->stored = out->new_entries + count_rewritten(&v);
    if (ok)
        count_by_files(&x->proof->ctx->driver, out);
    x->left += v.n_left;
    jw_cache_listing_free(&v.before);
    jw_cache_listing_free(&v.after);
    return ok;
}

/* ---- the environments ---- */

/* Makes edits of the differences of a fresh login. Skips variables in which an interactive shell agrees with this
 * process, and those that choose the GPUs: the modules for each kind are loaded on one of that kind
 * (prime_take_login_gpus). */
static size_t login_edits(const struct prime_proof *w, struct jw_child_edit *edits, size_t max)
{
    size_t n = 0;

    for (size_t i = 0; i < w->ctx->login.n && n < max; i++) {
        const struct jw_env_difference *d = &w->ctx->login.v[i];

        if (!d->terminal_agrees && !jw_setting_is_of_gpus(d->name)
            && !(w->ctx->cache.tuned && strcmp(d->name, "CUDA_CACHE_MAXSIZE") == 0))
            edits[n++] = (struct jw_child_edit){ d->name, d->login };
    }
    return n;
}

static const char *why_cold(const struct prime_proof *w, const struct jw_job *j, struct jw_arena *a)
{
    const struct jw_cache_file *f = j->name ? jw_cache_file_find(&w->ctx->cache.listing, j->name) : NULL;

    if (!f)
        return j->hopeless ? jw_arena_printf(a, "this driver could not compile it before: %s", j->hopeless)
               : j->state == JW_JOB_HIDDEN  ? jw_arena_printf(a, "not in the cache: %s", j->why)
               : j->state == JW_JOB_NO_ROOM ? "not in the cache, which has no room for it"
                                            : "not in the cache";
    if (f->damage)
        return f->unread ? jw_arena_printf(a, "its entry in the cache cannot be read: %s", f->damage)
                         : "damaged in the cache";
    if (w->ctx->cache.listing.index_trouble == JW_INDEX_HIDES)
        return "in the cache, but its index is damaged and hides it";
    return f->indexed ? "the cache has another module under this name" : "in the cache, but not in its index";
}

/* Notes missing modules as misses: they were not loaded, because the driver would compile them. */
static bool note_cold(struct proving *x, struct jw_err *err)
{
    const struct prime_proof *w = x->proof;

    for (size_t i = 0; w->cold && i < w->n_jobs; i++) {
        if (jw_job_is_warm(&w->jobs[i]))
            continue;
        x->passes[0].misses++;
        if (!add_miss(x, i, 0, why_cold(w, &w->jobs[i], x->run->a), err))
            return false;
    }
    return true;
}

enum { MAX_EDITS = 16, PASSES = 2 };

/* Loads the modules as a fresh login would. If the login finds no driver, its programs compile nothing, and there is
 * nothing to verify. */
static bool run_login_pass(struct proving *x, const struct jw_child_edit *edits, size_t n, struct jw_err *err)
{
    bool other_libraries = false;
    uint64_t left = x->left;

    x->login_differs = true;
    if (run_pass(x, "a fresh login", edits, n, err))
        return true;
    for (size_t i = 0; i < n; i++)
        other_libraries |= strcmp(edits[i].name, "LD_LIBRARY_PATH") == 0;
    if (err->code != JW_E_DRIVER || !other_libraries)
        return false;
    x->n_passes--;
    x->left = left;
    JW_NOTE(x->run, "a fresh login cannot use the driver, so only this environment was verified: %s",
            err->msg);
    return true;
}

/* Loads the modules in this environment, and in that of a fresh login if it differs. */
static bool run_passes(struct proving *x, struct jw_err *err)
{
    const struct prime_cache *c = &x->proof->ctx->cache;
    struct jw_child_edit edits[MAX_EDITS];
    char limit[24];
    size_t n = 0;

    if (c->tuned) { /* the limit that programs will have */
        (void)snprintf(limit, sizeof limit, "%llu", (unsigned long long)c->tuned);
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_MAXSIZE", limit };
    }
    if (c->asked) {
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_PATH", c->folder };
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_DISABLE", "0" };
    }
    if (!run_pass(x, "this environment", edits, n, err))
        return false;
    x->login_differs = prime_login_differs(&x->proof->ctx->login);
    n = c->asked || x->login_differs ? 0 : login_edits(x->proof, edits, MAX_EDITS);
    if (!n)
        return true;
    if (c->tuned && n < MAX_EDITS)
        edits[n++] = (struct jw_child_edit){ "CUDA_CACHE_MAXSIZE", limit };
    return run_login_pass(x, edits, n, err);
}

bool prime_prove(const struct prime_proof *proof, struct jw_verify_report *out, struct jw_err *err)
{
    struct jw_run *run = proof->ctx->run;
    struct proving x = { .run = run,
                         .proof = proof,
                         .passes = jw_arena_alloc(run->a, PASSES * sizeof *x.passes) };

    if (!run_passes(&x, err) || !note_cold(&x, err))
        return false;
    if (x.left) { /* nothing is proven, and nothing is wrong */
        *out = (struct jw_verify_report){ .why = "there was no time to load all of it again" };
        if (jw_interrupted(run->interrupted))
            return jw_run_end(run, JW_END_INTERRUPTED, "%s", "");
        return jw_run_end(run, JW_END_TIME, "the time limit was over before all was verified");
    }
    *out = (struct jw_verify_report){ .done = true,
                                      .passes = x.passes,
                                      .n_passes = x.n_passes,
                                      .misses = x.misses,
                                      .n_misses = x.n_misses,
                                      .links = x.links.v,
                                      .n_links = x.links.n };
    return true;
}

/* ---- prime's own verification ---- */

const char *prime_entry_damage(const struct prime *p, uint64_t name)
{
    const char *path = jw_path_join(p->run->a, p->ctx.cache.folder, jw_cache_name(name).text);
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    struct jw_cache_entry entry;
    struct jw_err why = { 0 };

    if (jw_file_open(&f, path, &why) && jw_file_info(&f, &info, &why)) {
        struct jw_source all = jw_file_source(&f, info.size);

        if (jw_cache_entry_check(&all, name, &entry, &why))
            why.code = JW_OK;
    }
    jw_file_close(&f);
    static const char before[] = "cache entry: ";
    const char *words = why.msg + (jw_text_starts(why.msg, before) ? sizeof before - 1 : 0);

    return why.code == JW_E_FORMAT ? jw_arena_str(p->run->a, words) : NULL;
}

/* The driver does not look at what an entry holds. It fails on one without machine code each time, until the entry is
 * removed. driver-fact: F34-payload-unchecked */
static void check_unloaded(struct prime *p, const bool *unloaded)
{
    for (size_t i = 0; i < p->plan.n_jobs; i++) {
        struct jw_job *j = &p->plan.jobs[i];
        const char *damage = unloaded[i] && j->name ? prime_entry_damage(p, j->name) : NULL;

        if (!damage && !(unloaded[i] && p->o->verify_only))
            continue;
        j->state = JW_JOB_FAILED;
        j->why = "a fresh process could not load it";
        if (!damage)
            continue;
        p->damaged++;
        j->why = jw_arena_printf(p->run->a, "its entry in the cache, %s, is damaged (%s)",
                                 jw_cache_name(j->name).text, damage);
    }
    if (p->damaged)
        prime_advise(p, "jitwarm prune --damaged --yes%s   # then prime compiles %s again",
                     prime_cache_option(p), p->damaged == 1 ? "it" : "them");
}

/* Advises, after verify, the command that helps if prime would find no room. */
static void advise_settings(struct prime *p)
{
    bool disk;

    if (!prime_check_room(p, &disk))
        prime_advise_overfull(p);
}

bool jw_is_verified(const struct jw_verify_report *v)
{
    for (size_t i = 0; i < v->n_passes; i++)
        if (!jw_verify_pass_succeeded(&v->passes[i]))
            return false;
    return v->done && v->n_passes && v->passes[0].loaded && !v->n_misses;
}

static bool did_something(const struct prime *p)
{
    return p->plan.n_todo || (p->o->verify_only && p->plan.n_jobs);
}

const struct jw_link_time *jw_failing_link(const struct jw_verify_report *v)
{
    for (size_t i = 0; i < v->n_links; i++)
        if (v->links[i].fails)
            return &v->links[i];
    return NULL;
}

/* Ends the run by the proof. A link that fails compiles nothing at the next start, but the run does not end well. */
static bool check_proof(struct prime *p, struct jw_err *err)
{
    const uint32_t done = p->o->verify_only ? 0 : JW_BUT(JW_BY_PIECES), /* a prime did what it can */
        apart = JW_BUT(JW_BY_LIMIT) | JW_BUT(JW_BY_COMMANDS) | JW_BUT(JW_BY_LOSS) | JW_BUT(JW_BY_IMPORT)
                | JW_BUT(JW_BY_LOGIN); /* no receipt answers for them */
    const bool links = !jw_failing_link(&p->out->verify);
    struct jw_next_start_facts f;

    if (p->run->ended)
        return true;
    if (!prime_facts(p, &f, err))
        return false;
    prime_advise_recorded(p);
    p->run->end = !links || !jw_next_start_is_warm_but(&f, done) ? JW_END_PARTLY
                  : did_something(p)                             ? JW_END_DONE
                                                                 : JW_END_NOTHING;
    p->proven = links && jw_next_start_is_warm_but(&f, done | apart);
    return true;
}

/* Lists the recorded starts in the report: another start may load other modules, by its words and the files
 * that it finds. */
static void find_starts(struct prime *p)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    struct jw_prime_starts *out = &p->out->starts;

    for (size_t i = 0; p->o->verify_only && !p->o->paths.n && i < memory->n_commands; i++) {
        const struct jw_warm_command *one = &memory->commands[i];

        if (!one->n || (p->o->profile && strcmp(p->o->profile, one->key) != 0))
            continue;
        out->n++;
        out->last = one->recorded > out->last ? one->recorded : out->last;
    }
    out->alone = out->n && !p->out->files;
    const char *folder, *command = out->n ? prime_recorded_start(memory, &folder) : NULL;

    if (command && !p->recorded.again && jw_is_verified(&p->out->verify))
        out->command = prime_note_program(p, command, folder);
}

/* Returns how many modules are in the cache for GPUs that this environment hides, where no process may load them. */
static size_t note_hidden(struct prime *p)
{
    const struct prime_driver *d = &p->ctx.driver;
    size_t all = 0;

    for (size_t k = d->out->n_gpus - d->n_hidden; k < d->out->n_gpus; k++) {
        size_t n = 0;

        for (size_t i = 0; i < p->plan.n_jobs; i++)
            n += jw_job_is_warm(&p->plan.jobs[i]) && p->plan.jobs[i].sm == d->gpus[k].sm;
        if (n)
            prime_note(
                p, "%.100s (sm_%u) is hidden here, and left alone: its %s in the cache, and %s not loaded",
                d->gpus[k].name, (unsigned)d->gpus[k].sm, JW_N(n, "module is", "modules are"),
                n == 1 ? "was" : "were");
        all += n;
    }
    return all;
}

/* Notes entries that appeared while verify ran. verify loads only what is warm and should store nothing; but an entry
 * may go away before it is loaded, and a driver whose names are not known, or a setting that changes the result, makes
 * others. */
static void note_stored(struct prime *p)
{
    const struct jw_verify_report *v = &p->out->verify;
    uint64_t n = 0;

    for (size_t i = 0; i < v->n_passes; i++)
        n += v->passes[i].stored;
    if (p->o->verify_only && n)
        prime_note(p, "the driver stored %s while verify loaded the modules: it did not find %s in the cache",
                   JW_N(n, "entry", "entries"), n == 1 ? "it" : "them");
}

bool prime_verify(struct prime *p, struct jw_err *err)
{
    struct prime_proof proof = { .jobs = p->plan.jobs,
                                 .n_jobs = p->plan.n_jobs,
                                 .of_command = &p->of_command,
                                 .ctx = &p->ctx,
                                 .timeout_ms = prime_timeout_ms(p),
                                 .cold = p->o->verify_only,
                                 .unloaded = jw_arena_alloc(p->run->a, p->plan.n_jobs + 1) };

    size_t hidden = note_hidden(p);

    p->all_hidden = hidden && hidden == p->plan.n_jobs;
    if (p->all_hidden)
        p->out->verify.why = "the GPU that it is for is hidden here";
    else if (p->plan.n_jobs && !prime_prove(&proof, &p->out->verify, err))
        return false;
    if (p->out->verify.done)
        check_unloaded(p, proof.unloaded);
    note_stored(p);
    find_starts(p);
    if (p->o->verify_only)
        advise_settings(p);
    if (p->ctx.login.start.is == JW_LOGIN_OTHER_CACHE)
        p->out->obstacle = p->ctx.login.start.what;
    return check_proof(p, err);
}

/* ---- in the report ---- */

#define V struct jw_verify_report
#define P struct jw_verify_pass
#define M struct jw_verify_miss
#define L struct jw_link_time

const struct jw_row prime_pass_rows[] = {
    { JW_ROW("where", P, where) },
    { JW_ROW("loaded", P, loaded) },
    { JW_ROW("inputs", P, inputs), JW_ABOUT("of the device linker; the others are modules") },
    { JW_ROW("hits", P, hits) },
    { JW_ROW("misses", P, misses) },
    { JW_ROW("failed", P, failed), JW_ABOUT("could not be loaded at all") },
    { JW_ROW("new_entries", P, new_entries), JW_ABOUT("that appeared meanwhile") },
    { JW_NAMED("compiled", P, compiled, jw_witness_answer_names),
      JW_ABOUT("what was seen of the driver's compiler; unknown: nothing, the files alone decide") },
    { JW_ROW("milliseconds", P, milliseconds) },
    { 0 },
};

static const struct jw_row misses[] = {
    { JW_ROW("job", M, job), JW_ABOUT("index into jobs") },
    { JW_ROW("pass", M, pass), JW_ABOUT("index into passes") },
    { JW_ROW("cause", M, cause), JW_NULLABLE },
    { 0 },
};

static const struct jw_row links[] = {
    { JW_ROW("path", L, path) },
    { JW_SPELT("gpu", L, sm, &jw_spell_sm) },
    { JW_ROW("inputs", L, inputs) },
    { JW_ROW("milliseconds", L, milliseconds), JW_NULLABLE,
      JW_ABOUT("of the link alone; null: it was not measured") },
    { JW_ROW("why", L, why), JW_NULLABLE, JW_ABOUT("why it was not measured") },
    { JW_ROW("fails", L, fails),
      JW_ABOUT("the driver cannot make it: programs of this file fail at their start") },
    { 0 },
};

const struct jw_row prime_verify_rows[] = {
    { JW_ROW("why", V, why), JW_NULLABLE, JW_ABOUT("why it could not be done") },
    { JW_LIST("passes", V, passes, n_passes, prime_pass_rows) },
    { JW_LIST("misses", V, misses, n_misses, misses) },
    { JW_LIST("links", V, links, n_links, links),
      JW_ABOUT("that programs make at each start, of inputs that are in the cache") },
    { 0 },
};
