#include "base/mem.h"
#include "os/files/append.h"
#include "os/machine/time.h"
#include "os/sys.h"
#include "os/sys_windows.h"

enum {
    RETRY_MS = 20,
    RETRY_LIMIT_MS = 2000 /* as for renaming: virus scanners open every new file for a moment */
};

static bool size_of(HANDLE h, uint64_t *size, struct jw_err *err)
{
    LARGE_INTEGER n;

    if (GetFileType(h) != FILE_TYPE_DISK)
        return jw_fail(err, JW_E_IO, "is not a regular file");
    if (!GetFileSizeEx(h, &n))
        return jw_sys_fail(err, (long)GetLastError());
    *size = (uint64_t)n.QuadPart;
    return true;
}

/* Inherits the permissions of the folder, which is private. */
bool jw_sys_append_open(const char *path, intptr_t *handle, uint64_t *size, struct jw_err *err)
{
    wchar_t *wide = NULL;

    if (!jw_win_path(path, false, &wide, err))
        return false;

    HANDLE h = CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                           OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL | SECURITY_SQOS_PRESENT, NULL);
    DWORD why = h == INVALID_HANDLE_VALUE ? GetLastError() : 0;

    jw_free(wide);
    if (why)
        return jw_sys_fail(err, (long)why);
    if (!size_of(h, size, err)) {
        (void)CloseHandle(h);
        return false;
    }
    *handle = (intptr_t)h;
    return true;
}

bool jw_sys_append_write(intptr_t handle, const void *p, size_t n, struct jw_err *err)
{
    LARGE_INTEGER none = { .QuadPart = 0 };

    if (!SetFilePointerEx((HANDLE)handle, none, NULL, FILE_END))
        return jw_sys_fail(err, (long)GetLastError());
    return jw_sys_write(handle, p, n, err);
}

bool jw_sys_append_cut(intptr_t handle, uint64_t size, struct jw_err *err)
{
    LARGE_INTEGER end = { .QuadPart = (LONGLONG)size };

    return (SetFilePointerEx((HANDLE)handle, end, NULL, FILE_BEGIN) && SetEndOfFile((HANDLE)handle))
           || jw_sys_fail(err, (long)GetLastError());
}

bool jw_sys_append_sync(intptr_t handle, struct jw_err *err)
{
    return jw_sys_sync(handle, err);
}

static DWORD remove_once(const wchar_t *wide)
{
    return DeleteFileW(wide) ? 0 : GetLastError();
}

static bool passing(DWORD why)
{
    return why == ERROR_SHARING_VIOLATION || why == ERROR_LOCK_VIOLATION || why == ERROR_ACCESS_DENIED;
}

bool jw_sys_append_remove(const char *path, struct jw_err *err)
{
    wchar_t *wide = NULL;
    DWORD why;

    if (!jw_win_path(path, false, &wide, err))
        return false;
    why = remove_once(wide);
    for (unsigned ms = 0; passing(why) && ms < RETRY_LIMIT_MS; ms += RETRY_MS) {
        jw_time_sleep_ms(RETRY_MS);
        why = remove_once(wide);
    }
    jw_free(wide);
    return !why || jw_sys_absent((long)why) || jw_sys_fail(err, (long)why);
}
