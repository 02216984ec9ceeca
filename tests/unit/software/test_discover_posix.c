/* Pythons that are shell scripts: right ones, hanging ones, liars; and links. */
#include "base/buf.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "base/path.h"
#include "base/text.h"
#include "check.h"
#include "os/machine/time.h"
#include "rigs/tree.h"
#include "software/find/discover.h"
#include "software/find/python.h"
#include "software/find/walk_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *no_env(void *ctx, struct jw_arena *a, const char *name)
{
    (void)ctx, (void)a, (void)name;
    return NULL;
}

static const char *program(struct jw_arena *a, const char *name, const char *body)
{
    struct jw_buf text = JW_BUF(1 << 16);
    const char *path;

    jw_buf_printf(&text, "#!/bin/sh\n%s", body);
    path = tree_file(a, name, jw_buf_cstr(&text));
    jw_buf_free(&text);
    CHECK(chmod(path, 0755) == 0);
    return path;
}

static unsigned patience_ms = 20000;

static struct jw_discovery discover(struct jw_arena *a, const char *const *pythons,
                                    enum jw_discover_elevated elevated)
{
    struct jw_discovery d = { 0 };
    struct jw_err err = { 0 };
    struct jw_discover_options o = {
        .elevated = elevated,
        .env = no_env,
        .home = tree_path(a, "home"),
        .sysroot = tree_path(a, "sysroot"),
        .pythons = pythons,
        .python_timeout_ms = patience_ms,
    };

    CHECK(jw_discover(&o, a, &d, &err));
    return d;
}

TEST(a_python_that_answers)
{
    struct jw_arena a = { 0 };
    struct jw_buf body = JW_BUF(4096);
    const char *site = tree_dir(&a, "answers/here/site-packages"),
               *dist = tree_dir(&a, "answers/there/dist-packages");

    (void)tree_dir(&a, "answers/lib/python3.11/site-packages");
    jw_buf_printf(&body, "[ \"$1\" = -I ] || exit 9\necho %s\necho %s\necho %s\necho /gone/site-packages\n",
                  site, dist, site);
    const char *pythons[] = { program(&a, "answers/bin/python3", jw_buf_cstr(&body)), NULL };
    struct jw_discovery d = discover(&a, pythons, JW_ELEVATED_NO);

    CHECK_NUM(d.n_roots, 2);
    if (d.n_roots == 2) {
        CHECK_TEXT(d.roots[0].path, site);
        CHECK_TEXT(d.roots[0].how, "Python on PATH");
        CHECK_TEXT(d.roots[1].path, dist);
    }
    CHECK_NUM(d.notes.n, 0);
    jw_buf_free(&body);
    jw_arena_free(&a);
}

TEST(a_python_that_lies)
{
    struct jw_arena a = { 0 };
    const char *pythons[] = {
        program(&a, "liar/bin/python3",
                "echo /\necho /etc\necho relative/site-packages\nprintf '/\\377/site-packages\\n'\n"
                "printf '\\033[2J\\n\\n\\n'\n"),
        NULL,
    };

    (void)tree_dir(&a, "liar/lib/python3.11/site-packages");
    struct jw_discovery d = discover(&a, pythons, JW_ELEVATED_NO);

    CHECK_NUM(d.n_roots, 1); /* as its place tells */
    if (d.n_roots)
        CHECK_HAS(d.roots[0].path, "liar/lib/python3.11/site-packages");
    CHECK_NUM(d.notes.n, 1);
    if (d.notes.n)
        CHECK_HAS(d.notes.v[0], "liar/bin/python3: it named no folder");
    jw_arena_free(&a);
}

TEST(pythons_that_fail)
{
    struct jw_arena a = { 0 };
    const char *pythons[] = {
        program(&a, "fails/bin/python3", "exit 3\n"),
        program(&a, "fails/bin/python", "while :; do echo /x/site-packages; done\n"),
        program(&a, "fails/bin/pythonx", "kill -9 $$\n"),
        tree_path(&a, "fails/bin/absent"),
        NULL,
    };
    struct jw_discovery d = discover(&a, pythons, JW_ELEVATED_NO);

    CHECK_NUM(d.n_roots, 0);
    CHECK_NUM(d.notes.n, 4);
    if (d.notes.n == 4)
        CHECK_HAS(d.notes.v[0], "fails/bin/python3: it ended with code 3");
    for (size_t i = 0; i < d.notes.n; i++)
        printf("  %s\n", d.notes.v[i]);
    jw_arena_free(&a);
}

TEST(a_python_that_hangs)
{
    struct jw_arena a = { 0 };
    const char *pythons[] = { program(&a, "hangs/bin/python3", "sleep 60\n"), NULL };
    uint64_t start = jw_time_monotonic_ns();

    (void)tree_dir(&a, "hangs/lib64/python3.9/site-packages");
    patience_ms = 1000;
    struct jw_discovery d = discover(&a, pythons, JW_ELEVATED_NO);

    patience_ms = 20000;

    CHECK(jw_time_monotonic_ns() - start < 20000000000u);
    CHECK_NUM(d.n_roots, 1);
    CHECK_NUM(d.notes.n, 1);
    if (d.notes.n)
        CHECK_HAS(d.notes.v[0], "hangs/bin/python3: ");
    jw_arena_free(&a);
}

/* What anybody could have left there is not taken for this user's. */
TEST(working_folder_of_everybody)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *const none[] = { NULL };
    struct jw_discover_options o = { .env = no_env,
                                     .home = tree_path(&a, "home"),
                                     .sysroot = tree_path(&a, "sysroot"),
                                     .pythons = none,
                                     .registered = none,
                                     .working = tree_dir(&a, "shared/mine") };
    struct jw_discovery d = { 0 };

    (void)tree_file(&a, "shared/.venv/pyvenv.cfg", "");
    (void)tree_dir(&a, "shared/.venv/lib/python3.8/site-packages");
    CHECK(chmod(tree_path(&a, "shared"), 0755) == 0);
    CHECK(jw_discover(&o, &a, &d, &err));
    CHECK_NUM(d.n_roots, 1);
    CHECK(chmod(tree_path(&a, "shared"), 01777) == 0);
    CHECK(jw_discover(&o, &a, &d, &err));
    CHECK_NUM(d.n_roots, 0);
    jw_arena_free(&a);
}

static struct jw_discovery walk_home(struct jw_arena *a, unsigned us, const char *const *exclude)
{
    const char *const none[] = { NULL };
    struct jw_discovery d = { 0 };
    struct jw_err err = { 0 };
    struct jw_discover_options o = { .env = no_env,
                                     .home = tree_path(a, "walked/home"),
                                     .sysroot = tree_path(a, "walked"),
                                     .pythons = none,
                                     .registered = none,
                                     .working = "/",
                                     .ask_nobody = true,
                                     .memory = tree_path(a, "walked/state/walks"),
                                     .walk_us = us,
                                     .exclude = exclude,
                                     .n_exclude = exclude ? 1 : 0 };

    CHECK(jw_discover(&o, a, &d, &err));
    return d;
}

/* As long ago that it counts: what was changed a moment ago is read again. */
static void make_old(struct jw_arena *a, const char *name)
{
    const struct timespec times[2] = { { 1600000000, 5 }, { 1600000000, 5 } };

    CHECK(utimensat(AT_FDCWD, tree_path(a, name), times, 0) == 0);
}

static void start_anew(struct jw_arena *a)
{
    struct jw_buf remove = JW_BUF(4096);

    jw_buf_printf(&remove, "rm -rf '%s'", tree_path(a, "walked"));
    CHECK(system(jw_buf_cstr(&remove)) == 0);
    jw_buf_free(&remove);
    (void)tree_dir(a, "walked/home");
}

static void make_walked(struct jw_arena *a, const char *env)
{
    char name[128];

    (void)snprintf(name, sizeof name, "walked/home/%s/lib/python3.8/site-packages", env);
    (void)tree_dir(a, name);
    (void)snprintf(name, sizeof name, "walked/home/%s/pyvenv.cfg", env);
    (void)tree_file(a, name, "");
    (void)snprintf(name, sizeof name, "walked/home/%s", env);
    make_old(a, name);
    make_old(a, "walked/home");
}

/* A folder whose time is the same is not read again: an environment that lost its mark without a trace is still one. */
TEST(a_walk_is_remembered)
{
    struct jw_arena a = { 0 };
    const char *mark;

    start_anew(&a);
    make_walked(&a, "one");
    CHECK_NUM(walk_home(&a, 0, NULL).n_roots, 1);
    mark = tree_path(&a, "walked/home/one/pyvenv.cfg");
    CHECK(unlink(mark) == 0);
    make_old(&a, "walked/home/one");
    CHECK_NUM(walk_home(&a, 0, NULL).n_roots, 1);

    /* Another one beside it, and the first one is none any more. */
    make_walked(&a, "two");
    CHECK(utimensat(AT_FDCWD, tree_path(&a, "walked/home"), NULL, 0) == 0);
    CHECK(utimensat(AT_FDCWD, tree_path(&a, "walked/home/one"), NULL, 0) == 0);
    struct jw_discovery d = walk_home(&a, 0, NULL);

    CHECK_NUM(d.n_roots, 1);
    if (d.n_roots)
        CHECK_HAS(d.roots[0].path, "/two/");
    jw_arena_free(&a);
}

TEST(a_walk_that_takes_too_long_is_told)
{
    struct jw_arena a = { 0 };

    start_anew(&a);
    for (unsigned i = 0; i < 300; i++) {
        char name[64];

        (void)snprintf(name, sizeof name, "walked/home/many/%u/b", i);
        (void)tree_dir(&a, name);
    }
    struct jw_discovery d = walk_home(&a, 1, NULL);

    CHECK(d.cut_short);
    CHECK_NUM(d.notes.n, 1);
    if (d.notes.n)
        CHECK_HAS(d.notes.v[0], "is large: the search for environments stopped");
    CHECK(!walk_home(&a, 0, NULL).cut_short);
    jw_arena_free(&a);
}

TEST(what_is_excluded_is_told)
{
    static const char *const patterns[] = { "two" };
    struct jw_arena a = { 0 };

    start_anew(&a);
    make_walked(&a, "two");
    struct jw_discovery d = walk_home(&a, 0, patterns);

    CHECK_NUM(d.n_roots, 0);
    CHECK_NUM(d.n_passed, 1);
    if (d.n_passed) {
        CHECK_HAS(d.passed[0].path, "walked/home/two");
        CHECK_TEXT(d.passed[0].why, "exclude names it");
    }
    jw_arena_free(&a);
}

/* A new environment among 1,200 folders, and one that was removed, are noticed in the next walk. */
TEST(a_large_walk_notices_what_changed)
{
    enum { FOLDERS = 1200 };
    struct jw_arena a = { 0 };
    char name[128];

    start_anew(&a);
    for (int i = 0; i < FOLDERS; i++) {
        (void)snprintf(name, sizeof name, "walked/home/p%d/q%d", i / 40, i % 40);
        (void)tree_dir(&a, name);
        make_old(&a, name);
    }
    for (int i = 0; i < FOLDERS / 40; i++) {
        (void)snprintf(name, sizeof name, "walked/home/p%d", i);
        make_old(&a, name);
    }
    make_walked(&a, "one");
    CHECK_NUM(walk_home(&a, 0, NULL).n_roots, 1);
    CHECK_NUM(walk_home(&a, 0, NULL).n_roots, 1);
    (void)tree_dir(&a, "walked/home/p29/q39/.venv/lib/python3.8/site-packages");
    (void)tree_file(&a, "walked/home/p29/q39/.venv/pyvenv.cfg", "");
    CHECK_NUM(walk_home(&a, 0, NULL).n_roots, 2);
    CHECK_NUM(walk_home(&a, 0, NULL).n_roots, 2);
    (void)snprintf(name, sizeof name, "rm -rf '%s'", tree_path(&a, "walked/home/one"));
    CHECK(system(name) == 0);
    CHECK_NUM(walk_home(&a, 0, NULL).n_roots, 1);
    jw_arena_free(&a);
}

/* Lines that are damaged, or not ours, are as good as none. */
TEST(a_damaged_memory_is_none)
{
    static const char *const texts[] = { "",
                                         "jitwarm-walk 1 5\n",
                                         "jitwarm-walk 9 5\nd 1 1 1 0 x\n",
                                         "jitwarm-walk 1 5\nd 1 1 1 7 x\n",
                                         "jitwarm-walk 1 5\nd 1 1 1",
                                         "\n\n\n" };
    struct jw_arena a = { 0 };

    start_anew(&a);
    make_walked(&a, "two");
    (void)walk_home(&a, 0, NULL);
    for (size_t i = 0; i < JW_COUNT(texts); i++) {
        struct walk_memory m;
        struct jw_err err = { 0 };
        char name[128];
        uint8_t digest[JW_DIGEST];
        char hex[2 * JW_DIGEST + 1];

        jw_digest(digest, "x", 1);
        jw_digest_hex(hex, digest);
        hex[16] = '\0';
        (void)snprintf(name, sizeof name, "walked/state/walks/%s", hex);
        (void)tree_file(&a, name, texts[i]);
        CHECK(walk_memory_load(tree_path(&a, "walked/state/walks"), "x", &a, &m, &err));
        CHECK_NUM(m.n, 0);
    }
    jw_arena_free(&a);
}

/* What a program of this user has loaded beside the driver, wherever that lies. */
TEST(libraries_of_running_programs)
{
    struct jw_arena a = { 0 };

    start_anew(&a);
    (void)tree_dir(&a, "walked/srv/engine/lib");
    (void)tree_dir(&a, "walked/srv/py/site-packages/torch/lib");
    (void)tree_dir(&a, "walked/srv/other");
    (void)tree_file(
        &a, "walked/proc/4711/maps",
        "7f00 r-xp 0 08:01 1    /usr/lib/libcuda.so.1\n"
        "7f00 rw-s 0 00:06 512  /dev/nvidiactl\n"
        "7f01 r-xp 0 08:01 2    /srv/engine/lib/libengine.so.3\n"
        "7f02 r-xp 0 08:01 3    /srv/py/site-packages/torch/lib/libtorch_cuda.so\n7f03 rw-p 0 0 0\n");
    (void)tree_file(&a, "walked/proc/4712/maps", "7f01 r-xp 0 08:01 2    /srv/other/libx.so\n");
    struct jw_discovery d = walk_home(&a, 0, NULL);

    CHECK_NUM(d.n_roots, 2);
    if (d.n_roots == 2) {
        CHECK_HAS(d.roots[0].path, "srv/engine/lib");
        CHECK_NUM(d.roots[0].depth, 0);
        CHECK_HAS(d.roots[1].path, "srv/py/site-packages");
        CHECK_TEXT(d.roots[1].how, "loaded by a running program");
    }
    CHECK_NUM(d.loaded.n, 2);
    CHECK(d.loaded.n == 2 && jw_text_ends(d.loaded.names[0], "walked/srv/engine/lib/libengine.so.3"));
    CHECK(unlink(tree_path(&a, "walked/proc/4711/maps")) == 0);
    CHECK_NUM(walk_home(&a, 0, NULL).n_roots, 2); /* for ten minutes */
    jw_arena_free(&a);
}

TEST(elevated_runs_nothing)
{
    struct jw_arena a = { 0 };
    struct jw_buf body = JW_BUF(4096);
    const char *mark = tree_path(&a, "elevated/ran");

    (void)unlink(mark);
    (void)tree_dir(&a, "elevated/lib/python3.11/site-packages");
    jw_buf_printf(&body, "touch %s\n", mark);
    const char *pythons[] = { program(&a, "elevated/bin/python3", jw_buf_cstr(&body)), NULL };
    struct jw_discovery d = discover(&a, pythons, JW_ELEVATED_YES);

    CHECK(access(mark, F_OK) != 0);
    CHECK_NUM(d.n_roots, 1);
    CHECK_NUM(d.notes.n, 1);
    if (d.notes.n)
        CHECK_HAS(d.notes.v[0], "Python was not asked");

    d = discover(&a, pythons, JW_ELEVATED_NO);
    CHECK(access(mark, F_OK) == 0);
    jw_buf_free(&body);
    jw_arena_free(&a);
}

TEST(one_python_with_two_names_runs_once)
{
    struct jw_arena a = { 0 };
    const char *first = program(&a, "twice/bin/python3", "exit 4\n"),
               *second = tree_path(&a, "twice/bin/python");

    (void)unlink(second);
    CHECK(symlink("python3", second) == 0);
    struct jw_discovery d = discover(&a, (const char *[]){ first, second, NULL }, JW_ELEVATED_NO);

    CHECK_NUM(d.notes.n, 1);
    jw_arena_free(&a);
}

TEST(links)
{
    struct jw_arena a = { 0 };
    const char *link = tree_path(&a, "links/lib64");
    struct jw_discovery d;

    (void)tree_dir(&a, "links/lib/python3.11/site-packages");
    (void)tree_dir(&a, "links/bin");
    (void)unlink(link);
    CHECK(symlink("lib", link) == 0);
    const char *pythons[] = { program(&a, "links/bin/python3", "exit 1\n"), NULL };

    d = discover(&a, pythons, JW_ELEVATED_YES);
    CHECK_NUM(d.n_roots, 1); /* lib64/python3.11/site-packages is the same folder */

    /* A root inside another one that is reached by a link. */
    struct jw_err err = { 0 };
    struct jw_conf_item roots[] = {
        { jw_path_join(&a, link, "python3.11"), "c:1", NULL },
        { tree_path(&a, "links/lib"), "c:2", NULL },
    };
    struct jw_discover_options o = {
        .env = no_env,
        .elevated = JW_ELEVATED_YES,
        .home = "",
        .working = "/",
        .sysroot = tree_path(&a, "sysroot"),
        .pythons = (const char *const[]){ NULL },
        .roots = roots,
        .n_roots = JW_COUNT(roots),
    };
    CHECK(jw_discover(&o, &a, &d, &err));
    CHECK_NUM(d.n_roots, 1);
    if (d.n_roots == 1)
        CHECK_TEXT(d.roots[0].how, "c:2");
    jw_arena_free(&a);
}

TEST(library_path)
{
    struct jw_arena a = { 0 };
    const char *libs = tree_dir(&a, "libs/cuda");
    struct jw_discovery d = { 0 };
    struct jw_err err = { 0 };
    struct jw_buf list = JW_BUF(4096);

    jw_buf_printf(&list, ":%s::relative:%s:/no/such", libs, libs);
    CHECK(setenv("LD_LIBRARY_PATH", jw_buf_cstr(&list), 1) == 0);

    struct jw_discover_options o = {
        .elevated = JW_ELEVATED_YES,
        .home = tree_path(&a, "home"),
        .sysroot = tree_path(&a, "sysroot"),
        .pythons = (const char *const[]){ NULL },
    };
    CHECK(unsetenv("VIRTUAL_ENV") == 0 && unsetenv("CONDA_PREFIX") == 0);
    CHECK(jw_discover(&o, &a, &d, &err));
    CHECK_NUM(d.n_roots, 1);
    if (d.n_roots == 1) {
        CHECK_TEXT(d.roots[0].path, libs);
        CHECK_TEXT(d.roots[0].how, "LD_LIBRARY_PATH");
        CHECK_NUM(d.roots[0].depth, 0);
    }
    CHECK(unsetenv("LD_LIBRARY_PATH") == 0);
    jw_buf_free(&list);
    jw_arena_free(&a);
}

TEST(the_real_python)
{
    struct jw_arena a = { 0 };
    struct jw_listing folders;
    struct jw_err err = { 0 };

    if (access("/usr/bin/python3", X_OK) != 0)
        SKIP("there is no /usr/bin/python3");
    CHECK(jw_python_ask("/usr/bin/python3", 20000, &a, &folders, &err));
    CHECK(folders.n > 0);
    for (size_t i = 0; i < folders.n; i++)
        printf("  %s\n", folders.names[i]);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(working_folder_of_everybody), T(a_walk_is_remembered),
               T(a_large_walk_notices_what_changed), T(a_walk_that_takes_too_long_is_told),
               T(what_is_excluded_is_told), T(a_damaged_memory_is_none), T(libraries_of_running_programs),
               T(a_python_that_answers), T(a_python_that_lies), T(pythons_that_fail), T(a_python_that_hangs),
               T(elevated_runs_nothing), T(one_python_with_two_names_runs_once), T(links), T(library_path),
               T(the_real_python));
}
