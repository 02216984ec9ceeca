#include "base/arena.h"
#include "check.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <stdlib.h>

/* Of this program, played by itself: it ends with the code that its environment says. */
static bool attend(const char *const argv[], const struct jw_child_edit *edits, size_t n, int *code,
                   struct jw_err *err)
{
    const struct jw_command c = {.argv = argv, .edits = edits, .n_edits = n};
    struct jw_process_end end;

    *err = (struct jw_err){0};
    bool ok = jw_process_foreground(&c, &end, err);

    *code = end.code;
    return ok;
}

TEST(exit_code_arguments_and_environment_are_the_commands)
{
    const char *const argv[] = {own_program(), "--played", "with a blank", NULL};
    const struct jw_child_edit edits[] = {{"ATTEND_TEST", "17"}, {"ATTEND_GONE", NULL}};
    int code;

    CHECK_OK(attend(argv, edits, 2, &code, &err), err);
    CHECK_NUM(code, 17);
}

TEST(what_cannot_be_started_is_named)
{
    const char *const missing[] = {"no-such-command-anywhere", NULL};
    const char *const folder[] = {scratch("."), NULL};
    int code;

    CHECK_REFUSED(attend(missing, NULL, 0, &code, &err), err,
                  "no-such-command-anywhere: not found");
    CHECK(!attend(folder, NULL, 0, &code, &err));
    CHECK(err.msg[0]);
}

MAIN(argc, argv)
{
    struct jw_arena a = {0};

    if (argc > 1 && strcmp(argv[1], "--played") == 0) {
        const char *text = jw_env(&a, "ATTEND_TEST");
        int code = argc == 3 && strcmp(argv[2], "with a blank") == 0 && text
                       ? (int)strtol(text, NULL, 10)
                       : 99;

        jw_arena_free(&a);
        return code;
    }
    scratch_begin();
    return RUN(argc, argv);
}
