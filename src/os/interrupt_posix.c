#include "os/interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* The one mutable state at file scope: a signal handler has no other way in. */
static atomic_bool interrupted;

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler writes it");

static void handle(int sig)
{
    if (atomic_exchange(&interrupted, true)) {
        (void)signal(sig, SIG_DFL);
        (void)raise(sig);
    }
}

const atomic_bool *jw_interrupt_watch(void)
{
    static const int signals[] = { SIGINT, SIGTERM };
    struct sigaction now = { .sa_handler = handle, .sa_flags = SA_RESTART }, old;

    (void)sigemptyset(&now.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &now, NULL);
    return &interrupted;
}
