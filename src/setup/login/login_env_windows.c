#include "setup/login/login_env_windows.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/process/process.h"
#include "setup/login/login_env.h"

#include <lmcons.h>
#include <stdlib.h>
#include <string.h>
#include <wtsapi32.h>

enum { NAME_ROOM = 256, VALUE_ROOM = 32768 }; /* units; a variable is no longer */

/* Machine, user, and what the logon itself has set. */
static const struct {
    const wchar_t *path;
    const char *origin;
    bool machine;
} places[] = {
    { L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment",
      "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment", true },
    { L"Environment", "HKEY_CURRENT_USER\\Environment", false },
    { L"Volatile Environment", "HKEY_CURRENT_USER\\Volatile Environment", false },
};

#define FOLDERS "Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\User Shell Folders"

struct reader {
    wchar_t value[VALUE_ROOM + 1], expanded[VALUE_ROOM + 1];
};

/* Case is no matter in names; jitwarm writes them in capitals. False: no name that could be wanted. */
static bool plain_name(const wchar_t *wide, char out[NAME_ROOM])
{
    size_t n = 0;

    for (; wide[n] && n < NAME_ROOM - 1; n++) {
        if (wide[n] >= 0x80)
            return false;
        out[n] = (char)(wide[n] >= L'a' && wide[n] <= L'z' ? wide[n] - L'a' + L'A' : wide[n]);
    }
    out[n] = '\0';
    return n > 0 && !wide[n];
}

static bool put_variable(const char *name, const wchar_t *value, const char *origin, struct jw_arena *a,
                         struct jw_env_set *s, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_VARIABLE);

    jw_utf16_to(&text, value);

    const char *copy = jw_arena_str(a, jw_buf_cstr(&text));
    const char *name_copy = jw_arena_str(a, name);

    jw_buf_free(&text);
    return jw_env_set_put(s, name_copy, copy, origin, a, err);
}

static bool read_value(struct reader *r, HKEY key, DWORD at, bool *more, const char *origin,
                       struct jw_arena *a, struct jw_env_set *s, struct jw_err *err)
{
    wchar_t wide[NAME_ROOM];
    char name[NAME_ROOM];
    DWORD n = NAME_ROOM, bytes = VALUE_ROOM * sizeof(wchar_t), type = 0;
    LSTATUS rc = RegEnumValueW(key, at, wide, &n, NULL, &type, (BYTE *)r->value, &bytes);
    const wchar_t *value = r->value;

    *more = rc == ERROR_SUCCESS || rc == ERROR_MORE_DATA; /* too long for a variable */
    if (rc != ERROR_SUCCESS || (type != REG_SZ && type != REG_EXPAND_SZ) || !plain_name(wide, name)
        || !jw_login_wants(name))
        return true;
    r->value[bytes / sizeof(wchar_t)] = L'\0';
    if (type == REG_EXPAND_SZ) {
        DWORD room = ExpandEnvironmentStringsW(r->value, r->expanded, VALUE_ROOM);

        if (room && room <= VALUE_ROOM)
            value = r->expanded;
    }
    return put_variable(name, value, origin, a, s, err);
}

static bool read_key(struct reader *r, const struct jw_login_key *k, struct jw_arena *a,
                     struct jw_login_env *out, struct jw_err *err)
{
    HKEY key;
    LSTATUS rc = RegOpenKeyExW(k->root, k->path, 0, KEY_QUERY_VALUE, &key);
    bool ok = true, more = true;

    if (rc == ERROR_FILE_NOT_FOUND)
        return true;
    if (rc != ERROR_SUCCESS) {
        jw_note(&out->notes, a, "%s: cannot be read (error %ld)", k->origin, (long)rc);
        return true;
    }
    for (DWORD at = 0; ok && more; at++)
        ok = read_value(r, key, at, &more, k->origin, a, &out->sets, err);
    (void)RegCloseKey(key);
    return ok;
}

bool jw_login_read(const struct jw_login_key *keys, size_t n, struct jw_arena *a, struct jw_login_env *out,
                   struct jw_err *err)
{
    struct reader *r = jw_alloc(sizeof *r);
    bool ok = true;

    *out = (struct jw_login_env){ .known = ok };
    for (size_t i = 0; ok && i < n; i++)
        ok = read_key(r, &keys[i], a, out, err);
    jw_free(r);
    return ok;
}

/* The logon sets APPDATA from this where no logon has yet. */
static bool add_appdata(struct jw_arena *a, struct jw_login_env *out, struct jw_err *err)
{
    wchar_t value[MAX_PATH * 4];
    DWORD bytes = sizeof value;

    if (jw_env_set_find(&out->sets, "APPDATA")
        || RegGetValueW(HKEY_CURRENT_USER, L"" FOLDERS, L"AppData", RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ,
                        NULL, value, &bytes)
               != ERROR_SUCCESS)
        return true;
    return put_variable("APPDATA", value, "HKEY_CURRENT_USER\\" FOLDERS, a, &out->sets, err);
}

/* Elevated with another's password: the registry's user is then the one who gave it, not the one who logs in. */
static bool for_another(void)
{
    wchar_t us[UNLEN + 1], *session = NULL;
    DWORD n = UNLEN + 1, bytes = 0;
    bool another = false;

    if (!jw_process_elevated() || !GetUserNameW(us, &n))
        return false;
    if (WTSQuerySessionInformationW(WTS_CURRENT_SERVER_HANDLE, WTS_CURRENT_SESSION, WTSUserName, &session,
                                    &bytes))
        another = session && *session && _wcsicmp(session, us) != 0;
    if (session)
        WTSFreeMemory(session);
    return another;
}

bool jw_login_env(const atomic_bool *interrupted, struct jw_arena *a, struct jw_login_env *out,
                  struct jw_err *err)
{
    struct jw_login_key keys[JW_COUNT(places)];

    (void)interrupted;
    *out = (struct jw_login_env){ 0 };
    if (for_another()) {
        out->why =
            "this process acts for another user, whose settings it does not see; run jitwarm as that user";
        return true;
    }
    for (size_t i = 0; i < JW_COUNT(places); i++)
        keys[i] = (struct jw_login_key){ places[i].machine ? HKEY_LOCAL_MACHINE : HKEY_CURRENT_USER,
                                         places[i].path, places[i].origin };
    return jw_login_read(keys, JW_COUNT(places), a, out, err) && add_appdata(a, out, err);
}
