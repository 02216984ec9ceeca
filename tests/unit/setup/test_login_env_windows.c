/* Keys of the test's own, below the current user's, removed at the end. */
#include "base/fault.h"
#include "check.h"
#include "setup/login/login_env_windows.h"

#define BASE L"Software\\jitwarm-test-login"

static const struct jw_login_key keys[] = { { HKEY_CURRENT_USER, BASE L"\\machine", "machine" },
                                            { HKEY_CURRENT_USER, BASE L"\\missing", "missing" },
                                            { HKEY_CURRENT_USER, BASE L"\\user", "user" } };

static void set(const wchar_t *key, const wchar_t *name, DWORD type, const wchar_t *value)
{
    CHECK(RegSetKeyValueW(HKEY_CURRENT_USER, key, name, type, value,
                          (DWORD)((wcslen(value) + 1) * sizeof *value))
          == ERROR_SUCCESS);
}

static void fill(void)
{
    DWORD number = 7;

    set(BASE L"\\machine", L"CUDA_CACHE_PATH", REG_SZ, L"C:\\machine");
    set(BASE L"\\machine", L"cuda_cache_maxsize", REG_SZ, L"1");
    set(BASE L"\\machine", L"Path", REG_SZ, L"C:\\x");
    set(BASE L"\\user", L"Cuda_Cache_Path", REG_EXPAND_SZ, L"%SystemRoot%\\한글");
    set(BASE L"\\user", L"APPDATA", REG_SZ, L"C:\\roaming");
    CHECK(
        RegSetKeyValueW(HKEY_CURRENT_USER, BASE L"\\user", L"CUDA_NUMBER", REG_DWORD, &number, sizeof number)
        == ERROR_SUCCESS);
}

static void is(const struct jw_login_env *env, const char *name, const char *ends, const char *origin)
{
    const struct jw_env_value *v = jw_env_set_find(&env->sets, name);

    CHECK_HAS(v ? v->value : "unset", ends);
    if (v)
        CHECK_TEXT(v->origin, origin);
}

TEST_ARENA(the_user_wins_over_the_machine)
{
    struct jw_login_env env;
    struct jw_err err = { 0 };

    fill();
    CHECK(jw_login_read(keys, 3, a, &env, &err));
    CHECK(env.known);
    CHECK_NUM(env.sets.n, 3);
    is(&env, "CUDA_CACHE_PATH", "\\한글", "user");
    is(&env, "CUDA_CACHE_PATH", ":\\", "user"); /* expanded */
    is(&env, "CUDA_CACHE_MAXSIZE", "1", "machine");
    is(&env, "APPDATA", "C:\\roaming", "user");
    CHECK_NUM(env.notes.n, 0);
}

TEST(every_fault_is_told)
{
    fill();
    for (unsigned long nth = 1; nth < 1000; nth++) {
        struct jw_arena a = { 0 };
        struct jw_login_env env;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_login_read(keys, 3, &a, &env, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok == !fired);
        CHECK(ok || err.msg[0]);
        jw_arena_free(&a);
        if (!fired)
            break;
        CHECK(nth < 999);
    }
}

MAIN(argc, argv)
{
    int rc = RUN(argc, argv);

    (void)RegDeleteTreeW(HKEY_CURRENT_USER, BASE);
    return rc;
}
