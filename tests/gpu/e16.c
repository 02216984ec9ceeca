/*
 * E16, a real application: the library that LAB_APP names, loaded through its own registration with the CUDA runtime, as
 * programs do. Seconds and new entries of a cold start and a warm one, eager and lazy; then of a start after jitwarm prime,
 * and of one after export and import. What it needs beside it is found by LD_LIBRARY_PATH (LAB_APP_LIBS is put in front).
 */
#include "lab.h"

#include "base/path.h"
#include "os/file.h"
#include "os/process.h"
#include "os/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SILENT_MS = 240000, TOOL_MS = 300000, MAX_SAID = 4 << 20, LEAST_S = 20 };

struct application {
    struct lab *l;
    const char *path, *tool, *state, *libs;
    uint64_t cold_us;
};

static bool start(struct application *a, const char *root, const char *loading, const char *step,
                  const char *what, const struct lab_op **op, struct lab_done *done, struct jw_err *err)
{
    struct jw_child_edit edits[] = { { "LD_LIBRARY_PATH", a->libs } };
    struct lab_step s = { .root = root,
                          .loading = loading,
                          .silent_ms = SILENT_MS,
                          .edits = edits,
                          .n_edits = a->libs ? 1 : 0,
                          .ops = { lab_op_text(a->l, "app", a->path) } };
    struct lab_census census;

    if (!lab_run(a->l, &s, done, err) || !lab_census(a->l, root, &census, err))
        return false;
    *op = done->n && done->ops[0].code == 0 ? &done->ops[0] : NULL;
    lab_say(a->l, step, what, *op != NULL);
    jw_json_text(&a->l->json, "loading", loading);
    lab_say_done(a->l, done);
    jw_json_real(&a->l->json, "seconds", done->n ? (double)done->ops[0].us / 1e6 : 0);
    jw_json_number(&a->l->json, "new_entries", lab_new(done));
    lab_say_census(a->l, "left", &census);
    return true;
}

/* jitwarm itself, with its own state; `root` is the cache. */
static bool tool(struct application *a, const char *step, const char *root, const char *const *args,
                 struct jw_err *err)
{
    const char *argv[12] = { a->tool };
    struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", root },
                                     { "JITWARM_STATE", a->state },
                                     { "CUDA_CACHE_MAXSIZE", "4294967296" },
                                     { "CUDA_CACHE_DISABLE", NULL } };
    struct jw_process_options o = {
        .exe = a->tool, .argv = argv, .timeout_ms = TOOL_MS, .edits = edits, .n_edits = 4
    };
    struct jw_buf said = JW_BUF(MAX_SAID);
    uint64_t from = jw_time_monotonic_ns();
    int code = -1;

    for (size_t i = 0; args[i] && i + 2 < sizeof argv / sizeof argv[0]; i++)
        argv[i + 1] = args[i];
    bool ran = jw_process_run(&o, &said, &code, err);

    lab_say(a->l, step, "jitwarm, which this folder is for", ran && code == 0);
    jw_json_text(&a->l->json, "verb", args[0]);
    jw_json_number(&a->l->json, "exit", (uint64_t)(unsigned)code);
    jw_json_real(&a->l->json, "seconds", (double)(jw_time_monotonic_ns() - from) / 1e9);
    if (!ran)
        jw_json_text(&a->l->json, "error", err->msg);
    lab_say_end(a->l);
    jw_buf_free(&said);
    return true;
}

static bool cold_and_warm(struct application *a, const char *loading, struct jw_err *err)
{
    const struct lab_op *op;
    struct lab_done done;
    const char *root;
    char cold[32], warm[32];

    (void)snprintf(cold, sizeof cold, "cold-%s", loading);
    (void)snprintf(warm, sizeof warm, "warm-%s", loading);
    if (!lab_root(a->l, cold, &root, err)
        || !start(a, root, loading, cold, "a start with an empty folder", &op, &done, err))
        return false;
    if (op && !a->cold_us)
        a->cold_us = op->us;
    lab_say_end(a->l);
    if (!start(a, root, loading, warm, "the same again", &op, &done, err))
        return false;
    lab_say_end(a->l);
    return true;
}

static bool start_warmed(struct application *a, const char *root, const char *step, const char *what,
                         const char *belief, struct jw_err *err)
{
    const struct lab_op *op;
    struct lab_done done;

    if (!start(a, root, "EAGER", step, what, &op, &done, err))
        return false;
    jw_json_real(&a->l->json, "cold_seconds", (double)a->cold_us / 1e6);
    lab_finds(a->l, belief,
              !op              ? LAB_NOT_TESTABLE
              : lab_new(&done) ? LAB_CONTRADICTED
                               : LAB_CONFIRMED,
              "%u new entries at a real program's start", lab_new(&done));
    lab_say_end(a->l);
    return true;
}

static bool primed(struct application *a, struct jw_err *err)
{
    struct lab *l = a->l;
    const char *root, *other, *pack = lab_path(l, "app.tar.zst");
    const char *const prime[] = { "prime", "--yes", a->path, NULL };
    const char *const export[] = { "export", "--no-store", "-o", pack, a->path, NULL };
    const char *const import[] = { "import", "--yes", "--allow-unsigned", "--foreign", pack, NULL };

    return lab_root(l, "primed", &root, err) && tool(a, "prime", root, prime, err)
           && start_warmed(a, root, "start-primed", "a start after jitwarm prime: nothing may be new",
                           "F15-doors-agree", err)
           && tool(a, "export", root, export, err) && lab_root(l, "imported", &other, err)
           && tool(a, "import", other, import, err)
           && start_warmed(a, other, "start-imported", "a start after export and import: nothing may be new",
                           "F27-merge-copy-append", err);
}

static const char *beside(struct lab *l)
{
    const char *given = getenv("LAB_JITWARM");
    char *folder = jw_path_dir(&l->arena, l->exe);
    struct jw_file_info info = { .kind = JW_FILE_NONE };
    struct jw_err ignored;
    const char *path = given ? given : folder ? jw_path_join(&l->arena, folder, "jitwarm") : NULL;

    if (path && jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR)
        return path;
    path = folder ? jw_path_join(&l->arena, folder, "../../jitwarm") : NULL; /* the tree's build */
    return path && jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR ? path : NULL;
}

bool lab_e16(struct lab *l, struct jw_err *err)
{
    struct application a = {
        .l = l, .path = getenv("LAB_APP"), .tool = beside(l), .libs = getenv("LAB_APP_LIBS")
    };
    const char *library = getenv("LD_LIBRARY_PATH");

    if (!a.path || !*a.path)
        return lab_not_asked(l, "cold-EAGER", "LAB_APP names no library",
                             "F15-doors-agree F27-merge-copy-append");
    if (a.libs && library)
        a.libs = lab_op_of(l, "%s:%s", a.libs, library);
    if (!lab_root(l, "state", &a.state, err) || !cold_and_warm(&a, "EAGER", err))
        return false;
    if (!a.tool)
        return lab_not_asked(l, "prime", "there is no jitwarm beside this program: LAB_JITWARM names one",
                             NULL);
    return primed(&a, err) && (lab_seconds_left(l) < LEAST_S || cold_and_warm(&a, "LAZY", err));
}
