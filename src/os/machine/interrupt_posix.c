#include "os/machine/interrupt.h"

#include "base/compiler.h"

#include <signal.h>
#include <stddef.h>

/* Mutable state at file scope, because a signal handler gets no context. */
static atomic_bool interrupted, asked; /* asked: by SIGINT or SIGTERM */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler writes it");

/* A closed terminal sends SIGHUP twice, from the kernel and from the shell, and each write to a
 * reader that is gone a SIGPIPE: they end nothing at once. What SIGXFSZ is sent for (ulimit -f) the
 * write says. It is handled, because what is ignored stays so in programs that are started. */
static void handle(int sig)
{
    if (sig == SIGXFSZ)
        return;
    atomic_store(&interrupted, true);
    if ((sig == SIGINT || sig == SIGTERM) && atomic_exchange(&asked, true)) {
        (void)signal(sig, SIG_DFL);
        (void)raise(sig);
    }
}

const atomic_bool *jw_interrupt_watch(void)
{
    struct sigaction now = {.sa_handler = handle, .sa_flags = SA_RESTART}, old;

    (void)sigemptyset(&now.sa_mask);
    for (size_t i = 0; i < JW_COUNT(signals); i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &now, NULL);
    return &interrupted;
}

/* Default or ignored are the only handlers at start; ignored signals were not changed. */
bool jw_interrupt_forget(void)
{
    struct sigaction now;

    for (size_t i = 0; i < JW_COUNT(signals); i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == handle)
            (void)signal(signals[i], SIG_DFL);
    return atomic_load(&interrupted);
}
