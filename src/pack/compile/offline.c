#include "pack/compile/offline.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "driver/probe/forge.h"
#include "machine/list.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "pack/compile/offline_module.h"
#include "pack/store/store.h"

#include <stdlib.h>

enum { TIMEOUT_S = 30 * 60 };

struct offline_job {
    const struct target *of;
    const char *why; /* it was not compiled; NULL: it was */
};

struct offline {
    const struct jw_offline_options *o;
    struct jw_offline_report *out;
    struct jw_run *run; /* its arena: while threads run, under `lock` */
    struct targets found;
    struct offline_job *jobs; /* each module once, the largest first */
    size_t n_jobs;
    struct offline_way way;
    char *work; /* way.work */

    struct jw_lock *lock; /* for the members below */
    atomic_size_t next;
    uint64_t done, total; /* bytes of PTX */
    struct jw_err failed; /* ends the run */
};

static void notify_offline(const struct offline *x, const char *what)
{
    if (x->run->progress)
        x->run->progress(x->run->ctx,
                         &(struct jw_progress){ .what = what, .done = x->done, .total = x->total });
}

static bool end_offline(struct offline *x, enum jw_end how, const char *why)
{
    return jw_run_end(x->run, how, "%s", why ? why : "");
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
            JW_NOTE(x->run, "%s: %s", s->skipped[i].path, s->skipped[i].reason);
    }
    if (others)
        JW_NOTE(x->run, "%s could not be read", JW_N(others, "file", "files"));
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct target *x = ((const struct offline_job *)a)->of, *y = ((const struct offline_job *)b)->of;

    return x->key.name < y->key.name ? -1 : x->key.name > y->key.name;
}

static int by_size(const void *a, const void *b)
{
    const struct target *x = ((const struct offline_job *)a)->of, *y = ((const struct offline_job *)b)->of;

    return x->ptx_bytes != y->ptx_bytes ? (x->ptx_bytes > y->ptx_bytes ? -1 : 1) : by_key(a, b);
}

static void make_offline_jobs(struct offline *x)
{
    size_t n = x->found.n;

    x->jobs = jw_arena_alloc(x->run->a, (n + 1) * sizeof *x->jobs);
    for (size_t i = 0; i < n; i++)
        x->jobs[i] = (struct offline_job){ .of = &x->found.list[i] };
    if (n)
        qsort(x->jobs, n, sizeof *x->jobs, by_key);
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
    notify_offline(ctx, p->path);
}

static bool find_modules(struct offline *x, struct jw_err *err)
{
    const struct jw_offline_options *o = x->o;
    struct jw_scan_root *roots = jw_arena_alloc(x->run->a, o->n_paths * sizeof *roots);
    struct targets_options t = {
        .scan = { .roots = roots,
                  .n_roots = o->n_paths,
                  .exclude = o->exclude,
                  .n_exclude = o->n_exclude,
                  .interrupted = x->run->interrupted,
                  .progress = on_scan,
                  .progress_ctx = x },
        .sms = &o->sm,
        .n_sms = 1,
        .rules.stamp = o->stamp,
        .only = o->only,
        .n_only = o->n_only,
        .all = o->all,
        .spool = x->work,
    };

    for (size_t i = 0; i < o->n_paths; i++) {
        struct jw_file_info info;
        const char *real;

        if (!jw_file_stat(o->paths[i], &info, err) || !jw_real_path(o->paths[i], x->run->a, &real, err))
            return jw_wrap(err, "%s", o->paths[i]);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", o->paths[i]);
        roots[i] = (struct jw_scan_root){ real, JW_MAX_DEPTH, true };
    }
    if (!(targets_find(&t, &x->found, err) && note_skipped(x, err)))
        return false;
    make_offline_jobs(x);
    return true;
}

static bool end_without_modules(struct offline *x)
{
    const struct jw_left_out_sum *out = x->found.left_out;

    if (!out[JW_OUT_IS_NATIVE].modules && (out[JW_OUT_IS_VENDOR].modules || out[JW_OUT_IS_LAZY].modules))
        return end_offline(
            x, JW_END_NOTHING,
            "a driver would compile only NVIDIA's own libraries or modules loaded on demand; --all "
            "includes them");
    return end_offline(
        x, JW_END_NOTHING,
        jw_arena_printf(x->run->a,
                        out[JW_OUT_IS_NATIVE].modules
                            ? "these files have machine code for sm_%u, a driver compiles nothing"
                            : "a driver compiles nothing of these files for sm_%u; jitwarm scan shows "
                              "their contents",
                        x->o->sm));
}

/* ---- compiling ---- */

static void finish_job(struct offline *x, struct offline_job *job, const struct jw_err *why, bool ok,
                       const struct jw_err *err)
{
    jw_lock_take(x->lock);
    if (!ok && !x->failed.code)
        x->failed = *err;
    job->why = ok && why->code ? jw_arena_str(x->run->a, why->msg) : NULL;
    x->out->compiled += ok && !why->code;
    x->done += job->of->ptx_bytes;
    if (ok)
        notify_offline(x, job->of->place.path);
    jw_lock_drop(x->lock);
}

static bool has_failed(struct offline *x)
{
    jw_lock_take(x->lock);
    bool yes = x->failed.code != JW_OK;
    jw_lock_drop(x->lock);
    return yes;
}

static void compile_jobs(void *ctx, unsigned worker)
{
    struct offline *x = ctx;
    size_t i;

    while (!has_failed(x) && (i = atomic_fetch_add(&x->next, 1)) < x->n_jobs) {
        struct jw_err why = { 0 }, err = { 0 };
        bool ok = offline_compile(&x->way, x->jobs[i].of, worker, &why, &err);

        finish_job(x, &x->jobs[i], &why, ok, &err);
    }
}

static void report_lost(struct offline *x)
{
    struct jw_offline_lost *lost = jw_arena_alloc(x->run->a, (x->n_jobs + 1) * sizeof *lost);

    for (size_t i = 0; i < x->n_jobs; i++)
        if (x->jobs[i].why)
            lost[x->out->n_lost++] =
                (struct jw_offline_lost){ jw_arena_str(x->run->a, x->jobs[i].of->place.path),
                                          jw_arena_str(x->run->a, x->jobs[i].of->kernel),
                                          jw_arena_str(x->run->a, x->jobs[i].of->from), x->jobs[i].why };
    x->out->lost = lost;
}

static bool compile_all(struct offline *x, struct jw_err *err)
{
    unsigned half = (jw_cpu_count() + 1) / 2, n = x->o->jobs ? x->o->jobs : half;

    jw_parallel((unsigned)jw_min(n, x->n_jobs), compile_jobs, x);
    if (x->failed.code) {
        *err = x->failed;
        return false;
    }
    report_lost(x);
    return true;
}

/* Compiled first: if the compiler does not know the architecture, it fails once and not for each module. */
static bool make_canary(struct offline *x, bool *can, struct jw_err *err)
{
    struct jw_err why = { 0 };
    bool ok = offline_compile(&x->way, NULL, 0, &why, err);

    *can = ok && !why.code;
    if (!ok || *can)
        return ok;
    return end_offline(x, JW_END_NOTHING,
                       jw_arena_printf(x->run->a, "%s %s cannot compile a small test kernel for sm_%u: %s",
                                       x->out->compiler.name, x->out->compiler.version, x->o->sm, why.msg));
}

/* ---- the pack ---- */

static enum jw_end end_of_pack(const struct offline *x, enum jw_end how)
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

static bool store_pack(struct offline *x, struct jw_err *err)
{
    struct jw_store_add add = {
        .key = { .stamp = x->o->stamp, .sm = x->o->sm },
        .file = x->out->path,
        .signature = x->out->signature,
        .take = true,
        .vouched = JW_STORE_MADE_HERE,
        .cap = x->o->store_cap,
    };

    if (!jw_store_add(&add, x->run->a, err))
        return false;
    x->out->path = add.path;
    x->out->stored = true;
    x->out->signature = NULL; /* moved with the pack */
    for (size_t i = 0; i < add.n_evicted; i++)
        JW_NOTE(x->run, "removed %s from the store to make room", add.evicted[i]);
    return true;
}

static bool export_pack(struct offline *x, const char *output, struct jw_err *err)
{
    uint64_t canary;
    struct jw_buf key = JW_BUF(0);
    bool ok = forge_canary_key(x->o->stamp, x->o->sm, &key, &canary, err);
    struct jw_export_offline offline = { .root = x->way.root,
                                         .stamp = x->o->stamp,
                                         .sm = x->o->sm,
                                         .compiler = x->out->compiler.name,
                                         .version = x->out->compiler.version,
                                         .found = &x->found,
                                         .canary = canary };
    struct jw_export_options o = {
        .output = output, .offline = &offline, .yes = x->o->yes, .key = x->o->key
    };
    struct jw_run packing = {
        .a = x->run->a, .interrupted = x->run->interrupted, .progress = x->run->progress, .ctx = x->run->ctx
    };
    struct jw_export_report r = { 0 };

    jw_buf_free(&key);
    if (!ok || !jw_export(&packing, &o, &r, err))
        return false;
    for (size_t i = 0; i < packing.notes.n; i++)
        JW_NOTE(x->run, "%s", packing.notes.v[i]);
    end_offline(x, end_of_pack(x, packing.end), packing.why);
    if (!r.n_packs || !r.packs[0].written)
        return true;
    x->out->pack = r.packs[0];
    x->out->path = r.packs[0].path;
    x->out->signature = r.packs[0].signature;
    return x->o->output || store_pack(x, err);
}

static bool make_pack(struct offline *x, struct jw_err *err)
{
    char *folder = NULL;
    bool ok = (x->o->output || jw_store_work(x->run->a, &folder, err))
              && export_pack(x, folder ? folder : x->o->output, err);

    jw_scratch_remove(folder);
    return ok;
}

/* ---- the run ---- */

static bool make_offline_folders(struct offline *x, struct jw_err *err)
{
    const char *state = jw_state_dir(x->run->a, err);

    if (!state || !jw_scratch_make(state, "offline", x->run->a, &x->work, err))
        return false;
    x->way = (struct offline_way){ .stamp = x->o->stamp,
                                   .sm = x->o->sm,
                                   .by = &x->out->compiler,
                                   .timeout_ms = (x->o->timeout_s ? x->o->timeout_s : TIMEOUT_S) * 1000,
                                   .interrupted = x->run->interrupted,
                                   .work = x->work,
                                   .root = jw_path_join(x->run->a, x->work, "cache") };
    return jw_make_private_dir(x->way.root, err);
}

/* Releases 12.1 to 12.4 (PTX ISA 8.1 to 8.4). 12.0 does not load the driver; 12.5 has an option against it. */
static void note_compiler(struct offline *x)
{
    const struct jw_compiler *c = &x->out->compiler;

    if (c->library && c->isa_major == 8 && c->isa_minor >= 1 && c->isa_minor <= 4)
        JW_NOTE(x->run, "%s %s loads this machine's driver, if there is one; from 12.5 on it does not",
                c->name, c->version);
}

static bool run_offline(struct offline *x, struct jw_err *err)
{
    bool can = false;

    x->lock = jw_lock_new();
    note_compiler(x);
    if (!make_offline_folders(x, err) || !find_modules(x, err))
        return false;
    if (!x->n_jobs)
        return end_without_modules(x);
    if (x->o->dry_run)
        return end_offline(x, JW_END_DONE, NULL);
    if (!make_canary(x, &can, err) || !can)
        return x->run->ended;
    if (!compile_all(x, err))
        return false;
    return x->out->compiled ? make_pack(x, err)
                            : end_offline(x, JW_END_NOTHING, "none of these modules could be compiled");
}

/* Ends the run with the reason `why`. False for internal errors. */
static bool end_offline_by(struct offline *x, const struct jw_err *why, struct jw_err *err)
{
    if (why->code == JW_E_LIMIT)
        return end_offline(x, JW_END_CANNOT_WRITE, why->msg);
    return jw_run_end_by(x->run, why, err);
}

bool jw_offline(struct jw_run *frame, const struct jw_offline_options *o, struct jw_offline_report *out,
                struct jw_err *err)
{
    struct offline x = { .o = o, .out = out, .run = frame };
    struct jw_err why = { 0 };

    *out = (struct jw_offline_report){ .run = frame, .stamp = o->stamp, .sm = o->sm };
    jw_run_begin(frame);
    if ((o->output && !jw_export_place(o->output, frame->a, err))
        || !offline_find_compiler(o->compiler, frame->interrupted, frame->a, &out->compiler, err))
        return false;
    bool ok = run_offline(&x, &why) || end_offline_by(&x, &why, err);

    frame->milliseconds = (jw_time_monotonic_ns() - frame->began) / 1000000;
    jw_lock_free(x.lock);
    jw_scratch_remove(x.work);
    targets_free(&x.found);
    return ok;
}
