#include "base/mem.h"
#include "check.h"
#include "startup/system/startup_host.h"

static const char folders[] = "C:\\Program Files\nC:\\Program Files (x86)\\\n";

TEST(below_program_files_only_administrators_write)
{
    CHECK(jw_startup_in_programs("C:\\Program Files\\jitwarm\\jitwarm.exe", folders));
    CHECK(jw_startup_in_programs("c:/program files (X86)/jitwarm.exe", folders));
}

TEST(everything_else_is_refused)
{
    static const char *const paths[] = {
        "",
        "C:\\Program Files",
        "C:\\Program Files\\",
        "C:\\Program Files2\\jitwarm.exe",
        "C:\\Program FilesX\\jitwarm.exe",
        "D:\\Program Files\\jitwarm.exe",
        "C:\\Users\\x\\Program Files\\jitwarm.exe",
        "C:\\Program Files\\..\\Users\\x\\jitwarm.exe",
        "C:\\Program Files/../Users/x/jitwarm.exe",
        "C:\\Program Files\\jitwarm\\..",
        "\\\\server\\Program Files\\jitwarm.exe",
    };

    for (size_t i = 0; i < JW_COUNT(paths); i++)
        CHECK(!jw_startup_in_programs(paths[i], folders));
    CHECK(!jw_startup_in_programs("C:\\x\\jitwarm.exe", ""));
    CHECK(!jw_startup_in_programs("C:\\x\\jitwarm.exe", NULL));
    CHECK(!jw_startup_in_programs("\\jitwarm.exe", "\n\n"));
}

TEST(a_name_that_only_holds_dots_climbs_nowhere)
{
    CHECK(jw_startup_in_programs("C:\\Program Files\\a..b\\jitwarm.exe", folders));
    CHECK(jw_startup_in_programs("C:\\Program Files\\...\\jitwarm.exe", folders));
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(below_program_files_only_administrators_write), T(everything_else_is_refused),
               T(a_name_that_only_holds_dots_climbs_nowhere));
}
