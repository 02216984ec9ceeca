/*
 * compile --compiler driver: NVIDIA's own driver, from files that the user has, compiles on a machine without any GPU. phantom
 * plays it one GPU; the GPUs that the packs are for it compiles for as prime --gpu does for those that are not here. So a run of
 * this very program with the driver's files before the system's does the work, and its words are the answer.
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

enum { MOST_GPUS = 32 };

struct by_driver {
    struct cli *cli;
    const struct compile_args *a;
    const char *wanted; /* version; NULL: whichever it is */
    uint16_t sm[MOST_GPUS];
    size_t n_sm;
    struct jw_driver_files files;
    const char *self;
    struct texts argv;
    bool failed; /* argv is not whole: `err` */
    struct jw_err err;
};

/* ---- --for driver=580.178.04,sm=86,sm=89 ---- */

static bool take_part(struct by_driver *b, const char *text, size_t n, struct jw_err *err)
{
    if (n > 7 && memcmp(text, "driver=", 7) == 0) {
        b->wanted = jw_arena_text(b->cli->arena, text + 7, n - 7);
        return true;
    }
    if (b->n_sm == MOST_GPUS)
        return jw_fail(err, JW_E_USAGE, "--for: more than %d GPUs", (int)MOST_GPUS);
    return jw_offline_sm(text, n, &b->sm[b->n_sm++])
           || jw_fail(err, JW_E_USAGE,
                      "--for: \"%.*s\" is neither driver=VERSION nor sm=NUMBER, as in --for "
                      "driver=580.178.04,sm=86,sm=89",
                      (int)jw_min(n, 60), text);
}

static bool take_target(struct by_driver *b, struct jw_err *err)
{
    for (const char *text = b->a->target ? b->a->target : ""; *text;) {
        size_t n = strcspn(text, ",");

        if (!take_part(b, text, n, err))
            return false;
        text += n + (text[n] == ',');
    }
    return b->n_sm > 0
           || jw_fail(err, JW_E_USAGE, "which GPUs are the packs for? --for sm=86,sm=89 names them");
}

static bool check(const struct by_driver *b, struct jw_err *err)
{
    const struct compile_args *a = b->a;

    if (a->includes.n)
        return jw_fail(err, JW_E_USAGE, "--include goes with a .cu file");
    if (!a->driver_files)
        return jw_fail(err, JW_E_USAGE,
                       "--compiler driver wants --driver-files DIR: a driver of NVIDIA's, unpacked (sh "
                       "NVIDIA-Linux-x86_64-VERSION.run --extract-only)");
    if (a->run.n && (a->paths.n || a->only.n || a->exclude.n || a->all))
        return jw_fail(err, JW_E_USAGE,
                       "--run is about what a command loads: not with paths, --only, --exclude or --all");
    if (a->run.n && (a->dry_run || (b->cli->common.json && b->n_sm > 1)))
        return jw_fail(err, JW_E_USAGE,
                       a->dry_run ? "--run: what a command loads is not known before it ran"
                                  : "--run with --json: one GPU at a time, for each has its answer");
    if (!a->output && !a->dry_run)
        return jw_fail(err, JW_E_USAGE,
                       "--compiler driver wants -o DIR: the folder for the packs, one for each GPU");
    return true;
}

/* ---- what is run ---- */

/* NULL ends the words. A failure stays in `err` and `failed`. */
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

/* "--gpu", "sm_%u": the text of the number lives as long as the run. */
static void numbered(struct by_driver *b, const char *name, const char *before, unsigned value,
                     const char *unit)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&text, "%s%u%s", before, value, unit);

    const char *kept = jw_arena_str(b->cli->arena, jw_buf_cstr(&text));

    jw_buf_free(&text);
    option(b, name, kept);
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

/* Into a cache of its own, of which the pack is made. */
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
    for (size_t i = 0; i < b->n_sm; i++)
        numbered(b, "--gpu", "sm_", b->sm[i], "");
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

    while (i < b->n_sm && b->sm[i] != sm)
        i++;
    return i < b->n_sm;
}

/* Rather one that no pack is for, so that all of them are compiled for alike. */
static const char *played(const struct by_driver *b)
{
    static const char *const may[] = { "sm_75:a GPU that is played", "sm_86:a GPU that is played",
                                       "sm_80:a GPU that is played", "sm_70:a GPU that is played" };

    return may[!has_pack(b, 75) ? 0 : !has_pack(b, 86) ? 1 : !has_pack(b, 80) ? 2 : 3];
}

static const char *put_before(struct by_driver *b, const char *variable, const char *value,
                              const char *between)
{
    const char *old = jw_env(b->cli->arena, variable);
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&text, "%s%s%s", value, old && *old ? between : "", old ? old : "");

    const char *kept = jw_buf_ok(&text, &b->err) ? jw_arena_str(b->cli->arena, jw_buf_cstr(&text)) : NULL;

    b->failed |= !kept;
    jw_buf_free(&text);
    return kept;
}

/* The exit code of the words, run with the driver's files. `state` NULL: the user's. */
static int attend(struct by_driver *b, const char *gpu, const char *state)
{
    const char *cache = siblings_cache(b->cli->arena, &b->err);
    const struct jw_child_edit edits[] = {
        { "JITWARM_STATE", state ? state : jw_env(b->cli->arena, "JITWARM_STATE") },
        { "LD_LIBRARY_PATH", put_before(b, "LD_LIBRARY_PATH", b->files.links, ":") },
        { "LD_PRELOAD", put_before(b, "LD_PRELOAD", b->files.phantom, " ") },
        { "JITWARM_PHANTOM_GPUS", gpu },
        { "JITWARM_PHANTOM_DRIVER", b->files.version },
        { "JITWARM_PHANTOM_BESIDE", "1" }, /* the user asked for these files, whatever is installed here */
        { "JITWARM_DRIVER", NULL },
        { "CUDA_VISIBLE_DEVICES", NULL },
        /* Where a pack is for the very GPU that is played, its entries lie beside the others', not in the user's cache. */
        { "CUDA_CACHE_PATH", cache },
        { "CUDA_CACHE_MAXSIZE", "4294967296" },
        { "CUDA_CACHE_DISABLE", NULL },
    };
    int code = EXIT_DONE;

    if (b->failed || !cache || !jw_attend(b->argv.items, edits, JW_COUNT(edits), &code, &b->err))
        return jw_cli_fail(b->cli, &b->err);
    return code;
}

/* Each GPU is played in its turn; caches, and what is remembered of them, go when it is done. */
static int run_for_each(struct by_driver *b)
{
    const char *state = jw_state_dir(b->cli->arena, &b->err);
    char *folder = NULL;
    int code = EXIT_DONE;

    if (!state || !jw_scratch_make(state, "compile-run", b->cli->arena, &folder, &b->err)
        || !jw_make_dirs(b->a->output, &b->err))
        code = jw_cli_fail(b->cli, &b->err);
    for (size_t i = 0; code <= EXIT_PARTLY && i < b->n_sm; i++) {
        char gpu[64], cache[16];

        (void)snprintf(cache, sizeof cache, "sm_%u", b->sm[i]);
        (void)snprintf(gpu, sizeof gpu, "%s:a GPU that is played", cache);
        run_words(b, jw_path_join(b->cli->arena, folder, cache));

        int one = attend(b, gpu, jw_path_join(b->cli->arena, folder, "state"));

        code = one > code ? one : code;
    }
    jw_scratch_remove(folder);
    return code;
}

/* ---- before ---- */

static bool none_is_replaced(struct by_driver *b, struct jw_err *err)
{
    for (size_t i = 0; i < b->n_sm && !b->a->yes && !b->a->dry_run; i++) {
        struct jw_buf path = JW_BUF(JW_MAX_PATH);
        struct jw_file_info info = { 0 };

        jw_buf_printf(&path, "%s/jitwarm-%s-sm_%u.tar.zst", b->a->output, b->files.version,
                      (unsigned)b->sm[i]);

        bool ok = jw_buf_ok(&path, err) && jw_file_stat(jw_buf_cstr(&path), &info, err);

        if (ok && info.kind != JW_FILE_NONE)
            ok = jw_fail(err, JW_E_BUSY, "%.200s is there already; --yes replaces it", jw_buf_cstr(&path));
        jw_buf_free(&path);
        if (!ok)
            return false;
    }
    return true;
}

static bool is_wanted(const struct by_driver *b, struct jw_err *err)
{
    size_t n = b->wanted ? strlen(b->wanted) : 0;

    /* "580" is enough of 580.178.04 */
    return !n || (strncmp(b->files.version, b->wanted, n) == 0 && strchr(".", b->files.version[n]))
           || jw_fail(err, JW_E_USAGE, "--for: the driver in %.200s is %s, not %.60s", b->files.from,
                      b->files.version, b->wanted);
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

    if (!take_target(&b, &err) || !check(&b, &err)
        || !jw_driver_files_ready(a->driver_files, cli->arena, &b.files, &err))
        return err.code == JW_E_USAGE ? jw_cli_usage(cli, &err) : jw_cli_fail(cli, &err);
    if (!is_wanted(&b, &err) || !none_is_replaced(&b, &err) || !find_self(&b, &err)) {
        jw_scratch_remove(b.files.links);
        return err.code == JW_E_USAGE ? jw_cli_usage(cli, &err) : jw_cli_fail(cli, &err);
    }
    jw_messages_say(&cli->messages,
                    "NVIDIA's driver %s in %s does this, without a GPU; NVIDIA's licence applies to it%s%s",
                    b.files.version, b.files.from, b.files.licence ? ": " : "",
                    b.files.licence ? b.files.licence : "");

    int code;

    if (a->run.n)
        code = run_for_each(&b);
    else {
        words(&b);
        code = attend(&b, played(&b), NULL);
    }
    jw_scratch_remove(b.files.links);
    return code;
}
