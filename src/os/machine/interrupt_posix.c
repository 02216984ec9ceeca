#include "os/machine/interrupt.h"

#include "base/compiler.h"

#include <signal.h>
#include <stddef.h>

/* Mutable state at file scope, because a signal handler gets no context. */
static atomic_bool interrupted;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGPIPE };

enum { REQUESTS = 3 /* to stop; behind them what a write says anyway: ulimit -f, a reader that is gone */ };

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler writes it");

/* A closed terminal sends SIGHUP twice, from the kernel and from the shell: it counts once. */
static void handle(int sig)
{
    if (atomic_exchange(&interrupted, true) && sig != SIGHUP) {
        (void)signal(sig, SIG_DFL);
        (void)raise(sig);
    }
}

/* A handler, because what is ignored stays so in programs that are started. */
static void let_it_fail(int sig)
{
    (void)sig;
}

const atomic_bool *jw_interrupt_watch(void)
{
    struct sigaction now = { .sa_handler = handle, .sa_flags = SA_RESTART }, old,
                     over = { .sa_handler = let_it_fail, .sa_flags = SA_RESTART };

    (void)sigemptyset(&now.sa_mask);
    (void)sigemptyset(&over.sa_mask);
    for (size_t i = 0; i < JW_COUNT(signals); i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], i < REQUESTS ? &now : &over, NULL);
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
