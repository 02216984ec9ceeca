#include "base/limits.h"
#include "base/mem.h"
#include "os/files/file_windows.h"
#include "os/files/real.h"
#include "os/files/winpath.h"
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

const char *jw_sys_real(const char *path, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_PATH);
    HANDLE h = jw_win_open(NULL, path, 0, false, JW_IGNORED);

    if (h == INVALID_HANDLE_VALUE)
        return NULL;

    wchar_t *found = jw_alloc(JW_WIN_UNITS * sizeof *found);
    DWORD n = GetFinalPathNameByHandleW(h, found, JW_WIN_UNITS, FILE_NAME_NORMALIZED);

    (void)CloseHandle(h);
    jw_utf16_to(&text, n < JW_WIN_UNITS ? found : L"");
    jw_free(found);
    return text.n ? without_prefix(jw_arena_str(a, jw_buf_cstr(&text))) : NULL;
}
