#include "os/machine/interrupt.h"

#include <windows.h>

/* Mutable state at file scope: a console handler has no other way in. */
static atomic_bool interrupted;

/* Not handled means that the system ends the program. */
static BOOL WINAPI handle(DWORD event)
{
    (void)event;
    return !atomic_exchange(&interrupted, true);
}

const atomic_bool *jw_interrupt_watch(void)
{
    (void)SetConsoleCtrlHandler(handle, TRUE);
    return &interrupted;
}

bool jw_interrupt_forget(void)
{
    (void)SetConsoleCtrlHandler(handle, FALSE);
    return atomic_load(&interrupted);
}
