/* Values that a shell would read as something else. */
#include "cause/remedy.h"
#include "check.h"

static void check_set(const char *value, enum jw_shell shell, const char *want)
{
    const struct jw_remedy r = {.kind = JW_REMEDY_SET, .what = "CUDA_CACHE_PATH", .value = value};
    FREED(jw_arena) a = {0};
    const char *got = jw_remedy_line(&r, shell, true, &a);

    CHECK_TEXT(got ? got : "none", want);
}

TEST(a_variable_is_set)
{
    check_set("/a b", JW_SHELL_SH, "export CUDA_CACHE_PATH='/a b'");
    check_set("C:\\a & b", JW_SHELL_CMD, "set \"CUDA_CACHE_PATH=C:\\a & b\"");
}

TEST(a_line_that_a_shell_cannot_hold_is_none)
{
    check_set("a\"&calc", JW_SHELL_CMD, "none");
    check_set("%PATH%", JW_SHELL_CMD, "none");
}

TEST(a_variable_is_taken_away)
{
    static const char *const want[] = {"unset A", "Remove-Item Env:A", "set \"A=\""};
    FREED(jw_arena) a = {0};

    for (enum jw_shell shell = JW_SHELL_SH; shell <= JW_SHELL_CMD; shell++)
        CHECK_TEXT(jw_remedy_line(&(struct jw_remedy){.kind = JW_REMEDY_SET, .what = "A"}, shell,
                                  true, &a),
                   want[shell]);
}

TEST(words_of_a_command_are_quoted)
{
    const struct jw_remedy r = {.kind = JW_REMEDY_RUN,
                                .where = JW_REMEDY_ADMIN,
                                .words = {"mv", "a b", "c;d"}},
                           there = {
                               .kind = JW_REMEDY_RUN, .words = {"jitwarm"}, .folder = "C:\\a b"};
    FREED(jw_arena) a = {0};

    CHECK_TEXT(jw_remedy_line(&r, JW_SHELL_SH, true, &a), "sudo mv 'a b' 'c;d'");
    CHECK_TEXT(jw_remedy_line(&r, JW_SHELL_CMD, true, &a), "mv \"a b\" \"c;d\"");
    CHECK_TEXT(jw_remedy_line(&there, JW_SHELL_CMD, true, &a), "cd /d \"C:\\a b\" && jitwarm");
    CHECK_TEXT(jw_remedy_line(&there, JW_SHELL_POWERSHELL, true, &a), "cd \"C:\\a b\"; jitwarm");
}
