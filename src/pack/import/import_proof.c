/* Entries as work for a worker: forged code is tried, a share is compiled again, what was published is loaded again. */
#include "pack/import/import_work.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/secret.h"
#include "driver/probe/forge.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/memory.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

/* How long it would take to compile is not known; a busy machine that loads slowly is not taken for one that compiles. */
enum { SLOW_S = 10, BYTES_PER_S = 1100000 };

/* Of the software here: the very bytes that its programs will hand to the driver. */
static const struct target *target_of(const struct import *im, const struct jw_pack_entry *e)
{
    const struct targets *t = &im->p.found;

    for (size_t i = 0; i < t->n; i++)
        if (t->list[i].key.name == e->name && t->list[i].sm == im->manifest->sm && t->list[i].place.disk)
            return &t->list[i];
    return NULL;
}

static bool make_again(struct import *im, const char *root, const struct jw_pack_entry *e, struct target *t,
                       bool *made, struct jw_err *err)
{
    struct jw_cache_file f = { .name = e->name, .entry = { .key_size = e->key_bytes } };
    struct prime_entry entry = { 0 };
    bool ok = prime_entry_read(&im->p, root, &f, &entry, err)
              && prime_entry_module(&im->p, e->name, &entry, t, made, err);

    prime_entry_free(&entry);
    return ok;
}

/* A job for a worker: the module of this entry, out of the software here, else made again from the entry's own key, which
 * lies below `root`. `*can` false: neither is possible. */
static bool make_job(struct import *im, const char *root, const struct jw_pack_entry *e, struct jw_job *out,
                     bool *can, struct jw_err *err)
{
    const struct target *here = target_of(im, e);
    struct target t = { 0 };
    struct jw_job_place *place = jw_arena_alloc(im->a, sizeof *place);

    *can = here != NULL;
    if (here)
        t = *here;
    else if (!make_again(im, root, e, &t, can, err))
        return false;
    *place = t.place;
    *out = (struct jw_job){ .sm = im->manifest->sm,
                            .options = t.options,
                            .kernel = t.kernel,
                            .ptx_bytes = t.ptx_bytes,
                            .predicted = true,
                            .name = e->name,
                            .key_size = e->key_bytes,
                            .places = place,
                            .n_places = 1,
                            .seconds = SLOW_S + (double)t.ptx_bytes / BYTES_PER_S,
                            .state = JW_JOB_WARM,
                            .entry_bytes = import_bytes(e) };
    memcpy(out->id, t.key.id, sizeof out->id);
    memcpy(out->target, t.from, sizeof out->target);
    return true;
}

/*
 * ---- forged ----
 *
 * Entries that no driver made: code of a toolkit's compiler, under keys that this driver looks for. It could not tell
 * them from its own, so nothing of them comes near the cache before this build of it was seen to run that compiler's
 * code rightly, on this machine: by the canary of the pack itself, or by one of the same compiler before.
 */

static bool is_new_forged(const struct jw_import_entry *e)
{
    return e->state == JW_IMPORT_NEW && e->of->made == JW_PACK_FORGED;
}

static const struct jw_pack_entry *find_canary(const struct import *im, uint64_t name)
{
    for (size_t i = 0; i < im->manifest->n_entries; i++)
        if (im->manifest->entries[i].name == name && im->manifest->entries[i].made == JW_PACK_FORGED)
            return &im->manifest->entries[i];
    return NULL;
}

static bool has_forged(const struct import *im)
{
    for (size_t i = 0; i < im->manifest->n_entries; i++)
        if (im->manifest->entries[i].made == JW_PACK_FORGED)
            return true;
    return false;
}

/* No audit can find out what such code is, so that somebody has to vouch for it, or to believe it. */
static const char not_comparable[] =
    "this driver makes other code of its source, and no key that is trusted for everything signed the pack";

/* What speaks against them before anything is tried; NULL: nothing does. */
static const char *objection(const struct import *im)
{
    if (!im->o->forged)
        return "they are taken by jitwarm import alone, and never by themselves";
    if (!im->forged_by)
        return "the pack does not say which compiler made them";
    if (!im->forged_known && !im->canary)
        return "the pack has no test kernel of that compiler, and none was proven here before";
    return im->o->no_audit || import_vouched(im) ? NULL : not_comparable;
}

bool import_look_forged(struct import *im, struct jw_err *err)
{
    const struct jw_pack_manifest *m = im->manifest;
    struct jw_buf key = JW_BUF(0);
    char by[200];
    uint64_t name;

    if (!has_forged(im))
        return true;
    bool ok = forge_canary_key(m->stamp, m->sm, &key, &name, err);

    jw_buf_free(&key);
    if (!ok)
        return false;
    im->canary = find_canary(im, name);
    if (m->compiler) {
        (void)snprintf(by, sizeof by, "%s %s", m->compiler, m->compiler_version);
        im->forged_by = jw_arena_str(im->a, by);
        im->forged_known = jw_forge_known(&im->p.probe.state, im->forged_by, m->sm);
    }
    im->forged_not = objection(im);
    if (!im->forged_not && im->o->dry_run)
        prime_note(&im->p,
                   im->forged_known
                       ? "it holds code of %s, which this driver was seen to run rightly"
                       : "it holds code of %s: it will be imported only when this driver is seen to run "
                         "that rightly, which is tried first",
                   im->forged_by);
    return true;
}

/* All of them stay outside. When nothing else is to be imported, that is the end. */
static void leave_them(struct import *im, const char *why)
{
    for (size_t i = 0; i < im->out->n_entries; i++)
        if (is_new_forged(&im->out->entries[i])) {
            im->out->entries[i].state = JW_IMPORT_UNPROVEN;
            im->out->entries[i].why = why;
        }
    import_count(im->out);
    import_tell_unproven(im, why);
}

static void report_not_comparable(struct import *im)
{
    prime_advise(&im->p,
                 "the same command with --no-audit takes it, if you trust the code of the person who gave "
                 "you the pack");
    if (im->out->counts[JW_IMPORT_NEW] || im->out->counts[JW_IMPORT_PRESENT])
        prime_note(&im->p, "entries with code of %s stay outside, for they cannot be audited: %s",
                   im->forged_by, not_comparable);
    else
        import_end(im, JW_END_REFUSED,
                   "the pack holds code of %s, which cannot be audited: %s; nothing was imported",
                   im->forged_by, not_comparable);
}

void import_tell_unproven(struct import *im, const char *why)
{
    const char *by = im->forged_by ? im->forged_by : "a compiler that is not the driver's";

    if (why == not_comparable) {
        report_not_comparable(im);
        return;
    }
    prime_advise(&im->p, "jitwarm prime PATH   (compiles here what the pack holds)");
    if (im->out->counts[JW_IMPORT_NEW] || im->out->counts[JW_IMPORT_PRESENT])
        prime_note(
            &im->p,
            "entries with code of %s stay outside, for it is not proven that this driver runs such code "
            "rightly: %s",
            by, why);
    else
        import_end(
            im, JW_END_UNFIT,
            "the pack holds code of %s, and it is not proven that this driver runs such code rightly: %s; "
            "nothing was imported",
            by, why);
}

bool import_prove(struct import *im, struct jw_err *err)
{
    const char *why = NULL;
    bool any = false;

    for (size_t i = 0; i < im->out->n_entries; i++)
        any |= is_new_forged(&im->out->entries[i]);
    if (!any)
        return true;
    if (!im->forged_known) {
        struct jw_forge_probe o = { .canary =
                                        jw_path_join(im->a, im->staged, jw_cache_name(im->canary->name).text),
                                    .name = im->canary->name,
                                    .sm = im->manifest->sm,
                                    .compiler = im->forged_by,
                                    .driver = im->p.o->driver,
                                    .exe = im->p.o->exe,
                                    .interrupted = im->o->interrupted };

        import_notify(im, "trying the compiler's test kernel", 0, 0);
        if (!jw_forge_prove(&o, &im->p.probe, im->a, &why, err))
            return false;
    }
    if (why) {
        leave_them(im, why);
        return true;
    }
    prime_note(&im->p,
               "this is code of %s, which this driver %s; a fix in the driver's own "
               "compiler does not reach it: jitwarm carry --renew compiles it again, jitwarm carry --undo "
               "takes it away",
               im->forged_by,
               jw_probe_played(&im->p.probe)
                   ? "takes; phantom runs no kernel, so that it runs rightly is not proven"
                   : "was seen to run rightly");
    return true;
}

/*
 * ---- the audit ----
 *
 * A share of the entries is compiled once more, here, into a folder of ours, and must come out to the byte as it is in the
 * pack. Which ones is drawn by chance, so that whoever made the pack cannot know. Of a pack for which no key vouches that
 * is trusted for everything, a few are compiled again unasked, as far as a minute goes.
 */

enum {
    PERCENT = 100,
    CHUNK = 64 * 1024,
    AUDIT_MS = 30 * 60 * 1000,
    NOT_DRAWN = UINT32_MAX,
    AUDIT_SAMPLE = 8
};

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
    uint64_t left = n_new, want = im->out->sampled ? jw_min(AUDIT_SAMPLE, n_new)
                                                   : (n_new * im->o->audit + PERCENT - 1) / PERCENT;

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

static bool make_audit_job(struct auditing *x, size_t at, bool *can, struct jw_err *err)
{
    struct jw_job job;
    struct jw_pool_job *out = &x->jobs[at];

    if (!make_job(x->im, x->im->staged, x->of[at], &job, can, err))
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
static bool make_audit_jobs(struct auditing *x, struct jw_err *err)
{
    struct import *im = x->im;
    size_t kept = 0;

    for (size_t i = 0; i < x->n; i++) {
        bool can = false;

        x->of[kept] = x->of[i];
        if (!make_audit_job(x, kept, &can, err))
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
    if (!make_audit_jobs(&x, err))
        return false;
    return im->ended || !x.n || (make_roots(&x, err) && compile(&x, err) && compare_all(&x));
}

/* ---- found again, as after a prime: fresh processes load what was imported, and compile nothing ---- */

enum { VERIFY_SAMPLE = 16 };

static bool counts(const struct import *im, const struct jw_import_entry *e)
{
    return e->state == JW_IMPORT_IMPORTED || (im->o->verify_all && e->state == JW_IMPORT_PRESENT);
}

/* So many of them, spread over all. */
static bool make_verify_jobs(struct import *im, size_t all, size_t most, struct jw_err *err)
{
    struct jw_job *jobs = jw_arena_alloc(im->a, (most + 1) * sizeof *jobs);
    size_t n = 0, seen = 0, unmade = 0;

    for (size_t i = 0; i < im->out->n_entries && n + unmade < most; i++) {
        bool can = false;

        if (!counts(im, &im->out->entries[i]) || (seen++ * most) / all < n + unmade)
            continue;
        if (prime_interrupted(&im->p))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        if (!make_job(im, im->p.dir.root, im->out->entries[i].of, &jobs[n], &can, err))
            return false;
        if (can)
            n++;
        else
            unmade++;
    }
    im->p.out->jobs = jobs;
    im->p.out->n_jobs = n;
    if (unmade)
        prime_note(&im->p,
                   "%zu entr%s could not be tried: the call that made %s cannot be distinguished from %s",
                   unmade, unmade == 1 ? "y" : "ies", unmade == 1 ? "it" : "them",
                   unmade == 1 ? "its key" : "their keys");
    return true;
}

/* What is in the cache stays there, proven or not. */
static bool could_not(struct import *im, const struct jw_err *why, struct jw_err *err)
{
    struct jw_verify_report *v = &im->p.out->verify;

    if (why->code == JW_E_INTERRUPTED) {
        *err = *why;
        return false;
    }
    *v = (struct jw_verify_report){ .why = jw_arena_str(im->a, why->msg) };
    return true;
}

bool import_verify(struct import *im, struct jw_err *err)
{
    size_t all = 0, most;
    struct jw_err why = { 0 };

    for (size_t i = 0; i < im->out->n_entries; i++)
        all += counts(im, &im->out->entries[i]);
    if (im->o->no_verify || !all)
        return true;
    if (im->out->records) { /* the driver would compile it again, and that would be all that is learned */
        im->p.out->verify.why = "the driver does not find what its index does not name yet";
        return true;
    }
    most = im->o->verify_all || all < VERIFY_SAMPLE ? all : VERIFY_SAMPLE;
    if (!make_verify_jobs(im, all, most, &why)
        || (im->p.out->n_jobs && !prime_prove(&im->p, im->p.out->jobs, im->p.out->n_jobs, &why)))
        return could_not(im, &why, err);
    im->p.out->counts[JW_JOB_WARM] = all;
    return !im->p.ended || import_end(im, JW_END_INTERRUPTED, "%s", "");
}
