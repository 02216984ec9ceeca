/*
 * compile --compiler driver: NVIDIA's driver, from files of the user, compiles on a machine without a GPU. phantom
 * emulates one GPU. A child with the same command line loads the driver's files instead of the system's and primes for
 * the other GPUs; its output is the output of compile.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "cache/memory/state.h"
#include "facts/drivers.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/exec.h"
#include "os/process/process.h"
#include "pack/compile/command/compile_view.h"
#include "pack/compile/driver_files.h"
#include "prime/command/prime_args.h"
#include "prime/command/siblings.h"

#include <stdio.h>
#include <string.h>

struct by_driver {
    struct cli *cli;
    const struct compile_args *a;
    struct jw_compile_target target; /* `driver`: a version, or NULL */
    struct jw_driver_files files;
    const char **argv; /* of the child */
    struct jw_err err;
};

static bool check_driver_args(struct by_driver *b, struct jw_err *err)
{
    const struct compile_args *a = b->a;

    if (!jw_compile_target(a->target ? a->target : "", b->cli->arena, &b->target, err))
        return false;
    if (!b->target.n_sms)
        return jw_fail(err, JW_E_USAGE, "--for names the GPUs, as in --for sm=86,sm=89");
    if (a->includes.n)
        return jw_fail(err, JW_E_USAGE, "--include goes with a .cu file");
    if (!a->driver_files)
        return jw_fail(err, JW_E_USAGE,
                       "--compiler driver needs --driver-files DIR: NVIDIA's driver, unpacked (sh "
                       "NVIDIA-Linux-x86_64-VERSION.run --extract-only)");
    if (a->run.n && (a->paths.n || a->only.n || a->exclude.n || a->all))
        return jw_fail(err, JW_E_USAGE,
                       "--run packs what a command loads: not with paths, --only, --exclude or --all");
    if (a->run.n && (a->dry_run || (b->cli->common.json && b->target.n_sms > 1)))
        return jw_fail(err, JW_E_USAGE,
                       a->dry_run ? "--run and --dry-run cannot be combined"
                                  : "--run with --json: one GPU only, because each GPU has its own report");
    if (!a->output && !a->dry_run)
        return jw_fail(err, JW_E_USAGE,
                       "--compiler driver needs -o DIR: the folder for the packs, one for each GPU");
    return true;
}

/* ---- the child ---- */

/* Inside the emulation: `cache` is where the entries of --run are kept. */
static int compile_inside(struct by_driver *b, const char *cache)
{
    const struct compile_args *a = b->a;
    struct jw_arena *arena = b->cli->arena;
    const char **gpus = jw_arena_alloc(arena, (b->target.n_sms + 1) * sizeof *gpus);
    struct prime_args p = { .paths = a->paths,
                            .only = a->only,
                            .exclude = a->exclude,
                            .run = a->run,
                            .all = a->all,
                            .jobs = a->jobs,
                            .timeout_s = a->timeout_s,
                            .pack = a->dry_run ? NULL : a->output,
                            .sign = a->sign,
                            .yes = PRIME_YES,
                            .as_root = true, /* no cache of root's is filled */
                            .retry = true,
                            .for_packs = true };

    for (size_t i = 0; i < b->target.n_sms; i++)
        gpus[i] = jw_arena_printf(arena, "sm_%u", b->target.sms[i]);
    if (a->run.n) /* each GPU is emulated in its turn */
        p.cache = cache;
    else
        p.gpus = (struct texts){ gpus, b->target.n_sms };
    return prime_run(b->cli, &p, a->dry_run ? PRIME_PLAN : PRIME_PRIME);
}

/* The same command line, started from the program's own file. */
static bool same_words(struct by_driver *b, struct jw_err *err)
{
    struct jw_buf self = JW_BUF(JW_MAX_PATH);
    bool ok = jw_process_self(&self, err);
    size_t n = 0;

    while (b->cli->argv[n])
        n++;
    b->argv = jw_arena_alloc(b->cli->arena, (n + 1) * sizeof *b->argv);
    memcpy(b->argv, b->cli->argv, n * sizeof *b->argv);
    b->argv[0] = jw_arena_str(b->cli->arena, jw_buf_cstr(&self));
    jw_buf_free(&self);
    return ok;
}

static bool has_pack(const struct by_driver *b, unsigned sm)
{
    size_t i = 0;

    while (i < b->target.n_sms && b->target.sms[i] != sm)
        i++;
    return i < b->target.n_sms;
}

#define EMULATED ":an emulated GPU"

static bool drives(const struct by_driver *b, unsigned sm)
{
    struct jw_driver_version v;
    struct jw_err ignored;

    return !jw_driver_parse(b->files.version, &v, &ignored) || jw_driver_drives(&v, sm) == JW_DRIVES;
}

/* The GPU to emulate: one that the driver knows. If possible none of the targets, so that all are compiled in the same
 * way. */
static const char *emulated_gpu(const struct by_driver *b)
{
    static const unsigned sms[] = { 75, 86, 80, 70 };
    unsigned known = 0;

    for (size_t i = 0; i < JW_COUNT(sms) && (!known || has_pack(b, known)); i++)
        if (drives(b, sms[i]) && (!known || !has_pack(b, sms[i])))
            known = sms[i];
    return jw_arena_printf(b->cli->arena, "sm_%u" EMULATED, known ? known : sms[0]);
}

static const char *put_before(struct by_driver *b, const char *variable, const char *value,
                              const char *between)
{
    const char *old = jw_env(b->cli->arena, variable);

    return jw_arena_printf(b->cli->arena, "%s%s%s", value, old && *old ? between : "", old ? old : "");
}

#define CACHE "JITWARM_COMPILE_CACHE" /* set for the child */

/* Runs the child with the driver's files and returns its exit code. `state` NULL: the user's. */
static int run_child(struct by_driver *b, const char *gpu, const char *state, const char *cache)
{
    const struct jw_child_edit edits[] = {
        { CACHE, cache },
        { "JITWARM_STATE", state ? state : jw_env(b->cli->arena, "JITWARM_STATE") },
        { "LD_LIBRARY_PATH", put_before(b, "LD_LIBRARY_PATH", b->files.links, ":") },
        { "LD_PRELOAD", put_before(b, "LD_PRELOAD", b->files.phantom, " ") },
        { "JITWARM_PHANTOM_GPUS", gpu },
        { "JITWARM_PHANTOM_DRIVER", b->files.version },
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
    int code = EXIT_DONE;

    if (!cache || !jw_attend(b->argv, edits, JW_COUNT(edits), &code, &b->err))
        return jw_cli_fail(b->cli, &b->err);
    return code;
}

/* Emulates one GPU after the other. Caches and records are temporary. */
static int run_for_each(struct by_driver *b)
{
    const char *state = jw_state_dir(b->cli->arena, &b->err);
    char *folder = NULL;
    int code = EXIT_DONE;

    if (!state || !jw_scratch_make(state, "compile-run", b->cli->arena, &folder, &b->err)
        || !jw_make_dirs(b->a->output, &b->err))
        code = jw_cli_fail(b->cli, &b->err);
    for (size_t i = 0; code <= EXIT_PARTLY && i < b->target.n_sms; i++) {
        char gpu[64], cache[16];

        (void)snprintf(cache, sizeof cache, "sm_%u", b->target.sms[i]);
        (void)snprintf(gpu, sizeof gpu, "%s" EMULATED, cache);

        int one = run_child(b, gpu, jw_path_join(b->cli->arena, folder, "state"),
                            jw_path_join(b->cli->arena, folder, cache));

        code = one > code ? one : code;
    }
    jw_scratch_remove(folder);
    return code;
}

/* ---- checks before the run ---- */

static bool places_fit(const struct by_driver *b, struct jw_err *err)
{
    const struct texts *paths = &b->a->paths;
    struct jw_file_info info = { 0 };

    for (size_t i = 0; i < paths->n; i++) {
        if (!jw_file_stat(paths->items[i], &info, err))
            return jw_wrap(err, "%s", paths->items[i]);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", paths->items[i]);
    }
    if (!b->a->output)
        return true;
    if (!jw_file_stat(b->a->output, &info, err))
        return jw_wrap(err, "%s", b->a->output);
    return info.kind == JW_FILE_NONE || info.kind == JW_FILE_DIR
           || jw_fail(err, JW_E_USAGE, "-o: the packs go into a folder, and %.200s is a file", b->a->output);
}

static bool replaces_no_file(const struct by_driver *b, struct jw_err *err)
{
    for (size_t i = 0; i < b->target.n_sms && !b->a->yes && !b->a->dry_run; i++) {
        const char *path = jw_arena_printf(b->cli->arena, "%s/jitwarm-%s-sm_%u.tar.zst", b->a->output,
                                           b->files.version, (unsigned)b->target.sms[i]);
        struct jw_file_info info = { 0 };

        if (!jw_file_stat(path, &info, err))
            return false;
        if (info.kind != JW_FILE_NONE)
            return jw_fail(err, JW_E_BUSY, "%.200s exists; --yes replaces it", path);
    }
    return true;
}

/* "580" matches 580.178.04 */
static bool has_version(const struct by_driver *b, struct jw_err *err)
{
    const char *version = b->target.driver ? b->target.driver : "";
    size_t n = strlen(version);

    return !n || (strncmp(b->files.version, version, n) == 0 && strchr(".", b->files.version[n]))
           || jw_fail(err, JW_E_USAGE, "--for: the driver in %.200s is %s, not %.60s", b->files.from,
                      b->files.version, version);
}

int compile_by_driver(struct cli *cli, const struct compile_args *a)
{
    struct by_driver b = { .cli = cli, .a = a };
    const char *cache = jw_env(cli->arena, CACHE);
    struct jw_err err = { 0 };

    if (!check_driver_args(&b, &err))
        return jw_cli_fail(cli, &err);
    if (cache)
        return compile_inside(&b, cache);
    if (!places_fit(&b, &err) || !jw_driver_files_ready(a->driver_files, cli->arena, &b.files, &err)
        || !has_version(&b, &err) || !replaces_no_file(&b, &err) || !same_words(&b, &err)) {
        jw_scratch_remove(b.files.links);
        return jw_cli_fail(cli, &err);
    }
    jw_messages_say(
        &cli->messages,
        "Compiling without a GPU, with NVIDIA's driver %s in %s; NVIDIA's licence applies to it%s%s",
        b.files.version, b.files.from, b.files.licence ? ": " : "", b.files.licence ? b.files.licence : "");

    int code = a->run.n ? run_for_each(&b)
                        : run_child(&b, emulated_gpu(&b), NULL, siblings_cache(cli->arena, &b.err));

    jw_scratch_remove(b.files.links);
    return code;
}
