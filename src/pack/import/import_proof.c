/* Checks that need a worker process: compiles a sample again, loads entries. */
#include "pack/import/import_work.h"

#include "base/num.h"
#include "base/path.h"
#include "base/secret.h"
#include "facts/compile_time.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/memory.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum { SLOW_S = 10 }; /* a busy machine may take as much longer to compile */

/* The module of this entry in the software here. */
static const struct jw_job *job_of(const struct import *im, const struct jw_pack_entry *e)
{
    const struct scan_jobs *t = &im->ctx.software.found;

    for (size_t i = 0; i < t->n; i++)
        if (t->list[i].name == e->name && t->list[i].sm == im->manifest->sm && t->list[i].module.places->disk)
            return &t->list[i];
    return NULL;
}

static bool module_of_key(struct import *im, const char *path, const struct jw_pack_entry *e,
                          struct jw_job *t, bool *made, struct jw_err *err)
{
    struct prime_entry entry = { 0 };
    bool ok =
        prime_entry_file(path, e->key_bytes, &entry, err)
        && prime_entry_module(im->run->a, &im->ctx.driver, im->ctx.cache.work, e->name, &entry, t, made, err);

    prime_entry_free(&entry);
    return ok;
}

/* A job that compiles or loads the entry's module: from the software here, else from the key in the entry's file
 * `path`. `*can` is false if neither is possible. */
static bool make_job(struct import *im, const char *path, const struct jw_pack_entry *e, struct jw_job *out,
                     bool *can, struct jw_err *err)
{
    const struct jw_job *here = job_of(im, e);

    *can = here != NULL;
    if (here)
        *out = *here;
    else if (!module_of_key(im, path, e, out, can, err))
        return false;
    if (!*can)
        return true;
    out->sm = im->manifest->sm;
    out->predicted = true;
    out->name = e->name;
    out->key_size = e->key_bytes;
    out->seconds = SLOW_S + jw_compile_seconds(1, out->module.ptx_bytes);
    out->state = JW_JOB_WARM;
    out->entry_bytes = import_bytes(e);
    return true;
}

/*
 * ---- the audit ----
 *
 * Compiles a random sample of the entries again, in a temporary cache, and compares the bytes. The maker of the pack
 * cannot know which entries are chosen. Without a trusted key a few are always audited, for at most a minute.
 */

enum { PERCENT = 100, AUDIT_MS = 30 * 60 * 1000, NOT_COMPILED = UINT32_MAX, AUDIT_SAMPLE = 8 };

#define SAMPLE_NS ((uint64_t)60 * 1000000000)

/* An entry of the sample. */
struct drawn {
    const struct jw_pack_entry *of;
    unsigned slot;   /* the worker that compiled it; NOT_COMPILED: none */
    const char *why; /* why it could not be compiled */
    bool left;       /* not compiled in time */
};

struct auditing {
    struct import *im;
    struct jw_job *jobs;
    struct drawn *drawn; /* of each job */
    size_t n;
    const char **caches; /* a temporary cache for each worker */
    unsigned n_roots;
    atomic_bool halt;
};

static bool choose_sample(struct auditing *x, uint64_t n_new, struct jw_err *err)
{
    struct import *im = x->im;
    uint64_t left = n_new, want = im->out->sampled ? jw_min(AUDIT_SAMPLE, n_new)
                                                   : (n_new * im->o->audit + PERCENT - 1) / PERCENT;
    size_t room = (size_t)want + 1;

    x->jobs = jw_arena_alloc(im->run->a, room * sizeof *x->jobs);
    x->drawn = jw_arena_alloc(im->run->a, room * sizeof *x->drawn);
    for (size_t i = 0; i < im->out->n_entries && want && left; i++) {
        uint64_t chance;

        if (im->out->entries[i].state != JW_IMPORT_NEW)
            continue;
        if (!jw_secret_random(&chance, sizeof chance, err))
            return false;
        if (chance % left-- < want) {
            x->drawn[x->n++] = (struct drawn){ im->out->entries[i].of, .slot = NOT_COMPILED };
            want--;
        }
    }
    return true;
}

static bool make_audit_job(struct auditing *x, size_t at, bool *can, struct jw_err *err)
{
    struct jw_job *job = &x->jobs[at];

    if (!make_job(x->im, import_staged(x->im, x->drawn[at].of->name), x->drawn[at].of, job, can, err))
        return false;
    job->seconds = 0; /* each begins, until the time is up */
    return true;
}

static bool make_roots(struct auditing *x, struct jw_err *err)
{
    struct import *im = x->im;
    char name[24];

    x->n_roots = (unsigned)jw_min(im->o->threads == 1 ? 1 : (jw_cpu_count() + 1) / 2, x->n);
    x->caches = jw_arena_alloc(im->run->a, (x->n_roots + 1) * sizeof *x->caches);
    for (unsigned i = 0; i < x->n_roots; i++) {
        (void)snprintf(name, sizeof name, "audit%u", i);
        x->caches[i] = jw_path_join(im->run->a, im->ctx.cache.work, name);
        if (!jw_make_private_dir(x->caches[i], err))
            return jw_wrap(err, "%s", x->caches[i]);
    }
    return true;
}

static void on_audited(void *ctx, size_t job, unsigned slot, const struct jw_worker_result *r)
{
    struct auditing *x = ctx;
    struct drawn *d = &x->drawn[job];

    if (r->outcome == JW_JOB_LOADED)
        d->slot = slot;
    else if (r->outcome == JW_JOB_TODO && x->im->out->sampled)
        d->left = true;
    else
        d->why = r->outcome == JW_JOB_FAILED    ? "the driver rejects its source"
                 : r->outcome == JW_JOB_TIMEOUT ? "compiling its source took too long"
                 : r->outcome == JW_JOB_CRASHED ? "the driver crashes on its source"
                                                : "it could not be compiled again";
}

static void show_audit(void *ctx, const struct jw_pool_state *s)
{
    struct auditing *x = ctx;

    if (jw_interrupted(x->im->run->interrupted))
        atomic_store(&x->halt, true);
    jw_run_show(x->im->run, "compiling a sample again", x->n - s->left, x->n);
}

static uint64_t memory_budget(void)
{
    struct jw_memory m = { 0 };
    struct jw_err ignored;

    return jw_memory_look("", &m, &ignored) ? m.available / 2 + 1 : 0;
}

static bool compile_sample(struct auditing *x, struct jw_err *err)
{
    const struct prime_driver *d = &x->im->ctx.driver;
    struct jw_device device = { .sm = x->im->manifest->sm, .chosen = true };
    struct jw_pool_report report = { 0 };
    struct jw_pool_options o = {
        .plan = { .jobs = x->jobs,
                  .devices = &device,
                  .n_devices = 1,
                  .memory = memory_budget(),
                  .deadline_ns = x->im->out->sampled ? jw_time_monotonic_ns() + SAMPLE_NS : 0 },
        .n_jobs = x->n,
        .timeout_ms = AUDIT_MS,
        .max_workers = x->n_roots,
        .caches = x->caches,
        .worker = { .exe = x->im->run->session->exe, .driver = x->im->run->session->driver, .eager = true },
        .stop = &x->halt,
        .done = on_audited,
        .tick = show_audit,
        .ctx = x
    };

    for (size_t i = d->out->n_gpus; i-- > 0;)
        if (d->gpus[i].chosen && d->gpus[i].sm == x->im->manifest->sm)
            device = d->gpus[i];
    if (!jw_pool_run(&o, &report, err))
        return false;
    if (!jw_not_interrupted(x->im->run->interrupted, err))
        return false;
    return !report.why || jw_fail(err, JW_E_DRIVER, "%s", report.why);
}

static bool digest_file(const char *path, uint8_t out[JW_DIGEST], struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    bool ok = jw_file_open(&f, path, err) && jw_file_info(&f, &info, err);
    struct jw_source bytes = jw_file_source(&f, info.size);

    ok = ok && jw_digest_source(out, &bytes, err);
    jw_file_close(&f);
    return ok;
}

/* Returns why the entry failed the audit, or NULL. */
static const char *compare_drawn(const struct auditing *x, const struct drawn *d)
{
    uint8_t digest[JW_DIGEST];
    struct jw_err gone = { 0 };

    if (d->slot == NOT_COMPILED)
        return d->why;
    if (!digest_file(jw_path_join(x->im->run->a, x->caches[d->slot], jw_cache_name(d->of->name).text), digest,
                     &gone))
        return "compiling its source here makes no entry of this name";
    return memcmp(digest, d->of->digest, JW_DIGEST) == 0 ? NULL
                                                         : "compiling its source here makes other code";
}

static bool compare_sample(struct auditing *x)
{
    for (size_t i = 0; i < x->n; i++) {
        const struct drawn *d = &x->drawn[i];
        const char *why = d->left ? NULL : compare_drawn(x, d);

        if (why)
            return import_end(x->im, JW_END_REFUSED,
                              "%s: entry %s failed the audit: %s; nothing was imported", x->im->pack.name,
                              jw_cache_name(d->of->name).text, why);
        x->im->out->audited += !d->left;
    }
    return true;
}

/* Some keys do not show which call made the entry. An automatic audit skips such entries. */
static bool make_audit_jobs(struct auditing *x, struct jw_err *err)
{
    struct import *im = x->im;
    size_t kept = 0;

    for (size_t i = 0; i < x->n; i++) {
        bool can = false;

        x->drawn[kept] = x->drawn[i];
        if (!make_audit_job(x, kept, &can, err))
            return false;
        if (!can && !im->out->sampled)
            return import_end(im, JW_END_REFUSED,
                              "%s: entry %s failed the audit: its source cannot be compiled again; nothing "
                              "was imported",
                              im->pack.name, jw_cache_name(x->drawn[kept].of->name).text);
        kept += can;
    }
    x->n = kept;
    return true;
}

static bool needs_audit(struct import *im)
{
    im->out->sampled = !im->o->audit && !import_trusted(im);
    return im->o->audit || im->out->sampled;
}

bool import_audit(struct import *im, struct jw_err *err)
{
    struct auditing x = { .im = im };
    uint64_t n = im->out->counts[JW_IMPORT_NEW];

    if (!needs_audit(im) || !n)
        return true;
    if (im->ctx.driver.probe->cannot_compile)
        return import_end(im, JW_END_REFUSED, "%s: its entries cannot be compiled again and compared: %s",
                          im->pack.name, im->ctx.driver.probe->cannot_compile);
    atomic_init(&x.halt, false);
    if (!choose_sample(&x, n, err))
        return false;
    im->out->drawn = x.n;
    if (!make_audit_jobs(&x, err))
        return false;
    return im->run->ended || !x.n || (make_roots(&x, err) && compile_sample(&x, err) && compare_sample(&x));
}

/* ---- verification: fresh processes load imported entries and must compile nothing ---- */

enum { VERIFY_SAMPLE = 16 };

/* `max` of `all` entries, evenly spread. */
static bool make_verify_jobs(struct import *im, size_t all, size_t max, struct prime_proof *proof,
                             struct jw_err *err)
{
    struct jw_job *jobs = jw_arena_alloc(im->run->a, (max + 1) * sizeof *jobs);
    uint64_t *names = jw_arena_alloc(im->run->a, (max + 1) * sizeof *names);
    size_t n = 0, seen = 0, unmade = 0;

    for (size_t i = 0; i < im->out->n_entries && n + unmade < max; i++) {
        bool can = false;

        if (im->out->entries[i].state != JW_IMPORT_IMPORTED || (seen++ * max) / all < n + unmade)
            continue;
        if (!jw_not_interrupted(im->run->interrupted, err))
            return false;
        const struct jw_pack_entry *e = im->out->entries[i].of;

        if (!make_job(im, jw_path_join(im->run->a, im->ctx.cache.folder, jw_cache_name(e->name).text), e,
                      &jobs[n], &can, err))
            return false;
        names[n] = e->name;
        if (can)
            n++;
        else
            unmade++;
    }
    im->out->loaded = names;
    *proof = (struct prime_proof){ .jobs = jobs, .n_jobs = n, .ctx = &im->ctx };
    if (unmade)
        JW_NOTE(im->run, "%zu entr%s could not be verified: the key does not show which call made it", unmade,
                unmade == 1 ? "y" : "ies");
    return true;
}

/* The imported entries stay in the cache. */
static bool report_not_verified(struct import *im, const struct jw_err *why, struct jw_err *err)
{
    if (why->code == JW_E_INTERRUPTED) {
        *err = *why;
        return false;
    }
    im->out->verify = (struct jw_verify_report){ .why = jw_arena_str(im->run->a, why->msg) };
    return true;
}

bool import_verify(struct import *im, struct jw_err *err)
{
    size_t all = (size_t)im->out->counts[JW_IMPORT_IMPORTED];
    struct prime_proof proof;
    struct jw_err why = { 0 };

    if (im->o->no_verify || !all)
        return true;
    if (im->out->records) {
        im->out->verify.why = "the cache's index does not list all imported entries yet";
        return true;
    }
    if (!make_verify_jobs(im, all, jw_min(all, VERIFY_SAMPLE), &proof, &why)
        || (proof.n_jobs && !prime_prove(&proof, &im->out->verify, &why)))
        return report_not_verified(im, &why, err);
    im->out->to_verify = all;
    im->out->verify_sampled = all > VERIFY_SAMPLE;
    return true;
}
