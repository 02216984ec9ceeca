/* Pythons that are shell scripts: right ones, hanging ones, liars; and links. */
#include "base/buf.h"
#include "base/compiler.h"
#include "base/path.h"
#include "check.h"
#include "os/machine/time.h"
#include "software/find/discover.h"
#include "software/find/python.h"
#include "tree.h"

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
        { jw_path_join(&a, link, "python3.11"), "c:1" },
        { tree_path(&a, "links/lib"), "c:2" },
    };
    struct jw_discover_options o = {
        .env = no_env,
        .elevated = JW_ELEVATED_YES,
        .home = "",
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
    return RUN(argc, argv, T(working_folder_of_everybody), T(a_python_that_answers), T(a_python_that_lies),
               T(pythons_that_fail), T(a_python_that_hangs), T(elevated_runs_nothing),
               T(one_python_with_two_names_runs_once), T(links), T(library_path), T(the_real_python));
}
