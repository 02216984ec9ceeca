#include "os/machine/interrupt.h"

#include "base/compiler.h"

#include <signal.h>
#include <stddef.h>

/* Mutable state at file scope: a signal handler has no other way in. */
static atomic_bool interrupted;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler writes it");

/* A closed terminal sends SIGHUP itself, and so does its shell: two of them are one wish. */
static void handle(int sig)
{
    if (atomic_exchange(&interrupted, true) && sig != SIGHUP) {
        (void)signal(sig, SIG_DFL);
        (void)raise(sig);
    }
}

const atomic_bool *jw_interrupt_watch(void)
{
    struct sigaction now = { .sa_handler = handle, .sa_flags = SA_RESTART }, old;

    (void)sigemptyset(&now.sa_mask);
    for (size_t i = 0; i < JW_COUNT(signals); i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &now, NULL);
    return &interrupted;
}

/* A program starts with each of them at its default or ignored, and what was ignored was left alone. */
bool jw_interrupt_forget(void)
{
    struct sigaction now;

    for (size_t i = 0; i < JW_COUNT(signals); i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == handle)
            (void)signal(signals[i], SIG_DFL);
    return atomic_load(&interrupted);
}
