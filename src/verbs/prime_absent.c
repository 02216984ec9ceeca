/*
 * Packs for GPUs that are not here. --gpu may name them: this machine's driver compiles for them, into a separate cache.
 *
 * prime --driver-files: NVIDIA's driver, from files of the user, compiles on a machine without a GPU. phantom emulates
 * one GPU. A child with the same command line loads the driver's files instead of the system's and primes for the GPUs
 * of --gpu; its output is the output of this prime.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "driver/files/driver_files.h"
#include "facts/drivers.h"
#include "facts/gpus.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/foreground.h"
#include "os/process/process.h"
#include "verbs/prime.h"

#include <stdio.h>
#include <string.h>

enum { MAX_GPUS = 32 };

struct without_gpu {
    struct cli *cli;
    const struct prime_args *a;
    bool packs; /* else a dry run */
    uint16_t sms[MAX_GPUS];
    size_t n_sms;
    struct jw_driver_files files;
    const char **argv; /* of the child */
    const char *part;  /* NULL: it is all */
    struct jw_bytes input;
    struct jw_err err;
};

static bool add_gpu(struct without_gpu *w, const char *text, struct jw_err *err)
{
    struct jw_gpu gpu;
    struct jw_err ignored;

    if (jw_gpu_is_index(text) || !jw_gpu_parse(text, &gpu, &ignored))
        return jw_fail(err, JW_E_USAGE,
                       "--gpu %.100s: with --driver-files name an architecture or a model, such as sm_86",
                       text);
    for (size_t i = 0; i < w->n_sms; i++)
        if (w->sms[i] == gpu.sm)
            return true;
    if (w->n_sms == MAX_GPUS)
        return jw_fail(err, JW_E_USAGE, "--gpu: more than %d architectures", (int)MAX_GPUS);
    w->sms[w->n_sms++] = (uint16_t)gpu.sm;
    return true;
}

static bool check_gpus(struct without_gpu *w, struct jw_err *err)
{
    for (size_t i = 0; i < w->a->o.gpus.n; i++)
        if (!add_gpu(w, w->a->o.gpus.items[i], err))
            return false;
    return w->n_sms
           || jw_fail(err, JW_E_USAGE, "--driver-files: name the GPUs, as in --gpu sm_86 --gpu sm_89");
}

static bool check_words(struct without_gpu *w, struct jw_err *err)
{
    const struct prime_args *a = w->a;

    if (!a->run.n && !a->o.paths.n)
        return jw_fail(err, JW_E_USAGE, "--driver-files: name the files to compile, or use --run CMD");
    if (a->cache)
        return jw_fail(err, JW_E_USAGE, "--driver-files has a cache of its own: not with --cache");
    if (a->run.n && (a->exclude.n || a->o.all))
        return jw_fail(err, JW_E_USAGE, "--run packs what a command loads: not with --exclude or --all");
    if (a->run.n && (!w->packs || (w->cli->common.json && w->n_sms > 1)))
        return jw_fail(err, JW_E_USAGE,
                       !w->packs ? "--run and --dry-run cannot be combined"
                                 : "--run with --json: one GPU only, because each GPU has its own report");
    return a->pack || !w->packs
           || jw_fail(err, JW_E_USAGE,
                      "--driver-files needs --pack DIR: the folder for the packs, one for each GPU");
}

/* ---- the child ---- */

/* Inside the emulation: `cache` is where the entries of --run are kept. */
static int prime_inside(struct without_gpu *w, const char *cache, enum prime_verb verb)
{
    struct jw_arena *arena = w->cli->arena;
    const char **gpus = jw_arena_alloc(arena, (w->n_sms + 1) * sizeof *gpus);
    struct prime_args p = *w->a;

    p.driver_files = NULL;
    p.yes = PRIME_YES;
    p.o.as_root = true; /* no cache of root's is filled */
    p.o.retry = true;
    p.for_packs = true;
    for (size_t i = 0; i < w->n_sms; i++)
        gpus[i] = jw_arena_printf(arena, "sm_%u", w->sms[i]);
    p.o.gpus = (struct jw_texts){ gpus, w->a->run.n ? 0 : w->n_sms };
    if (w->a->run.n) /* each GPU is emulated in its turn */
        p.cache = cache;
    return prime_run(w->cli, &p, verb);
}

/* The same command line, started from the program's own file. */
static bool same_words(struct without_gpu *w, struct jw_err *err)
{
    struct jw_buf self = JW_BUF_IN(w->cli->arena, JW_MAX_PATH);
    bool ok = jw_process_self(&self, err);
    size_t n = 0;

    while (w->cli->argv[n])
        n++;
    w->argv = jw_arena_alloc(w->cli->arena, (n + 1) * sizeof *w->argv);
    memcpy(w->argv, w->cli->argv, n * sizeof *w->argv);
    w->argv[0] = jw_buf_cstr(&self);
    return ok;
}

static bool has_pack(const struct without_gpu *w, unsigned sm)
{
    size_t i = 0;

    while (i < w->n_sms && w->sms[i] != sm)
        i++;
    return i < w->n_sms;
}

#define EMULATED ":an emulated GPU"

static bool drives(const struct without_gpu *w, unsigned sm)
{
    struct jw_driver_version v;
    struct jw_err ignored;

    return !jw_driver_parse(w->files.version, &v, &ignored) || jw_driver_support(&v, sm) == JW_DRIVER_FITS;
}

/* The GPU to emulate: one that the driver knows. If possible none of the targets, so that all are compiled in the same
 * way. */
static const char *emulated_gpu(const struct without_gpu *w)
{
    static const unsigned sms[] = { 75, 86, 80, 70 };
    unsigned known = 0;

    for (size_t i = 0; i < JW_COUNT(sms) && (!known || has_pack(w, known)); i++)
        if (drives(w, sms[i]) && (!known || !has_pack(w, sms[i])))
            known = sms[i];
    return jw_arena_printf(w->cli->arena, "sm_%u" EMULATED, known ? known : sms[0]);
}

static const char *put_before(struct without_gpu *w, const char *variable, const char *value,
                              const char *between)
{
    const char *old = jw_env(w->cli->arena, variable);

    return jw_arena_printf(w->cli->arena, "%s%s%s", value, old && *old ? between : "", old ? old : "");
}

#define CACHE "JITWARM_DRIVER_FILES_CACHE" /* set for the child */
#define PART "JITWARM_DRIVER_FILES_PART"   /* the same */

/* Runs the child with the driver's files and returns its exit code. `state` NULL: the user's. */
static int run_child(struct without_gpu *w, const char *gpu, const char *state, const char *cache)
{
    const struct jw_child_edit edits[] = {
        { CACHE, cache },
        { PART, w->part },
        { "JITWARM_STATE", state ? state : jw_env(w->cli->arena, "JITWARM_STATE") },
        { "LD_LIBRARY_PATH", put_before(w, "LD_LIBRARY_PATH", w->files.links, ":") },
        { "LD_PRELOAD", put_before(w, "LD_PRELOAD", w->files.phantom, " ") },
        { "JITWARM_PHANTOM_GPUS", gpu },
        { "JITWARM_PHANTOM_DRIVER", w->files.version },
        { "JITWARM_PHANTOM_BESIDE", "1" }, /* also on a machine with a driver */
        { "JITWARM_DRIVER", NULL },
        { "CUDA_VISIBLE_DEVICES", NULL },
        /* Entries for the emulated GPU must not enter the user's cache. */
        { "CUDA_CACHE_PATH", cache },
        { "CUDA_CACHE_MAXSIZE", "4294967296" },
        { "CUDA_CACHE_DISABLE", NULL },
        /* These choose what this machine's programs compile. */
        { "CUDA_DISABLE_PTX_JIT", NULL },
        { "CUDA_DISABLE_JIT", NULL },
        { "CUDA_FORCE_PTX_JIT", NULL },
        { "CUDA_FORCE_JIT", NULL },
    };
    const struct jw_foreground o = { .argv = w->argv,
                                     .edits = edits,
                                     .n_edits = JW_COUNT(edits),
                                     .input = w->input,
                                     .stands_for_it =
                                         true, /* a signal to this process is meant for that one */
                                     .interrupted = w->cli->session.interrupted };
    struct jw_foreground_end ended;

    if (!cache || !jw_foreground_run(&o, &ended, &w->err))
        return jw_cli_fail(w->cli, &w->err);
    return ended.code;
}

/* Emulates one GPU after the other. Caches and records are temporary. */
static int run_for_each(struct without_gpu *w)
{
    char *folder = NULL;
    int code = EXIT_DONE;

    if (!jw_state_scratch(JW_STATE_DRIVER_RUN, w->cli->arena, &folder, &w->err)
        || !jw_make_dirs(w->a->pack, &w->err))
        code = jw_cli_fail(w->cli, &w->err);
    for (size_t i = 0; code <= EXIT_PARTLY && i < w->n_sms; i++) {
        char gpu[64], cache[16];

        (void)snprintf(cache, sizeof cache, "sm_%u", w->sms[i]);
        (void)snprintf(gpu, sizeof gpu, "%s" EMULATED, cache);

        int one = run_child(w, gpu, jw_path_join(w->cli->arena, folder, "state"),
                            jw_path_join(w->cli->arena, folder, cache));

        code = one > code ? one : code;
    }
    jw_scratch_remove(folder);
    return code;
}

/* ---- checks before the run ---- */

static bool check_places(const struct without_gpu *w, struct jw_err *err)
{
    const struct jw_texts *paths = &w->a->o.paths;
    struct jw_file_info info = { 0 };

    for (size_t i = 0; i < paths->n; i++) {
        if (!jw_file_stat(paths->items[i], &info, err))
            return jw_wrap(err, "%s", paths->items[i]);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", paths->items[i]);
    }
    if (!w->a->pack)
        return true;
    if (!jw_file_stat(w->a->pack, &info, err))
        return jw_wrap(err, "%s", w->a->pack);
    return info.kind == JW_FILE_NONE || info.kind == JW_FILE_DIR
           || jw_fail(err, JW_E_USAGE, "--pack: the packs go into a folder, and %.200s is a file",
                      w->a->pack);
}

static bool replaces_no_file(const struct without_gpu *w, struct jw_err *err)
{
    for (size_t i = 0; i < w->n_sms && !w->a->yes && w->packs; i++) {
        const char *path = jw_arena_printf(w->cli->arena, "%s/jitwarm-%s-sm_%u.tar.zst", w->a->pack,
                                           w->files.version, (unsigned)w->sms[i]);
        struct jw_file_info info = { 0 };

        if (!jw_file_stat(path, &info, err))
            return false;
        if (info.kind != JW_FILE_NONE)
            return jw_fail(err, JW_E_BUSY, "%.200s exists; --yes replaces it", path);
    }
    return true;
}

const char *prime_driver_files_cache(struct jw_arena *a)
{
    return jw_env(a, CACHE);
}

const char *prime_driver_files_part(struct jw_arena *a)
{
    return jw_env(a, PART);
}

static void say_driver(struct without_gpu *w)
{
    jw_messages_say(
        &w->cli->messages,
        "Compiling without a GPU, with NVIDIA's driver %s in %s; NVIDIA's licence applies to it%s%s",
        w->files.version, w->files.from, w->files.licence ? ": " : "",
        w->files.licence ? w->files.licence : "");
}

int prime_under_driver_files(struct cli *cli, const struct driver_files_run *run)
{
    const struct prime_args a = { .o.gpus = *run->gpus };
    struct without_gpu w = { .cli = cli, .a = &a, .part = run->part, .input = run->input };
    struct jw_err err = { 0 };
    int code;

    if (!check_gpus(&w, &err) || !jw_driver_files_ready(run->folder, cli->arena, &w.files, &err)
        || !same_words(&w, &err))
        code = jw_cli_fail(cli, &err);
    else {
        if (!run->again)
            say_driver(&w);
        code = run_child(&w, emulated_gpu(&w), NULL, absent_gpus_cache(cli->arena, &w.err));
    }
    jw_scratch_remove(w.files.links);
    return code;
}

int prime_with_driver_files(struct cli *cli, const struct prime_args *a, enum prime_verb verb)
{
    struct without_gpu w = { .cli = cli, .a = a, .packs = verb == PRIME_PRIME };
    const char *cache = jw_env(cli->arena, CACHE);
    struct jw_err err = { 0 };

    if (!check_gpus(&w, &err) || !check_words(&w, &err))
        return jw_cli_fail(cli, &err);
    if (cache)
        return prime_inside(&w, cache, verb);
    if (!check_places(&w, &err) || !jw_driver_files_ready(a->driver_files, cli->arena, &w.files, &err)
        || !replaces_no_file(&w, &err) || !same_words(&w, &err)) {
        jw_scratch_remove(w.files.links);
        return jw_cli_fail(cli, &err);
    }
    say_driver(&w);

    int code = a->run.n ? run_for_each(&w)
                        : run_child(&w, emulated_gpu(&w), NULL, absent_gpus_cache(cli->arena, &w.err));

    jw_scratch_remove(w.files.links);
    return code;
}

/* ---- GPUs that this machine's driver compiles for ---- */

/* By number, UUID, name or architecture. prime refuses invalid names. */
static bool is_here(const char *text, const struct jw_probe_report *here)
{
    struct jw_gpu one;
    struct jw_err ignored;

    if (jw_gpu_is_index(text) || jw_text_starts(text, "GPU-") || jw_text_starts(text, "MIG-")
        || jw_text_equal_nocase(text, "all"))
        return true;
    for (size_t i = 0; i < here->n_devices; i++)
        if (jw_gpu_in_name(text, here->devices[i].name))
            return true;
    if (!jw_gpu_parse(text, &one, &ignored))
        return true;
    for (size_t i = 0; i < here->n_devices; i++)
        if (here->devices[i].sm == one.sm)
            return true;
    return false;
}

bool absent_gpus_split(struct cli *cli, struct jw_texts *gpus, struct jw_texts *absent, struct jw_err *err)
{
    const struct jw_probe_report *here;
    struct jw_texts all = *gpus, own;

    *absent = (struct jw_texts){ NULL, 0 };
    if (!gpus->n)
        return true;
    if (!jw_session_driver(&cli->session, &here, err))
        return false;
    if (here->broken || !here->n_devices)
        return true;
    own.items = jw_arena_alloc(cli->arena, (all.n + 1) * sizeof *own.items);
    absent->items = jw_arena_alloc(cli->arena, (all.n + 1) * sizeof *own.items);
    own.n = 0;
    for (size_t i = 0; i < all.n; i++) {
        struct jw_texts *to = is_here(all.items[i], here) ? &own : absent;

        to->items[to->n++] = all.items[i];
    }
    *gpus = own;
    return true;
}

const char *absent_gpus_cache(struct jw_arena *a, struct jw_err *err)
{
    return jw_state_path(JW_STATE_ABSENT_GPUS, a, err);
}

const char *absent_gpus_kept(struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err ignored;
    const char *path = absent_gpus_cache(a, &ignored);

    return path && jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_DIR ? path : NULL;
}
