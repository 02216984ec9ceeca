/* In the registry of the user who runs the tests: values of names that nobody else has, removed at the end. */
#include "check.h"
#include "setup/login/env_registry.h"

#include <wchar.h>
#include <windows.h>

#define NAME "JITWARM_TEST_VALUE"

static void expand_sz(const wchar_t *value)
{
    CHECK(RegSetKeyValueW(HKEY_CURRENT_USER, L"Environment", L"" NAME, REG_EXPAND_SZ, value,
                          (DWORD)((wcslen(value) + 1) * sizeof *value))
          == ERROR_SUCCESS);
}

static struct jw_env_reg get(struct jw_arena *a)
{
    struct jw_env_reg r;
    struct jw_err err = { 0 };

    CHECK_OK(jw_env_registry_get(false, NAME, a, &r, &err), err);
    return r;
}

TEST_ARENA(what_is_set_is_read_and_removed)
{
    struct jw_err err = { 0 };
    struct jw_env_reg r;

    CHECK(jw_env_registry_set(false, NAME, NULL, &err));
    CHECK(!get(a).exists);
    CHECK(jw_env_registry_set(false, NAME, "C:\\a b;%x%\"q\" \xed\x95\x9c", &err));
    r = get(a);
    CHECK(r.exists && r.type == REG_SZ);
    CHECK_TEXT(r.text, "C:\\a b;%x%\"q\" \xed\x95\x9c");
    CHECK(jw_env_registry_set(false, NAME, NULL, &err));
    CHECK(!get(a).exists);
}

TEST_ARENA(what_is_not_expanded_is_read_as_it_is)
{
    struct jw_err err = { 0 };
    struct jw_env_reg was;

    expand_sz(L"%SystemRoot%\\x");
    was = get(a);
    CHECK(was.exists && was.type == REG_EXPAND_SZ);
    CHECK_TEXT(was.text, "%SystemRoot%\\x");
    CHECK(jw_env_registry_set(false, NAME, NULL, &err));
}
