#include "os/machine/priority.h"

#include "os/sys.h"
#include "os/sys_windows.h"

#include <stdio.h>

#ifndef ERROR_PROCESS_MODE_ALREADY_BACKGROUND
#define ERROR_PROCESS_MODE_ALREADY_BACKGROUND 402
#endif

/* Sets the class first: children inherit it. They do not inherit background mode, which keeps the class. */
bool jw_priority_lower(enum jw_priority how, struct jw_err *err)
{
    HANDLE self = GetCurrentProcess();
    bool idle = how == JW_PRIORITY_IDLE, ok = true;

    if (jw_sys_fault(err))
        return false;
    if (!SetPriorityClass(self, idle ? IDLE_PRIORITY_CLASS : BELOW_NORMAL_PRIORITY_CLASS))
        ok = jw_sys_fail(err, (long)GetLastError())
             || jw_wrap(err, "%s priority", idle ? "the lowest" : "a lower");
    if (!SetPriorityClass(self, PROCESS_MODE_BACKGROUND_BEGIN)
        && GetLastError() != ERROR_PROCESS_MODE_ALREADY_BACKGROUND)
        ok = jw_sys_fail(err, (long)GetLastError()) || jw_wrap(err, "background mode");
    return ok;
}

/* A scheduled task opens a console window for a console program. A console shared with others (a shell) stays. */
void jw_leave_console(void)
{
    DWORD who[2];

    if (GetConsoleProcessList(who, 2) != 1)
        return;
    (void)FreeConsole();
    (void)freopen("NUL", "w", stdout);
    (void)freopen("NUL", "w", stderr);
}
