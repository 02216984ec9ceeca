#include "base/mem.h"
#include "os/files/scratch.h"
#include "os/sys.h"
#include "os/sys_windows.h"

/* Inherited permissions are enough below the user's profile, but at the root of a drive every user may write. */
bool jw_sys_mkdir_private(const char *path, bool *taken, struct jw_err *err)
{
    wchar_t *wide = NULL;
    struct jw_win_owner owner;
    struct jw_err unknown; /* the user is not known: permissions are inherited */

    *taken = false;
    if (jw_sys_fault(err) || !jw_win_path(path, false, &wide, err))
        return false;
    BOOL made = CreateDirectoryW(wide, jw_win_owner(&owner, true, &unknown) ? &owner.attributes : NULL);
    DWORD code = made ? 0 : GetLastError();

    jw_free(wide);
    *taken = code == ERROR_ALREADY_EXISTS;
    return made || *taken || jw_sys_fail(err, (long)code);
}

bool jw_sys_link(const char *path, const char *target, struct jw_err *err)
{
    (void)path, (void)target;
    return jw_fail(err, JW_E_IO, "links are made on Linux only");
}

void jw_sys_rmdir(const char *path)
{
    struct jw_err ignored;
    wchar_t *wide = NULL;

    if (!jw_win_path(path, false, &wide, &ignored))
        return;
    (void)RemoveDirectoryW(wide);
    jw_free(wide);
}

bool jw_sys_process_alive(unsigned long pid)
{
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, (DWORD)pid);

    if (!process)
        return GetLastError() != ERROR_INVALID_PARAMETER;
    bool alive = WaitForSingleObject(process, 0) == WAIT_TIMEOUT;

    (void)CloseHandle(process);
    return alive;
}

/* One scope: the state folder is local to the machine, and process numbers are machine-wide. */
uint32_t jw_sys_system(void)
{
    return 0;
}
