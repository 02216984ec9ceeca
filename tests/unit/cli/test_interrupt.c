#include "check.h"
#include "os/env.h"
#include "os/interrupt.h"

#include <signal.h>

TEST(an_interrupt_only_sets_the_flag)
{
    const atomic_bool *flag = jw_interrupt_watch();

    CHECK(!atomic_load(flag));
    if (jw_os_is_windows())
        SKIP("a console event needs a console");
    CHECK(raise(SIGINT) == 0);
    CHECK(atomic_load(flag));
    CHECK(jw_interrupt_watch() == flag && atomic_load(flag));
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(an_interrupt_only_sets_the_flag));
}
