#include "machine/login.h"

#include "check.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

static const char *const asked[] = {"CUDA_CACHE_PATH", "JITWARM_TEST_TWO", "JITWARM_TEST_NONE"};

/* A machine whose user has their home in this test's folder. */
static void begin(struct jw_arena *a)
{
    (void)tree_file(a, "home/.profile", "");
    (void)tree_file(a, "root/etc/environment", "");
    set_variable("JITWARM_SYSROOT", tree_dir(a, "root"));
    set_variable("HOME", tree_path(a, "home"));
    set_variable("SHELL", "/bin/sh");
    set_variable("CUDA_CACHE_PATH", "/of/this/process");
}

static struct jw_login ask(struct jw_arena *a)
{
    struct jw_login login = {0};
    struct jw_err err = {0};

    CHECK_OK(jw_login_variables(asked, 3, NULL, a, &login, &err), err);
    return login;
}

TEST_WITH(a_login_has_what_its_start_file_sets, struct jw_arena, a, begin, jw_arena_free)
{
    (void)tree_file(a, "home/.profile",
                    "echo Welcome\nexport CUDA_CACHE_PATH='/a b=c' JITWARM_TEST_TWO=\n");

    struct jw_login login = ask(a);

    CHECK(login.known);
    CHECK_TEXT(login.values[0], "/a b=c");
    CHECK_TEXT(login.values[1], "");
    CHECK(!login.values[2]);
}

TEST_WITH(a_login_has_what_etc_environment_sets, struct jw_arena, a, begin, jw_arena_free)
{
    (void)tree_file(a, "root/etc/environment",
                    "# a comment\nexport CUDA_CACHE_PATH=\"/of all $HOME\"  # here\nno "
                    "line\n2=3\nJITWARM_TEST_TWO='x y'\nHOME=/else\n"
                    "JITWARM_TEST_NONE=last");

    struct jw_login login = ask(a);

    CHECK_TEXT(login.values[0], "/of all $HOME");
    CHECK_TEXT(login.values[1], "x y");
    CHECK_TEXT(login.values[2], "last");
    (void)tree_file(a, "home/.profile", "CUDA_CACHE_PATH=/mine");
    CHECK_TEXT(ask(a).values[0], "/mine");
}

/* Desktops and systemd --user read it, and no login shell does. */
TEST_WITH(a_login_has_nothing_of_this_process_or_environment_d, struct jw_arena, a, begin,
          jw_arena_free)
{
    (void)tree_file(a, "home/.config/environment.d/x.conf", "CUDA_CACHE_PATH=/else\n");

    struct jw_login login = ask(a);

    CHECK(login.known && !login.values[0]);
}

TEST_WITH(a_shell_that_ends_leaves_the_login_unknown, struct jw_arena, a, begin, jw_arena_free)
{
    (void)tree_file(a, "home/.profile", "exit 3\n");

    struct jw_login login = ask(a);

    CHECK(!login.known);
    CHECK_TEXT(login.why,
               "the login shell /bin/sh ended before it started a program (exit code 3)");
    set_variable("SHELL", "/usr/sbin/nologin");
    CHECK_HAS(ask(a).why, "cannot log in: the login shell is /usr/sbin/nologin");
}
