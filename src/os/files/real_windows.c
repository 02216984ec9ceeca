#include "base/limits.h"
#include "base/mem.h"
#include "os/files/real.h"
#include "os/files/winpath.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <string.h>

/* "\\?\C:\x" -> "C:\x", "\\?\UNC\server\share" -> "\\server\share". */
static const char *without_prefix(char *path)
{
    if (strncmp(path, "\\\\?\\UNC\\", 8) == 0) {
        path[6] = '\\';
        return path + 6;
    }
    return strncmp(path, "\\\\?\\", 4) == 0 ? path + 4 : path;
}

bool jw_sys_real(const char *path, struct jw_arena *a, const char **real, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_PATH);
    wchar_t *wide = NULL;

    *real = NULL;
    if (!jw_win_path(path, false, &wide, err))
        return false;

    HANDLE h = CreateFileW(wide, 0, JW_WIN_SHARE_ALL, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    wchar_t *found = jw_alloc(JW_WIN_UNITS * sizeof *found);

    if (h != INVALID_HANDLE_VALUE) {
        DWORD n = GetFinalPathNameByHandleW(h, found, JW_WIN_UNITS, FILE_NAME_NORMALIZED);

        (void)CloseHandle(h);
        jw_utf16_to(&text, n < JW_WIN_UNITS ? found : L"");
        *real = text.n ? without_prefix(jw_arena_str(a, jw_buf_cstr(&text))) : NULL;
    }
    jw_free(found);
    jw_free(wide);
    return true;
}
