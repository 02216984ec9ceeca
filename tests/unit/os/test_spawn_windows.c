#include "base/mem.h"
#include "check.h"
#include "os/process/spawn_windows.h"

#include <wchar.h>

static bool has(const wchar_t *block, const wchar_t *entry)
{
    for (; *block; block += wcslen(block) + 1)
        if (wcscmp(block, entry) == 0)
            return true;
    return false;
}

/* "Q:file" in a child means the folder that is current on that drive. */
TEST(a_child_keeps_the_current_folder_of_each_drive)
{
    const struct jw_child_edit edit = { "JW_TEST_SPAWN", "1" };
    wchar_t *block = NULL;
    struct jw_err err = { 0 };

    CHECK(SetEnvironmentVariableW(L"=Q:", L"Q:\\folder"));
    CHECK(jw_spawn_environment(&edit, 1, false, &block, &err));
    CHECK(block && has(block, L"=Q:=Q:\\folder") && has(block, L"JW_TEST_SPAWN=1"));
    jw_free(block);
    block = NULL;
    CHECK(jw_spawn_environment(&edit, 1, true, &block, &err));
    CHECK(block && !has(block, L"=Q:=Q:\\folder") && has(block, L"JW_TEST_SPAWN=1"));
    jw_free(block);
}
