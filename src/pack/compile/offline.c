#include "pack/compile/offline_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "driver/probe/forge.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "pack/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool offline_interrupted(const struct offline *x, struct jw_err *err)
{
    return !(x->o->interrupted && atomic_load(x->o->interrupted))
           || jw_fail(err, JW_E_INTERRUPTED, "interrupted");
}

static void tell(const struct offline *x, const char *what)
{
    if (x->o->progress)
        x->o->progress(x->o->ctx, what, x->done, x->total);
}

static bool end(struct offline *x, enum jw_end how, const char *why)
{
    x->out->end = how;
    x->out->why = why ? jw_arena_str(x->a, why) : NULL;
    return true;
}

/* ---- which modules ---- */

static bool note_skipped(struct offline *x, struct jw_err *err)
{
    const struct jw_scan_report *s = &x->found.scan;
    uint64_t others = 0;

    for (size_t i = 0; i < s->n_skipped; i++) {
        others += !s->skipped[i].named;
        if (s->skipped[i].named && !x->found.n)
            return jw_fail(err, s->skipped[i].why == JW_SKIP_UNREADABLE ? JW_E_USAGE : JW_E_FORMAT, "%s: %s",
                           s->skipped[i].path, s->skipped[i].reason);
        if (s->skipped[i].named)
            jw_note(&x->notes, x->a, "%s: %s", s->skipped[i].path, s->skipped[i].reason);
    }
    if (others)
        jw_note(&x->notes, x->a, "%llu file%s could not be looked into", (unsigned long long)others,
                others == 1 ? "" : "s");
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct target *x = ((const struct offline_job *)a)->of, *y = ((const struct offline_job *)b)->of;

    return x->key.name < y->key.name ? -1 : x->key.name > y->key.name;
}

static int by_size(const void *a, const void *b)
{
    const struct target *x = ((const struct offline_job *)a)->of, *y = ((const struct offline_job *)b)->of;

    return x->ptx_bytes != y->ptx_bytes ? (x->ptx_bytes > y->ptx_bytes ? -1 : 1) : by_name(a, b);
}

static void make_jobs(struct offline *x)
{
    size_t n = x->found.n;

    x->jobs = jw_arena_alloc(x->a, (n + 1) * sizeof *x->jobs);
    for (size_t i = 0; i < n; i++)
        x->jobs[i] = (struct offline_job){ .of = &x->found.list[i] };
    if (n)
        qsort(x->jobs, n, sizeof *x->jobs, by_name);
    for (size_t i = 0; i < n; i++)
        if (!i || x->jobs[i].of->key.name != x->jobs[x->n_jobs - 1].of->key.name)
            x->jobs[x->n_jobs++] = x->jobs[i];
    if (x->n_jobs)
        qsort(x->jobs, x->n_jobs, sizeof *x->jobs, by_size);
    for (size_t i = 0; i < x->n_jobs; i++)
        x->total += x->jobs[i].of->ptx_bytes;
    x->out->modules = x->n_jobs;
    x->out->ptx_bytes = x->total;
}

static void on_scan(void *ctx, const struct jw_scan_progress *p)
{
    tell(ctx, p->path);
}

static bool find_modules(struct offline *x, struct jw_err *err)
{
    const struct jw_offline_options *o = x->o;
    struct jw_scan_root *roots = jw_arena_alloc(x->a, o->n_paths * sizeof *roots);
    struct targets_options t = {
        .scan = { .roots = roots,
                  .n_roots = o->n_paths,
                  .exclude = o->exclude,
                  .n_exclude = o->n_exclude,
                  .interrupted = o->interrupted,
                  .progress = on_scan,
                  .progress_ctx = x },
        .sms = &o->sm,
        .n_sms = 1,
        .rules = { o->stamp },
        .only = o->only,
        .n_only = o->n_only,
        .all = o->all,
        .spool = x->work,
    };

    for (size_t i = 0; i < o->n_paths; i++) {
        struct jw_file_info info;
        const char *real;

        if (!jw_file_stat(o->paths[i], &info, err) || !jw_real_path(o->paths[i], x->a, &real, err))
            return jw_wrap(err, "%s", o->paths[i]);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", o->paths[i]);
        roots[i] = (struct jw_scan_root){ real, JW_MAX_DEPTH, true };
    }
    if (!(targets_find(&t, &x->found, err) && note_skipped(x, err)))
        return false;
    make_jobs(x);
    return true;
}

static bool end_without(struct offline *x)
{
    const struct jw_left_out_sum *out = x->found.left_out;
    char text[300];

    if (out[JW_OUT_IS_NATIVE].modules)
        (void)snprintf(text, sizeof text,
                       "a driver compiles nothing of these files for sm_%u: they have machine code for it",
                       x->o->sm);
    else if (out[JW_OUT_IS_VENDOR].modules || out[JW_OUT_IS_LAZY].modules)
        (void)snprintf(
            text, sizeof text,
            "what a driver would compile of these files is NVIDIA's own, or loaded on demand only; --all "
            "takes that, too");
    else
        (void)snprintf(text, sizeof text,
                       "there is nothing in these files that a driver would compile for sm_%u; jitwarm scan "
                       "shows what is in them",
                       x->o->sm);
    return end(x, JW_END_NOTHING, text);
}

/* ---- compiling ---- */

static void settle(struct offline *x, struct offline_job *job, const char *why, bool ok,
                   const struct jw_err *err)
{
    jw_lock_take(x->lock);
    if (!ok && !x->failed.code)
        x->failed = *err;
    job->why = why;
    x->out->compiled += ok && !why;
    x->done += job->of->ptx_bytes;
    if (ok)
        tell(x, job->of->place.path);
    jw_lock_drop(x->lock);
}

static bool stopped(struct offline *x)
{
    jw_lock_take(x->lock);
    bool yes = x->failed.code != JW_OK;
    jw_lock_drop(x->lock);
    return yes;
}

static void compile_some(void *ctx, unsigned worker)
{
    struct offline *x = ctx;
    size_t i;

    while (!stopped(x) && (i = atomic_fetch_add(&x->next, 1)) < x->n_jobs) {
        const char *why = NULL;
        struct jw_err err = { 0 };
        bool ok = offline_compile(x, x->jobs[i].of, worker, &why, &err);

        settle(x, &x->jobs[i], why, ok, &err);
    }
}

static void report_lost(struct offline *x)
{
    struct jw_offline_lost *lost = jw_arena_alloc(x->a, (x->n_jobs + 1) * sizeof *lost);

    for (size_t i = 0; i < x->n_jobs; i++)
        if (x->jobs[i].why)
            lost[x->out->n_lost++] =
                (struct jw_offline_lost){ x->jobs[i].of->place.path, x->jobs[i].of->kernel,
                                          x->jobs[i].of->from, x->jobs[i].why };
    x->out->lost = lost;
}

static bool compile_all(struct offline *x, struct jw_err *err)
{
    unsigned half = (jw_cpu_count() + 1) / 2, n = x->o->jobs ? x->o->jobs : half;

    jw_parallel((unsigned)jw_min(n, x->n_jobs), compile_some, x);
    if (x->failed.code) {
        *err = x->failed;
        return false;
    }
    report_lost(x);
    return true;
}

/* Made first: a compiler that knows nothing of this architecture tells it once, not for each module. */
static bool make_canary(struct offline *x, bool *can, struct jw_err *err)
{
    const char *why = NULL;
    char text[400];

    bool ok = offline_canary(x, &why, err);

    *can = ok && !why;
    if (!ok || !why)
        return ok;
    (void)snprintf(text, sizeof text,
                   "%s %s does not compile a small test kernel for sm_%u, so nothing else was tried: %s",
                   x->out->compiler.name, x->out->compiler.version, x->o->sm, why);
    return end(x, JW_END_NOTHING, text);
}

/* ---- the pack ---- */

static void on_export(void *ctx, const struct jw_export_progress *p)
{
    tell(ctx, p->at ? p->at : "packing");
}

static enum jw_end end_of(const struct offline *x, enum jw_end how)
{
    switch (how) {
    case JW_END_DONE:
    case JW_END_PARTLY: return x->out->n_lost ? JW_END_PARTLY : JW_END_DONE;
    case JW_END_CANNOT_WRITE:
    case JW_END_CONSENT:
    case JW_END_INTERRUPTED: return how;
    default: return JW_END_NOTHING;
    }
}

static bool keep_in_store(struct offline *x, struct jw_err *err)
{
    struct jw_store_add add = {
        .key = { .stamp = x->o->stamp, .sm = x->o->sm, .simulated = x->out->simulated },
        .file = x->out->path,
        .signature = x->out->signature,
        .take = true,
        .vouched = JW_STORE_MADE_HERE,
        .cap = x->o->store_cap,
    };

    if (!jw_store_add(&add, x->a, err))
        return false;
    x->out->path = add.path;
    x->out->stored = true;
    x->out->signature = NULL; /* it went along */
    for (size_t i = 0; i < add.n_evicted; i++)
        jw_note(&x->notes, x->a, "%s made room for it in the store", add.evicted[i]);
    return true;
}

static bool pack(struct offline *x, const char *output, struct jw_err *err)
{
    uint64_t canary;
    struct jw_buf key = JW_BUF(0);
    bool ok = forge_canary_key(x->o->stamp, x->o->sm, &key, &canary, err);
    struct jw_export_offline offline = { .root = x->root,
                                         .stamp = x->o->stamp,
                                         .sm = x->o->sm,
                                         .simulated = x->out->simulated,
                                         .compiler = x->out->compiler.name,
                                         .version = x->out->compiler.version,
                                         .found = &x->found,
                                         .canary = canary };
    struct jw_export_options o = { .output = output,
                                   .offline = &offline,
                                   .yes = x->o->yes,
                                   .key = x->o->key,
                                   .interrupted = x->o->interrupted,
                                   .progress = on_export,
                                   .ctx = x };
    struct jw_export_report r = { 0 };

    jw_buf_free(&key);
    if (!ok || !jw_export(&o, x->a, &r, err))
        return false;
    for (size_t i = 0; i < r.n_notes; i++)
        jw_note(&x->notes, x->a, "%s", r.notes[i]);
    if (!end(x, end_of(x, r.end), r.why))
        return false;
    if (!r.n_packs || !r.packs[0].written)
        return true;
    x->out->pack = r.packs[0];
    x->out->path = r.packs[0].path;
    x->out->signature = r.packs[0].signature;
    return x->o->output || keep_in_store(x, err);
}

static bool pack_it(struct offline *x, struct jw_err *err)
{
    char *folder = NULL;
    bool ok =
        (x->o->output || jw_store_work(x->a, &folder, err)) && pack(x, folder ? folder : x->o->output, err);

    jw_scratch_remove(folder);
    return ok;
}

/* ---- the run ---- */

static bool make_folders(struct offline *x, struct jw_err *err)
{
    const char *state = jw_state_dir(x->a, err);

    if (!state || !jw_scratch_make(state, "offline", x->a, &x->work, err))
        return false;
    x->root = jw_path_join(x->a, x->work, "cache");
    return jw_make_private_dir(x->root, err);
}

/* Of 12.1 to 12.4, whose PTX ISA is 8.1 to 8.4: 12.0 looks for no driver, and 12.5 can be told not to. */
static void note_compiler(struct offline *x)
{
    const struct jw_compiler *c = &x->out->compiler;

    if (c->library && c->isa_major == 8 && c->isa_minor >= 1 && c->isa_minor <= 4)
        jw_note(&x->notes, x->a,
                "%s %s loads the driver, where there is one, and has no option against it; 12.5 and "
                "later have",
                c->name, c->version);
}

static bool work(struct offline *x, struct jw_err *err)
{
    bool can = false;

    x->lock = jw_lock_new();
    note_compiler(x);
    if (!make_folders(x, err) || !find_modules(x, err))
        return false;
    if (!x->n_jobs)
        return end_without(x);
    if (x->o->dry_run)
        return end(x, JW_END_DONE, NULL);
    if (!make_canary(x, &can, err) || !can)
        return x->out->end == JW_END_NOTHING && x->out->why;
    if (!compile_all(x, err))
        return false;
    return x->out->compiled ? pack_it(x, err)
                            : end(x, JW_END_NOTHING, "none of these modules could be compiled");
}

/* A failure that is an answer ends the run with its sentence. */
static bool end_by(struct offline *x, const struct jw_err *why, struct jw_err *err)
{
    switch (why->code) {
    case JW_E_INTERRUPTED: return end(x, JW_END_INTERRUPTED, NULL);
    case JW_E_IO:
    case JW_E_LIMIT: return end(x, JW_END_CANNOT_WRITE, why->msg);
    default: *err = *why; return false;
    }
}

bool jw_offline(const struct jw_offline_options *o, struct jw_arena *a, struct jw_offline_report *out,
                struct jw_err *err)
{
    struct offline x = { .o = o, .out = out, .a = a };
    uint64_t began = jw_time_monotonic_ns();
    struct jw_err why = { 0 };

    *out = (struct jw_offline_report){ .stamp = o->stamp, .sm = o->sm, .simulated = o->simulated };
    if ((o->output && !jw_export_place(o->output, a, err))
        || !offline_compiler_find(o->compiler, o->interrupted, a, &out->compiler, err))
        return false;
    out->simulated |= out->compiler.simulated;
    bool ok = work(&x, &why) || end_by(&x, &why, err);

    out->notes = x.notes.v;
    out->n_notes = x.notes.n;
    out->milliseconds = (jw_time_monotonic_ns() - began) / 1000000;
    jw_lock_free(x.lock);
    jw_scratch_remove(x.work);
    if (out->n_lost) { /* what they say lives in the files' report */
        struct jw_offline_lost *lost = jw_arena_copy(a, out->lost, out->n_lost * sizeof *lost);

        for (size_t i = 0; i < out->n_lost; i++) {
            lost[i].path = jw_arena_str(a, lost[i].path);
            lost[i].kernel = jw_arena_str(a, lost[i].kernel);
            lost[i].target = jw_arena_str(a, lost[i].target);
            ok = ok && lost[i].path && lost[i].kernel && lost[i].target;
        }
        out->lost = lost;
        ok = true;
    }
    targets_free(&x.found);
    return ok;
}
