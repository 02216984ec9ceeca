#include "setup/login/env_registry.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/sys.h"

#include <string.h>
#include <windows.h>

enum { PATIENCE_MS = 5000, MAX_VALUE = 1 << 20 };

static const struct {
    const wchar_t *path;
    const char *name;
} keys[] = {
    { L"Environment", "HKEY_CURRENT_USER\\Environment" },
    { L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment",
      "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment" },
};

const char *jw_env_registry_key(bool machine)
{
    return keys[machine].name;
}

static HKEY root(bool machine)
{
    return machine ? HKEY_LOCAL_MACHINE : HKEY_CURRENT_USER;
}

static bool fail_registry(LSTATUS rc, bool machine, const char *name, struct jw_err *err)
{
    if (rc == ERROR_ACCESS_DENIED && machine)
        return jw_fail(err, JW_E_IO, "%s in %s: access denied; start jitwarm as administrator", name,
                       keys[1].name);
    return !jw_sys_fail(err, rc) && jw_wrap(err, "%s in %s", name, keys[machine].name);
}

/* `data` is zeroed, and longer than the value, which may lack its NUL. */
static const char *to_text(const uint8_t *data, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF(JW_MAX_VARIABLE * 2);
    const char *kept;

    jw_utf16_to(&text, (const uint16_t *)(const void *)data);
    kept = jw_arena_str(a, jw_buf_cstr(&text));
    jw_buf_free(&text);
    return kept;
}

bool jw_env_registry_get(bool machine, const char *name, struct jw_arena *a, struct jw_env_reg *out,
                         struct jw_err *err)
{
    uint16_t *wide;
    DWORD type = 0, n = 0;
    LSTATUS rc;
    uint8_t *data = NULL;

    *out = (struct jw_env_reg){ 0 };
    if (!jw_utf16_from(name, &wide, err))
        return false;
    rc = RegGetValueW(root(machine), keys[machine].path, (wchar_t *)wide, RRF_RT_ANY | RRF_NOEXPAND, &type,
                      NULL, &n);
    if (rc == ERROR_SUCCESS && n <= MAX_VALUE && (data = jw_arena_alloc(a, n + 4)) != NULL)
        rc = RegGetValueW(root(machine), keys[machine].path, (wchar_t *)wide, RRF_RT_ANY | RRF_NOEXPAND,
                          &type, data, &n);
    jw_free(wide);
    if (rc == ERROR_FILE_NOT_FOUND || rc == ERROR_PATH_NOT_FOUND)
        return true;
    if (rc != ERROR_SUCCESS)
        return fail_registry(rc, machine, name, err);
    if (!data)
        return jw_fail(err, JW_E_LIMIT, "%s in %s: is too long", name, keys[machine].name);
    *out = (struct jw_env_reg){ .exists = true, .type = type };
    if (type == REG_SZ || type == REG_EXPAND_SZ)
        out->text = to_text(data, a);
    return true;
}

static LSTATUS write(HKEY key, const wchar_t *name, const wchar_t *value)
{
    LSTATUS rc = value ? RegSetValueExW(key, name, 0, REG_SZ, (const BYTE *)value,
                                        (DWORD)((wcslen(value) + 1) * sizeof *value))
                       : RegDeleteValueW(key, name);

    if (!value && rc == ERROR_FILE_NOT_FOUND)
        rc = ERROR_SUCCESS;
    return rc == ERROR_SUCCESS ? RegFlushKey(key) : rc;
}

bool jw_env_registry_set(bool machine, const char *name, const char *value, struct jw_err *err)
{
    uint16_t *wide = NULL, *text = NULL;
    HKEY key;
    LSTATUS rc = ERROR_SUCCESS;
    bool ok =
        !jw_sys_fault(err) && jw_utf16_from(name, &wide, err) && (!value || jw_utf16_from(value, &text, err));

    if (ok)
        rc = RegCreateKeyExW(root(machine), keys[machine].path, 0, NULL, 0, KEY_SET_VALUE, NULL, &key, NULL);
    if (ok && rc == ERROR_SUCCESS) {
        rc = write(key, (wchar_t *)wide, (wchar_t *)text);
        (void)RegCloseKey(key);
    }
    jw_free(wide);
    jw_free(text);
    return ok && (rc == ERROR_SUCCESS || fail_registry(rc, machine, name, err));
}

void jw_env_registry_announce(void)
{
    DWORD_PTR ignored;

    (void)SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0, (LPARAM)L"Environment", SMTO_ABORTIFHUNG,
                              PATIENCE_MS, &ignored);
}
