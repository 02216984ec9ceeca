/*
 * compile --compiler driver: NVIDIA's driver, from files of the user, compiles on a machine without a GPU. phantom
 * emulates one GPU. A child `jitwarm prime --gpu` loads the driver's files instead of the system's and compiles for the
 * other GPUs; its output is the output of compile.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "cache/memory/state.h"
#include "machine/list.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/exec.h"
#include "os/process/process.h"
#include "pack/compile/command/compile_view.h"
#include "pack/compile/driver_files.h"
#include "prime/command/siblings.h"

#include <stdio.h>
#include <string.h>

struct by_driver {
    struct cli *cli;
    const struct compile_args *a;
    struct jw_compile_target target; /* `driver`: a version, or NULL */
    struct jw_driver_files files;
    const char *self;
    struct texts argv;
    bool failed; /* argv is incomplete: `err` */
    struct jw_err err;
};

static bool check(struct by_driver *b, struct jw_err *err)
{
    const struct compile_args *a = b->a;

    if (!jw_compile_target(a->target ? a->target : "", b->cli->arena, &b->target, err))
        return false;
    if (!b->target.n_sms || b->target.simulated)
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

/* ---- the command line of the child ---- */

/* NULL ends it. A failure stays in `err` and `failed`. */
static void word(struct by_driver *b, const char *text)
{
    const char **slot = b->failed ? NULL
                                  : jw_list_add(b->cli->arena, &b->argv.items, &b->argv.n, sizeof *slot,
                                                JW_MAX_ROOTS, &b->err);

    b->failed |= !slot;
    if (slot)
        *slot = text;
}

static void option(struct by_driver *b, const char *name, const char *value)
{
    word(b, name);
    word(b, value);
}

static void numbered(struct by_driver *b, const char *name, const char *before, unsigned value,
                     const char *unit)
{
    option(b, name, jw_arena_printf(b->cli->arena, "%s%u%s", before, value, unit));
}

static void first_words(struct by_driver *b, const char *verb)
{
    const struct common *c = &b->cli->common;

    word(b, b->self);
    word(b, verb);
    if (c->json)
        word(b, "--json");
    if (c->quiet)
        word(b, "--quiet");
    if (c->verbose)
        word(b, "--verbose");
}

static void pack_words(struct by_driver *b)
{
    const struct compile_args *a = b->a;

    if (a->jobs)
        numbered(b, "--jobs", "", a->jobs, "");
    if (a->timeout_s)
        numbered(b, "--timeout", "", a->timeout_s, "s");
    option(b, "--pack", a->output);
    if (a->sign)
        option(b, "--sign", a->sign);
    word(b, "--yes");
}

/* With its own cache, from which the pack is made. */
static void run_words(struct by_driver *b, const char *cache)
{
    b->argv.n = 0;
    first_words(b, "prime");
    option(b, "--cache", cache);
    pack_words(b);
    word(b, "--run");
    for (size_t i = 0; i < b->a->run.n; i++)
        word(b, b->a->run.items[i]);
    word(b, NULL);
}

static void words(struct by_driver *b)
{
    const struct compile_args *a = b->a;

    first_words(b, a->dry_run ? "plan" : "prime");
    for (size_t i = 0; i < b->target.n_sms; i++)
        numbered(b, "--gpu", "sm_", b->target.sms[i], "");
    for (size_t i = 0; i < a->only.n; i++)
        option(b, "--only", a->only.items[i]);
    for (size_t i = 0; i < a->exclude.n; i++)
        option(b, "--exclude", a->exclude.items[i]);
    if (a->all)
        word(b, "--all");
    if (!a->dry_run)
        pack_words(b);
    word(b, "--");
    for (size_t i = 0; i < a->paths.n; i++)
        word(b, a->paths.items[i]);
    word(b, NULL);
}

static bool has_pack(const struct by_driver *b, unsigned sm)
{
    size_t i = 0;

    while (i < b->target.n_sms && b->target.sms[i] != sm)
        i++;
    return i < b->target.n_sms;
}

#define EMULATED ":a GPU that is played"

/* The GPU to emulate: if possible none of the targets, so that all targets are compiled in the same way. */
static const char *emulated_gpu(const struct by_driver *b)
{
    return !has_pack(b, 75)   ? "sm_75" EMULATED
           : !has_pack(b, 86) ? "sm_86" EMULATED
           : !has_pack(b, 80) ? "sm_80" EMULATED
                              : "sm_70" EMULATED;
}

static const char *put_before(struct by_driver *b, const char *variable, const char *value,
                              const char *between)
{
    const char *old = jw_env(b->cli->arena, variable);

    return jw_arena_printf(b->cli->arena, "%s%s%s", value, old && *old ? between : "", old ? old : "");
}

/* Runs the child with the driver's files and returns its exit code. `state` NULL: the user's. */
static int run_child(struct by_driver *b, const char *gpu, const char *state)
{
    const char *cache = siblings_cache(b->cli->arena, &b->err);
    const struct jw_child_edit edits[] = {
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
    };
    int code = EXIT_DONE;

    if (b->failed || !cache || !jw_attend(b->argv.items, edits, JW_COUNT(edits), &code, &b->err))
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
        run_words(b, jw_path_join(b->cli->arena, folder, cache));

        int one = run_child(b, gpu, jw_path_join(b->cli->arena, folder, "state"));

        code = one > code ? one : code;
    }
    jw_scratch_remove(folder);
    return code;
}

/* ---- checks before the run ---- */

static bool replaces_no_file(struct by_driver *b, struct jw_err *err)
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

static bool find_self(struct by_driver *b, struct jw_err *err)
{
    struct jw_buf self = JW_BUF(JW_MAX_PATH);
    bool ok = jw_process_self(&self, err);

    b->self = ok ? jw_arena_str(b->cli->arena, jw_buf_cstr(&self)) : NULL;
    jw_buf_free(&self);
    return ok;
}

int compile_by_driver(struct cli *cli, const struct compile_args *a)
{
    struct by_driver b = { .cli = cli, .a = a };
    struct jw_err err = { 0 };

    if (!check(&b, &err) || !jw_driver_files_ready(a->driver_files, cli->arena, &b.files, &err)
        || !has_version(&b, &err) || !replaces_no_file(&b, &err) || !find_self(&b, &err)) {
        jw_scratch_remove(b.files.links);
        return jw_cli_fail(cli, &err);
    }
    jw_messages_say(
        &cli->messages,
        "Compiling without a GPU, with NVIDIA's driver %s in %s; NVIDIA's licence applies to it%s%s",
        b.files.version, b.files.from, b.files.licence ? ": " : "", b.files.licence ? b.files.licence : "");

    int code;

    if (a->run.n)
        code = run_for_each(&b);
    else {
        words(&b);
        code = run_child(&b, emulated_gpu(&b), NULL);
    }
    jw_scratch_remove(b.files.links);
    return code;
}
