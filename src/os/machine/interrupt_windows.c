#include "os/machine/interrupt.h"

#include <windows.h>

/* Mutable state at file scope, because a console handler gets no context. */
static atomic_bool interrupted;

/* An unhandled event makes Windows end the program. */
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
