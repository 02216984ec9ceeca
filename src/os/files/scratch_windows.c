#include "os/files/scratch.h"

#include <windows.h>

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
