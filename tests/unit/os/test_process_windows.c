#include "check.h"
#include "os/process/process.h"
#include "rigs/variables.h"

#include <windows.h>

/* "Q:file" in a child means the folder that is current on that drive. */
TEST(a_child_keeps_the_current_folder_of_each_drive)
{
    const struct jw_child_edit edit = {"JW_TEST_SPAWN", "1"};
    const struct jw_command c = {.exe = own_program(),
                                 .argv = (const char *const[]){own_program(), "child", NULL},
                                 .edits = &edit,
                                 .n_edits = 1};
    FREED(jw_buf) out = JW_BUF(1000);
    int code;

    CHECK(SetEnvironmentVariableW(L"=Q:", L"Q:\\folder"));
    CHECK_OK(jw_process_run(&c, 60000, &out, &code, &err), err);
    CHECK_TEXT(jw_buf_cstr(&out), "Q:\\folder 1");
}

MAIN(argc, argv)
{
    char drive[100] = "", edited[100] = "";

    if (argc < 2 || strcmp(argv[1], "child") != 0)
        return RUN(argc, argv);
    (void)GetEnvironmentVariableA("=Q:", drive, sizeof drive);
    (void)GetEnvironmentVariableA("JW_TEST_SPAWN", edited, sizeof edited);
    return printf("%s %s", drive, edited) < 0;
}
