#include "env/files/env_registry.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/sys.h"

#include <string.h>
#include <windows.h>

enum { PATIENCE_MS = 5000, MOST = 1 << 20 };

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

static bool fail(LSTATUS rc, bool machine, const char *name, struct jw_err *err)
{
    if (rc == ERROR_ACCESS_DENIED && machine)
        return jw_fail(err, JW_E_IO, "%s in %s: access denied; start jitwarm as administrator", name,
                       keys[1].name);
    return !jw_sys_fail(err, rc) && jw_wrap(err, "%s in %s", name, keys[machine].name);
}

static bool to_text(const struct jw_env_reg *r, struct jw_arena *a, const char **out, struct jw_err *err)
{
    wchar_t *wide = jw_alloc(r->data.n + sizeof *wide);
    struct jw_buf text = JW_BUF(JW_MAX_VARIABLE * 2);

    if (!wide)
        return jw_nomem(err, r->data.n);
    if (r->data.n)
        memcpy(wide, r->data.p, r->data.n);
    jw_utf16_to(&text, (const uint16_t *)wide);
    *out = text.bad ? NULL : jw_arena_text(a, (const char *)text.p, text.n);
    jw_free(wide);
    jw_buf_free(&text);
    return *out || jw_nomem(err, r->data.n);
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
    if (rc == ERROR_SUCCESS && n <= MOST && (data = jw_arena_alloc(a, n + 4)) != NULL)
        rc = RegGetValueW(root(machine), keys[machine].path, (wchar_t *)wide, RRF_RT_ANY | RRF_NOEXPAND,
                          &type, data, &n);
    jw_free(wide);
    if (rc == ERROR_FILE_NOT_FOUND || rc == ERROR_PATH_NOT_FOUND)
        return true;
    if (rc != ERROR_SUCCESS)
        return fail(rc, machine, name, err);
    if (!data)
        return n > MOST ? jw_fail(err, JW_E_LIMIT, "%s in %s: is too long", name, keys[machine].name)
                        : jw_nomem(err, n);
    *out = (struct jw_env_reg){ .exists = true, .type = type, .data = { data, n } };
    return (type != REG_SZ && type != REG_EXPAND_SZ) || to_text(out, a, &out->text, err);
}

static bool write(bool machine, const char *name, DWORD type, const void *data, size_t n, struct jw_err *err)
{
    uint16_t *wide;
    HKEY key;
    LSTATUS rc;

    if (jw_sys_fault(err) || !jw_utf16_from(name, &wide, err))
        return false;
    rc = RegCreateKeyExW(root(machine), keys[machine].path, 0, NULL, 0, KEY_SET_VALUE, NULL, &key, NULL);
    if (rc == ERROR_SUCCESS) {
        rc = data ? RegSetValueExW(key, (wchar_t *)wide, 0, type, data, (DWORD)n)
                  : RegDeleteValueW(key, (wchar_t *)wide);
        if (!data && rc == ERROR_FILE_NOT_FOUND)
            rc = ERROR_SUCCESS;
        if (rc == ERROR_SUCCESS)
            rc = RegFlushKey(key);
        (void)RegCloseKey(key);
    }
    jw_free(wide);
    return rc == ERROR_SUCCESS || fail(rc, machine, name, err);
}

bool jw_env_registry_set(bool machine, const char *name, const char *value, struct jw_err *err)
{
    uint16_t *wide;

    if (!jw_utf16_from(value, &wide, err))
        return false;

    bool ok = write(machine, name, REG_SZ, wide, (wcslen((wchar_t *)wide) + 1) * sizeof(wchar_t), err);

    jw_free(wide);
    return ok;
}

bool jw_env_registry_put_back(bool machine, const char *name, const struct jw_env_reg *was,
                              struct jw_err *err)
{
    return write(machine, name, was->type, was->exists ? was->data.p : NULL, was->data.n, err);
}

void jw_env_registry_announce(void)
{
    DWORD_PTR ignored;

    (void)SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0, (LPARAM)L"Environment", SMTO_ABORTIFHUNG,
                              PATIENCE_MS, &ignored);
}
