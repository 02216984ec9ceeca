#include "os/machine/priority.h"

#include <stdio.h>
#include <windows.h>

/* Sets the class first: children inherit it. They do not inherit background mode. */
void jw_priority_lower(enum jw_priority how)
{
    HANDLE self = GetCurrentProcess();

    (void)SetPriorityClass(self, how == JW_PRIORITY_IDLE ? IDLE_PRIORITY_CLASS
                                                         : BELOW_NORMAL_PRIORITY_CLASS);
    if (how != JW_PRIORITY_BEHIND)
        (void)SetPriorityClass(self, PROCESS_MODE_BACKGROUND_BEGIN);
}

/* A scheduled task opens a console window for a console program. One shared with a shell stays. */
void jw_leave_console(void)
{
    DWORD who[2];

    if (GetConsoleProcessList(who, 2) != 1)
        return;
    (void)FreeConsole();
    (void)freopen("NUL", "w", stdout);
    (void)freopen("NUL", "w", stderr);
}
