#include "setup/setup.h"

#include "check.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <stdlib.h>

#define FILE_OF "home/.config/environment.d/jitwarm.conf"

static void begin(struct jw_arena *a)
{
    (void)tree_file(a, "home/.bash_profile", "");
    set_variable("HOME", tree_path(a, "home"));
    set_variable("XDG_CONFIG_HOME", NULL);
    set_variable("SHELL", NULL);
    set_variable(
        "JITWARM_SYSROOT",
        ""); /* the account is made, too: its home is HOME, and no real start file is written */
}

static struct jw_step_list apply(struct jw_arena *a, const char *path)
{
    struct jw_env_setting s[2];
    struct jw_step_list steps = {0};
    struct jw_err err = {0};
    size_t n;

    CHECK_OK(jw_env_settings(path, 0, a, s, &n, &err), err);
    CHECK_OK(jw_env_change(s, n, false, a, &steps, &err), err);
    return steps;
}

TEST_WITH(apply_writes_one_file_and_undo_removes_it, struct jw_arena, a, begin, jw_arena_free)
{
    struct jw_step_list steps = apply(a, "/data/it's `my` \"cache\"\\");

    CHECK(steps.n == 1 && steps.v[0].done && scratch_there(tree_path(a, FILE_OF)));
    CHECK(jw_steps_same(&(struct jw_step_list){apply(a, "/data/it's `my` \"cache\"\\").v, 1}));
    CHECK_TEXT(jw_env_written("CUDA_CACHE_PATH", a), "/data/it's `my` \"cache\"\\");
    steps = (struct jw_step_list){0};
    CHECK_OK(jw_env_change(NULL, 0, true, a, &steps, &err), err);
    CHECK(steps.v[0].found && scratch_there(tree_path(a, FILE_OF)));
    steps = (struct jw_step_list){0};
    CHECK_OK(jw_env_change(NULL, 0, false, a, &steps, &err), err);
    CHECK(steps.v[0].done && !scratch_there(tree_path(a, "home/.config/environment.d")));
}

/* A login shell reads it by the line that is pasted into it: the value is the same byte for
 * byte. */
TEST_WITH(each_shell_reads_it, struct jw_arena, a, begin, jw_arena_free)
{
    static const struct {
        const char *shell, *login, *file;
    } all[] = {{"/bin/bash", ". ~/.bash_profile", "~/.bash_profile"},
               {"/bin/dash", ". ~/.profile", "~/.profile"},
               {"/bin/zsh", ". ~/.zprofile", "~/.zprofile"}};
    const char *file, *want = "'/data/it'\\''s `my` \"cach!e\"\\'";

    (void)apply(a, "/data/it's `my` \"cach!e\"\\");
    for (size_t i = 0; i < JW_COUNT(all); i++) {
        set_variable("SHELL", all[i].shell);
        set_variable("LINE", jw_env_line(a, &file));
        CHECK_HAS(file, all[i].file);
        set_variable("LOGIN",
                     jw_arena_printf(a, "%s; printenv CUDA_CACHE_PATH; printenv CUDA_CACHE_MAXSIZE",
                                     all[i].login));
        CHECK_NUM(system(jw_arena_printf(
                      a,
                      "test ! -x $SHELL || { $SHELL -c \"$LINE\" && "
                      "test \"$($SHELL -c \"$LOGIN\" | tr '\\n' =)\" = %s=4294967295=; }",
                      want)),
                  0);
    }
}

TEST_WITH(values_that_it_cannot_hold_are_refused, struct jw_arena, a, begin, jw_arena_free)
{
    struct jw_env_setting dollar = {.name = "CUDA_CACHE_PATH", .value = "/a$b"};
    struct jw_env_setting s[2];
    struct jw_step_list steps = {0};
    size_t n;

    CHECK_REFUSED(jw_env_change(&dollar, 1, false, a, &steps, &err), err, "$ in it");
    CHECK_REFUSED(jw_env_settings("relative", 0, a, s, &n, &err), err, "absolute");
    set_variable("XDG_CONFIG_HOME", "/a\nb");
    CHECK_REFUSED(jw_env_change(&dollar, 1, false, a, &steps, &err), err, "line break");
}
