#include "check.h"
#include "os/machine/env.h"
#include "os/machine/interrupt.h"

#include <signal.h>

TEST(an_interrupt_only_sets_the_flag)
{
    const atomic_bool *flag = jw_interrupt_watch();

    CHECK(!atomic_load(flag));
    if (jw_os_is_windows())
        SKIP("a console event needs a console");
#ifdef SIGHUP
    CHECK(raise(SIGHUP) == 0 && raise(SIGHUP) == 0 && raise(SIGPIPE) == 0
          && raise(SIGPIPE) == 0); /* still here: of Ctrl-C alone the second one ends it */
#endif
    CHECK(raise(SIGINT) == 0);
    CHECK(atomic_load(flag));
    CHECK(jw_interrupt_watch() == flag && atomic_load(flag));
}

static volatile sig_atomic_t came;

static void count(int sig)
{
    (void)sig;
    came = came + 1;
}

TEST(it_can_be_undone)
{
    (void)jw_interrupt_watch();
    (void)jw_interrupt_forget();
    if (jw_os_is_windows())
        SKIP("a console event needs a console");
    CHECK(signal(SIGINT, count) == SIG_DFL && signal(SIGTERM, count) == SIG_DFL);
    /* what the test before this one sent; and another's handler stays */
    CHECK(jw_interrupt_forget());
    CHECK(raise(SIGINT) == 0 && raise(SIGTERM) == 0);
    CHECK_NUM(came, 1 + 1);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
}
