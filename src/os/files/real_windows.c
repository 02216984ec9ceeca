#include "base/limits.h"
#include "base/mem.h"
#include "os/files/file.h"
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

/* True with `*wide` NULL: unknown. */
static void final_path(HANDLE h, wchar_t **wide)
{
    DWORD room = GetFinalPathNameByHandleW(h, NULL, 0, FILE_NAME_NORMALIZED), n;

    *wide = NULL;
    if (!room)
        return;
    *wide = jw_alloc(((size_t)room + 1) * sizeof **wide);
    n = GetFinalPathNameByHandleW(h, *wide, room + 1, FILE_NAME_NORMALIZED);
    if (n && n <= room)
        return;
    jw_free(*wide);
    *wide = NULL;
}

static void to_text(const wchar_t *wide, char **real)
{
    struct jw_buf text = JW_BUF(JW_MAX_PATH);

    jw_utf16_to(&text, wide);
    jw_buf_fill(&text, 0, 1);
    if (!text.bad)
        *real = jw_strdup(without_prefix((char *)text.p));
    jw_buf_free(&text);
}

bool jw_sys_real(const char *path, char **real, bool *there, struct jw_err *err)
{
    wchar_t *wide = NULL, *found;
    HANDLE h;

    *there = false;
    if (!jw_win_path(path, false, &wide, err))
        return false;
    h = CreateFileW(wide, 0, JW_WIN_SHARE_ALL, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    jw_free(wide);
    if (h == INVALID_HANDLE_VALUE)
        return true;

    final_path(h, &found);

    (void)CloseHandle(h);
    if (!found)
        return true;
    to_text(found, real);
    *there = true;
    jw_free(found);
    return *there;
}

bool jw_is_circle(const char *path)
{
    struct jw_file_info info;
    struct jw_err why = { 0 };

    return !jw_file_stat(path, &info, &why) && why.os == ERROR_CANT_RESOLVE_FILENAME;
}
