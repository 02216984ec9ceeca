/*
 * E16, a real application: the library that LAB_APP names, loaded through its own registration with the CUDA runtime, as
 * programs do. What a dry run expects and what prime leaves; seconds and new entries of a start after prime, of one after
 * export and import, of a cold start and a warm one, lazy and eager. What the library needs beside it is found by
 * LD_LIBRARY_PATH (LAB_APP_LIBS is put in front). The cold start comes last, and has what is left of the time: it takes minutes.
 */
#include "lab.h"

#include "base/compiler.h"
#include "base/path.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TOOL_MS = 300000,
    MAX_SAID = 4 << 20,
    KEEP_S = 8,
    LEAST_S = 15,
    LAST_WORDS = 1000,
    NEEDS_NEWER_DRIVER = 36
};

struct application {
    struct lab *l;
    const char *path, *tool, *state, *libs;
    struct jw_buf said; /* what jitwarm answered last */
    uint64_t prime_us, primed_us, imported_us, cold_us, warm_us;
    uint64_t ptx, need, used; /* bytes: of the PTX, what plan expects, what prime left */
    unsigned primed_new, imported_new;
    bool started; /* programs of the CUDA runtime run here */
};

/* A step may use what is left of the experiment's time, but for what is needed to say so. */
static unsigned time_left(const struct lab *l)
{
    unsigned s = lab_seconds_left(l);

    s = s > KEEP_S ? s - KEEP_S : 1;
    return s > TOOL_MS / 1000 ? TOOL_MS : s * 1000;
}

/* The simulated driver cannot run programs of the CUDA runtime: docs/simcuda.md. */
static bool not_on_this_driver(const struct lab *l, const struct lab_done *d)
{
    return l->m.simulated && d->n && d->ops[0].code == NEEDS_NEWER_DRIVER;
}

static const char *why_not_started(const struct lab *l, const struct lab_done *d)
{
    return not_on_this_driver(l, d)         ? "the simulated driver runs no program of the CUDA runtime"
           : strstr(d->how, "time") != NULL ? "it did not end in the time that was left"
                                            : "the library could not be loaded, or its runtime failed";
}

/* The end of what was said, for a reader of the lines who cannot ask the machine again. */
static void say_last_words(struct lab *l, const char *text)
{
    size_t n = strlen(text);

    jw_json_text(&l->json, "said", n > LAST_WORDS ? text + n - LAST_WORDS : text);
}

/* Why the loader refused, as the process wrote it beside the folder. */
static void say_why_not_loaded(struct lab *l, const char *root)
{
    struct jw_buf text = JW_BUF(1 << 16);
    struct jw_err ignored;
    bool found = false;

    if (jw_file_slurp(lab_op_of(l, "%s.why", root), &text, &found, &ignored) && found)
        say_last_words(l, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* Begins a line, which the caller ends. `*op` NULL: the start gave an error, or did not end. */
static bool start(struct application *a, const char *root, const char *loading, const char *step,
                  const char *what, const struct lab_op **op, struct lab_done *done, struct jw_err *err)
{
    struct jw_child_edit edits[] = { { "LD_LIBRARY_PATH", a->libs }, { "CUDA_CACHE_MAXSIZE", "4294967296" } };
    struct lab_step s = { .cache = root,
                          .loading = loading,
                          .silent_ms = time_left(a->l),
                          .edits = a->libs ? edits : edits + 1,
                          .n_edits = a->libs ? 2 : 1,
                          .ops = { lab_op_text(a->l, "app", a->path) } };
    struct lab_census census;

    uint64_t from = jw_time_monotonic_ns();

    if (!lab_run(a->l, &s, done, err) || !lab_census(a->l, root, &census, err))
        return false;
    bool late = !done->n && strstr(done->how, "time");

    *op = done->n && done->ops[0].code == 0 ? &done->ops[0] : NULL;
    a->started |= *op != NULL;
    lab_say(a->l, step, what, *op || late || not_on_this_driver(a->l, done));
    jw_json_text(&a->l->json, "loading", loading);
    lab_say_done(a->l, done);
    if (!*op) {
        jw_json_text(&a->l->json, "why", why_not_started(a->l, done));
        say_why_not_loaded(a->l, root);
    }
    jw_json_bool(&a->l->json, "started", *op != NULL);
    jw_json_real(&a->l->json, late ? "seconds_at_least" : "seconds",
                 *op ? (double)(*op)->us / 1e6 : (double)(jw_time_monotonic_ns() - from) / 1e9);
    jw_json_number(&a->l->json, "new_entries", lab_new(done));
    lab_say_census(a->l, "left", &census);
    return true;
}

/* jitwarm itself, with its own state; `root` is the cache. */
static bool tool(struct application *a, const char *step, const char *root, const char *const *args,
                 uint64_t *us, struct jw_err *err)
{
    /* What it says on standard error tells why, when it fails. */
    const char *argv[16] = { "sh", "-c", "exec \"$@\" 2>&1", "sh", a->tool };
    const size_t own = 5;
    struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", root },
                                     { "JITWARM_STATE", a->state },
                                     { "CUDA_CACHE_MAXSIZE", "4294967296" },
                                     { "CUDA_CACHE_DISABLE", NULL } };
    struct jw_process_options o = {
        .exe = "/bin/sh", .argv = argv, .timeout_ms = time_left(a->l), .edits = edits, .n_edits = 4
    };
    uint64_t from = jw_time_monotonic_ns();
    int code = -1;

    for (size_t i = 0; args[i] && i + own + 1 < JW_COUNT(argv); i++)
        argv[i + own] = args[i];
    jw_buf_clear(&a->said);
    bool ran = jw_process_run(&o, &a->said, &code, err);

    *us = (jw_time_monotonic_ns() - from) / 1000;
    lab_say(a->l, step, "jitwarm, which this folder is for", ran && code == 0);
    jw_json_text(&a->l->json, "verb", args[0]);
    jw_json_number(&a->l->json, "exit", (uint64_t)(unsigned)code);
    jw_json_real(&a->l->json, "seconds", (double)*us / 1e6);
    if (!ran)
        jw_json_text(&a->l->json, "error", err->msg);
    if (!ran || code != 0)
        say_last_words(a->l, jw_buf_cstr(&a->said));
    return true;
}

/* A number of the last answer; 0: it is not there. */
static uint64_t answered(struct application *a, const char *key)
{
    char quoted[48];
    const char *at;

    (void)snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    at = strstr(jw_buf_cstr(&a->said), quoted);
    return at ? strtoull(at + strlen(quoted), NULL, 10) : 0;
}

static bool planned(struct application *a, const char *root, struct jw_err *err)
{
    const char *const plan[] = { "prime", "--dry-run", "--json", a->path, NULL };
    uint64_t us;

    if (!tool(a, "plan", root, plan, &us, err))
        return false;
    a->ptx = answered(a, "ptx_bytes");
    a->need = answered(a, "need_bytes");
    jw_json_number(&a->l->json, "modules", answered(a, "jobs"));
    jw_json_number(&a->l->json, "ptx_bytes", a->ptx);
    jw_json_number(&a->l->json, "need_bytes", a->need);
    lab_say_end(a->l);
    return true;
}

static bool prime(struct application *a, const char *root, struct jw_err *err)
{
    const char *const args[] = { "prime", "--yes", a->path, NULL };
    struct lab_census census;

    if (!tool(a, "prime", root, args, &a->prime_us, err) || !lab_census(a->l, root, &census, err))
        return false;
    a->used = census.total;
    jw_json_number(&a->l->json, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    lab_say_census(a->l, "left", &census);
    return true;
}

static void check_size(struct application *a)
{
    double by_ptx = a->ptx ? (double)a->used / (double)a->ptx : 0;

    jw_json_number(&a->l->json, "need_bytes", a->need);
    jw_json_number(&a->l->json, "used_bytes", a->used);
    if (a->ptx && a->used)
        lab_finds(a->l, "F59-entry-size", by_ptx >= 1.4 && by_ptx <= 2.6 ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "%.2f bytes for each of PTX; %llu were expected, %llu are used", by_ptx,
                  (unsigned long long)a->need, (unsigned long long)a->used);
    else
        lab_finds(a->l, "F59-entry-size", LAB_NOT_TESTABLE, "nothing was compiled");
}

static bool start_warmed(struct application *a, const char *root, const char *step, const char *what,
                         const char *belief, uint64_t *us, unsigned *fresh, struct jw_err *err)
{
    const struct lab_op *op;
    struct lab_done done;

    if (!start(a, root, "EAGER", step, what, &op, &done, err))
        return false;
    *us = op ? op->us : 0;
    *fresh = lab_new(&done);
    if (op)
        lab_finds(a->l, belief, *fresh ? LAB_CONTRADICTED : LAB_CONFIRMED,
                  "%u new entries at a real program's start", *fresh);
    else
        lab_finds(a->l, belief, LAB_NOT_TESTABLE, "%s", why_not_started(a->l, &done));
    lab_say_end(a->l);
    return true;
}

static bool cold_and_warm(struct application *a, const char *loading, uint64_t *cold_us, uint64_t *warm_us,
                          struct jw_err *err)
{
    const struct lab_op *op;
    struct lab_done done;
    const char *root;
    char cold[32], warm[32];

    (void)snprintf(cold, sizeof cold, "cold-%s", loading);
    (void)snprintf(warm, sizeof warm, "warm-%s", loading);
    *cold_us = *warm_us = 0;
    if (!lab_cache(a->l, cold, &root, err)
        || !start(a, root, loading, cold, "a start with an empty folder", &op, &done, err))
        return false;
    lab_say_end(a->l);
    *cold_us = op ? op->us : 0;
    if (lab_seconds_left(a->l) < LEAST_S)
        return lab_not_asked(a->l, warm, "no time was left", NULL);
    if (!start(a, root, loading, warm, "the same again", &op, &done, err))
        return false;
    lab_say_end(a->l);
    *warm_us = op ? op->us : 0;
    return true;
}

static bool primed(struct application *a, struct jw_err *err)
{
    struct lab *l = a->l;
    const char *root, *other, *pack = lab_path(l, "app.tar.zst");
    const char *const export[] = { "export", "-o", pack, a->path, NULL };
    const char *const import[] = { "import", "--yes", "--allow-unsigned", "--everything", pack, NULL };
    uint64_t us;

    if (!lab_cache(l, "primed", &root, err) || !planned(a, root, err) || !prime(a, root, err))
        return false;
    check_size(a);
    lab_say_end(l);
    if (!start_warmed(a, root, "start-primed", "a start after jitwarm prime: nothing may be new",
                      "F15-doors-agree", &a->primed_us, &a->primed_new, err)
        || !tool(a, "export", root, export, &us, err))
        return false;
    lab_say_end(l);
    if (!lab_cache(l, "imported", &other, err) || !tool(a, "import", other, import, &us, err))
        return false;
    lab_say_end(l);
    return start_warmed(a, other, "start-imported", "a start after export and import: nothing may be new",
                        "F27-merge-copy-append", &a->imported_us, &a->imported_new, err);
}

/* All that the README would quote, in one line; 0 seconds: not measured. */
static void headline(struct application *a)
{
    struct lab *l = a->l;

    lab_say(l, "proof", "seconds of each start, and entries that were new", true);
    jw_json_real(&l->json, "cold_seconds", (double)a->cold_us / 1e6);
    jw_json_real(&l->json, "warm_seconds", (double)a->warm_us / 1e6);
    jw_json_real(&l->json, "prime_seconds", (double)a->prime_us / 1e6);
    jw_json_real(&l->json, "primed_start_seconds", (double)a->primed_us / 1e6);
    jw_json_real(&l->json, "imported_start_seconds", (double)a->imported_us / 1e6);
    jw_json_number(&l->json, "primed_new_entries", a->primed_new);
    jw_json_number(&l->json, "imported_new_entries", a->imported_new);
    jw_json_bool(&l->json, "asked", a->started);
    lab_say_end(l);
}

const char *lab_tool(struct lab *l)
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

/* `*why` not NULL: there is nothing to ask. */
static bool open_application(struct application *a, struct lab *l, const char **why, struct jw_err *err)
{
    const char *library = getenv("LD_LIBRARY_PATH");

    *a = (struct application){ .l = l,
                               .path = getenv("LAB_APP"),
                               .tool = lab_tool(l),
                               .libs = getenv("LAB_APP_LIBS"),
                               .said = JW_BUF(MAX_SAID) };
    *why = !a->path || !*a->path ? "LAB_APP names no library"
           : !a->tool            ? "there is no jitwarm beside this program: LAB_JITWARM names one"
                                 : NULL;
    if (a->libs && library)
        a->libs = lab_op_of(l, "%s:%s", a->libs, library);
    return *why || lab_cache(l, "state", &a->state, err);
}

bool lab_e16(struct lab *l, struct jw_err *err)
{
    struct application a;
    const char *why;
    uint64_t cold, warm;
    bool ok = open_application(&a, l, &why, err);

    if (ok && why)
        ok = lab_not_asked(l, "start-primed", why, "F15-doors-agree F27-merge-copy-append F59-entry-size");
    else if (ok)
        ok = primed(&a, err) && cold_and_warm(&a, "LAZY", &cold, &warm, err)
             && (lab_seconds_left(l) < LEAST_S ? lab_not_asked(l, "cold-EAGER", "no time was left", NULL)
                                               : cold_and_warm(&a, "EAGER", &a.cold_us, &a.warm_us, err));
    if (ok && !why)
        headline(&a);
    jw_buf_free(&a.said);
    return ok;
}
