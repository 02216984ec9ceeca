/*
 * A share of the entries is compiled once more, here, into a folder of ours, and must come out to the byte as it is in the
 * pack. Which ones is drawn by chance, so that whoever made the pack cannot know. Of a pack for which no key vouches that
 * is trusted for everything, a few are compiled again unasked, as far as a minute goes.
 */
#include "pack/import/import_work.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/secret.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/memory.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum { PERCENT = 100, CHUNK = 64 * 1024, AUDIT_MS = 30 * 60 * 1000, NOT_DRAWN = UINT32_MAX, SAMPLE = 8 };

#define SAMPLE_NS ((uint64_t)60 * 1000000000)

struct auditing {
    struct import *im;
    struct jw_pool_job *jobs;
    const struct jw_pack_entry **of; /* the entry of each */
    unsigned *slots;                 /* whose root has what came out; NOT_DRAWN: nothing did */
    const char **whys;
    size_t n, most;
    const char **roots;
    unsigned n_roots;
    atomic_bool halt;
    bool *left; /* time was up before it was done */
};

/* ---- which ---- */

/* This driver would make other code of a forged one's source: it is here because a key or the user vouches for it. */
static bool can_be_drawn(const struct jw_import_entry *e)
{
    return e->state == JW_IMPORT_NEW && e->of->made != JW_PACK_FORGED;
}

static bool draw(struct auditing *x, uint64_t n_new, struct jw_err *err)
{
    struct import *im = x->im;
    uint64_t left = n_new,
             want = im->out->sampled ? jw_min(SAMPLE, n_new) : (n_new * im->o->audit + PERCENT - 1) / PERCENT;

    x->most = (size_t)want;
    x->jobs = jw_arena_alloc(im->a, (x->most + 1) * sizeof *x->jobs);
    x->of = jw_arena_alloc(im->a, (x->most + 1) * sizeof *x->of);
    x->slots = jw_arena_alloc(im->a, (x->most + 1) * sizeof *x->slots);
    x->whys = jw_arena_alloc(im->a, (x->most + 1) * sizeof *x->whys);
    x->left = jw_arena_alloc(im->a, x->most + 1);
    for (size_t i = 0; i < im->out->n_entries && want && left; i++) {
        uint64_t chance;

        if (!can_be_drawn(&im->out->entries[i]))
            continue;
        if (!jw_secret_random(&chance, sizeof chance, err))
            return false;
        if (chance % left-- < want) {
            x->of[x->n++] = im->out->entries[i].of;
            want--;
        }
    }
    return true;
}

/* ---- the work ---- */

static bool make_job(struct auditing *x, size_t at, bool *can, struct jw_err *err)
{
    struct jw_job job;
    struct jw_pool_job *out = &x->jobs[at];

    if (!import_module(x->im, x->im->staged, x->of[at], &job, can, err))
        return false;
    if (!*can)
        return true;
    *out = (struct jw_pool_job){ .what = { .path = job.places->disk,
                                           .at = job.places->at,
                                           .size = job.places->size,
                                           .text = job.places->text },
                                 .ptx_bytes = job.ptx_bytes,
                                 .timeout_ms = AUDIT_MS };
    memcpy(out->what.digest, job.places->digest, sizeof out->what.digest);
    x->slots[at] = NOT_DRAWN;
    return true;
}

static bool make_roots(struct auditing *x, struct jw_err *err)
{
    struct import *im = x->im;
    char name[24];

    x->n_roots = (unsigned)jw_min(im->o->threads == 1 ? 1 : (jw_cpu_count() + 1) / 2, x->n);
    x->roots = jw_arena_alloc(im->a, (x->n_roots + 1) * sizeof *x->roots);
    for (unsigned i = 0; i < x->n_roots; i++) {
        (void)snprintf(name, sizeof name, "audit%u", i);
        x->roots[i] = jw_path_join(im->a, im->p.work, name);
        if (!jw_make_private_dir(x->roots[i], err))
            return jw_wrap(err, "%s", x->roots[i]);
    }
    return true;
}

static void on_done(void *ctx, const struct jw_pool_result *r)
{
    struct auditing *x = ctx;

    if (r->outcome == JW_POOL_DONE)
        x->slots[r->job] = r->slot;
    else if (r->outcome == JW_POOL_LEFT && x->im->out->sampled)
        x->left[r->job] = true;
    else
        x->whys[r->job] = r->outcome == JW_POOL_REFUSED   ? "the driver refuses its source"
                          : r->outcome == JW_POOL_TIMEOUT ? "the driver did not finish its source in time"
                          : r->outcome == JW_POOL_CRASHED ? "the driver crashes on its source"
                                                          : "it could not be compiled again";
}

static void on_tick(void *ctx, const struct jw_pool_state *s)
{
    struct auditing *x = ctx;

    if (prime_interrupted(&x->im->p))
        atomic_store(&x->halt, true);
    import_notify(x->im, "compiling a sample again", x->n - s->left, x->n);
}

static uint64_t memory_budget(void)
{
    struct jw_memory m = { 0 };
    struct jw_err ignored;

    return jw_memory_look("", &m, &ignored) ? m.available / 2 + 1 : 0;
}

static bool compile(struct auditing *x, struct jw_err *err)
{
    struct prime *p = &x->im->p;
    struct jw_pool_device device = { 0 };
    struct jw_pool_report report = { 0 };
    struct jw_pool_options o = { .jobs = x->jobs,
                                 .n_jobs = x->n,
                                 .devices = &device,
                                 .n_devices = 1,
                                 .max_workers = x->n_roots,
                                 .memory = memory_budget(),
                                 .roots = x->roots,
                                 .worker = { .exe = p->o->exe, .driver = p->o->driver, .eager = true },
                                 .stop = &x->halt,
                                 .deadline_ns = x->im->out->sampled ? jw_time_monotonic_ns() + SAMPLE_NS : 0,
                                 .done = on_done,
                                 .tick = on_tick,
                                 .ctx = x };

    for (size_t i = p->out->n_gpus; i-- > 0;)
        if (p->gpus[i].chosen && p->gpus[i].sm == x->im->manifest->sm)
            device = (struct jw_pool_device){ .uuid = *p->gpus[i].uuid ? p->gpus[i].uuid : NULL,
                                              .index = p->gpus[i].index,
                                              .exclusive = p->gpus[i].exclusive,
                                              .memory = p->gpus[i].memory };
    if (!jw_pool_run(&o, &report, err))
        return false;
    if (prime_interrupted(p))
        return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    return !report.why || jw_fail(err, JW_E_DRIVER, "%s", report.why);
}

/* ---- what came out ---- */

static bool digest_file(const char *path, uint8_t out[JW_DIGEST], struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_digest_state state;
    uint8_t *chunk = jw_alloc(CHUNK);
    uint64_t at = 0;
    size_t got = 1;
    bool ok = jw_file_open(&f, path, err);

    jw_digest_init(&state);
    for (; ok && got; at += got) {
        got = 0;
        ok = jw_file_read(&f, at, chunk, CHUNK, &got, err);
        jw_digest_update(&state, chunk, ok ? got : 0);
    }
    jw_digest_final(&state, out);
    jw_file_close(&f);
    jw_free(chunk);
    return ok;
}

static void compare(const struct auditing *x, size_t at, const char **why)
{
    uint8_t digest[JW_DIGEST];
    struct jw_err gone = { 0 };
    const char *path;

    *why = x->whys[at];
    if (x->slots[at] == NOT_DRAWN)
        return;
    path = jw_path_join(x->im->a, x->roots[x->slots[at]], jw_cache_name(x->of[at]->name).text);
    if (!digest_file(path, digest, &gone))
        *why = "the driver keeps nothing under this name when it compiles its source";
    else if (memcmp(digest, x->of[at]->digest, JW_DIGEST) != 0)
        *why = "this driver makes something else of its source";
}

static bool compare_all(struct auditing *x)
{
    for (size_t i = 0; i < x->n; i++) {
        const char *why;

        if (x->left[i])
            continue;
        compare(x, i, &why);
        if (why)
            return import_end(x->im, JW_END_REFUSED,
                              "%s: entry %s does not stand the audit: %s; nothing was imported",
                              x->im->pack.name, jw_cache_name(x->of[i]->name).text, why);
        x->im->out->audited++;
    }
    return true;
}

/* Entries that cannot be made again from their own key, as the call that made them is not known, are no fault of a sample. */
static bool make_jobs(struct auditing *x, struct jw_err *err)
{
    struct import *im = x->im;
    size_t kept = 0;

    for (size_t i = 0; i < x->n; i++) {
        bool can = false;

        x->of[kept] = x->of[i];
        if (!make_job(x, kept, &can, err))
            return false;
        if (!can && !im->out->sampled)
            return import_end(im, JW_END_REFUSED,
                              "%s: entry %s does not stand the audit: it cannot be made again from its "
                              "source; nothing was imported",
                              im->pack.name, jw_cache_name(x->of[kept]->name).text);
        kept += can;
    }
    x->n = kept;
    return true;
}

/* By a key that is trusted for everything somebody vouches for the code, as the user has decided. */
static bool is_asked(struct import *im)
{
    bool vouched = import_vouched(im);

    im->out->sampled = !im->o->audit && !im->o->no_audit && !vouched;
    return (im->o->audit || im->out->sampled) && im->out->counts[JW_IMPORT_NEW];
}

bool import_audit(struct import *im, struct jw_err *err)
{
    struct auditing x = { .im = im };
    uint64_t n = 0;

    for (size_t i = 0; i < im->out->n_entries; i++)
        n += can_be_drawn(&im->out->entries[i]);
    if (!is_asked(im))
        return true;
    if (n < im->out->counts[JW_IMPORT_NEW])
        prime_note(&im->p,
                   "entries of another compiler cannot be audited: this driver makes other code of their "
                   "sources");
    if (!n)
        return true;
    atomic_init(&x.halt, false);
    if (!draw(&x, n, err))
        return false;
    im->out->drawn = x.n;
    if (!make_jobs(&x, err))
        return false;
    return im->ended || !x.n || (make_roots(&x, err) && compile(&x, err) && compare_all(&x));
}
