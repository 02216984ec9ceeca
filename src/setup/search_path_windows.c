#include "setup/search_path.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/sys.h"

#include <string.h>
#include <wchar.h>
#include <windows.h>

enum { PATIENCE_MS = 2000 };

static bool read_path(HKEY root, const wchar_t *key, DWORD *type, struct jw_arena *a, const char **out,
                      struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_VARIABLE);
    DWORD n = JW_MAX_LINE;
    wchar_t *wide = jw_alloc(n);
    LSTATUS rc =
        RegGetValueW(root, key, L"Path", RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND, type, wide, &n);
    bool ok = rc == ERROR_SUCCESS || rc == ERROR_FILE_NOT_FOUND || jw_sys_fail(err, rc);

    if (rc == ERROR_SUCCESS)
        jw_utf16_to(&text, (const uint16_t *)wide);
    else
        *type = REG_EXPAND_SZ;
    jw_free(wide);
    *out = jw_buf_cstr(&text);
    return ok && jw_buf_ok(&text, err);
}

bool jw_search_path_change(bool machine, const char *folder, bool add, struct jw_arena *a, struct jw_err *err)
{
    HKEY root = machine ? HKEY_LOCAL_MACHINE : HKEY_CURRENT_USER;
    const wchar_t *key =
        machine ? L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment" : L"Environment";
    const char *before, *now;
    uint16_t *wide = NULL;
    DWORD type = REG_EXPAND_SZ;
    DWORD_PTR ignored;
    LSTATUS rc;

    if (!read_path(root, key, &type, a, &before, err))
        return jw_wrap(err, "Path");
    now = jw_search_path_with(before, folder, add, a);
    if (strcmp(now, before) == 0)
        return true;
    if (!jw_utf16_from(now, &wide, err))
        return false;
    rc = *now ? RegSetKeyValueW(root, key, L"Path", type, wide,
                                (DWORD)((wcslen((wchar_t *)wide) + 1) * sizeof(wchar_t)))
              : RegDeleteKeyValueW(root, key, L"Path");
    jw_free(wide);
    if (rc != ERROR_SUCCESS)
        return !jw_sys_fail(err, rc) && jw_wrap(err, "Path");
    (void)SendMessageTimeoutW(HWND_BROADCAST, WM_SETTINGCHANGE, 0, (LPARAM)L"Environment", SMTO_ABORTIFHUNG,
                              PATIENCE_MS, &ignored);
    return true;
}
