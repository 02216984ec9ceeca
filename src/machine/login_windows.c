#include "machine/login.h"

#include "base/limits.h"
#include "os/process/process.h"

#include <windows.h>

#include <lmcons.h>
#include <wtsapi32.h>

/* Where variables are: of the logon, the user and the machine. The first that has one decides. */
static const struct {
    bool machine;
    const char *path;
} keys[] = {
    {false, "Volatile Environment"},
    {false, "Environment"},
    {true, "SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"},
};

/* The value in keys[key]; NULL: it is not there, or no text. Names in it are expanded:
 * REG_EXPAND_SZ is read as REG_SZ. */
static const char *value_in(size_t key, const char *name, struct jw_arena *a)
{
    HKEY root = keys[key].machine ? HKEY_LOCAL_MACHINE : HKEY_CURRENT_USER;
    DWORD n = JW_MAX_PATH;
    char *value = jw_arena_alloc(a, n);

    return RegGetValueA(root, keys[key].path, name, RRF_RT_REG_SZ, NULL, value, &n) == ERROR_SUCCESS
               ? value
               : NULL;
}

/* Was this process elevated with another user's password? The registry is that user's then. */
static bool acts_for_another(void)
{
    char here[3 * UNLEN + 1], *session = NULL;
    DWORD n = sizeof here;
    DWORD bytes = 0;
    bool another = false;

    if (!jw_process_elevated() || !GetUserNameA(here, &n))
        return false;
    if (WTSQuerySessionInformationA(WTS_CURRENT_SERVER_HANDLE, WTS_CURRENT_SESSION, WTSUserName,
                                    &session, &bytes))
        another = session && *session && _stricmp(session, here) != 0;
    if (session)
        WTSFreeMemory(session);
    return another;
}

bool jw_login_variables(const char *const *names, size_t n, const atomic_bool *interrupted,
                        struct jw_arena *a, struct jw_login *out, struct jw_err *err)
{
    const char **values = jw_arena_alloc(a, (n + 1) * sizeof *values);

    (void)interrupted, (void)err;
    *out = (struct jw_login){.values = values};
    if (acts_for_another()) {
        out->why = "this process acts for another user, whose settings it does not see; run "
                   "jitwarm as that user";
        return true;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < JW_COUNT(keys) && !values[i]; k++)
            values[i] = value_in(k, names[i], a);
    out->known = true;
    return true;
}

bool jw_login_check_home(struct jw_arena *a, struct jw_err *err)
{
    (void)a, (void)err;
    return true; /* set-up is in the registry, and in no home */
}

const char *const *jw_login_run(const char *const *words, const char *user, struct jw_arena *a,
                                struct jw_err *err)
{
    (void)user, (void)a, (void)err;
    return words;
}
