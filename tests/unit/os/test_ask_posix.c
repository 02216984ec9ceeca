#include "check.h"
#include "os/machine/ask.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_bool interrupted;

static void on_alarm(int sig)
{
    (void)sig;
    atomic_store(&interrupted, true);
}

/* What is asked when `text` is all that stands in the pipe; `more`: its other end stays open. */
static bool answered(const char *text, bool more, char *line, size_t size)
{
    int ends[2];
    FILE *in;
    bool got;

    if (pipe(ends) != 0 || write(ends[1], text, strlen(text)) != (ssize_t)strlen(text))
        return false;
    if (!more)
        (void)close(ends[1]);
    in = fdopen(ends[0], "r");
    got = in && jw_ask_line(in, line, size, &interrupted);
    if (in)
        (void)fclose(in);
    if (more)
        (void)close(ends[1]);
    return got;
}

TEST(a_line_comes_without_its_end)
{
    char line[8];

    atomic_store(&interrupted, false);
    CHECK(answered("yes\nno\n", false, line, sizeof line));
    CHECK_TEXT(line, "yes");
    CHECK(answered("y\r\n", true, line, sizeof line));
    CHECK_TEXT(line, "y");
    CHECK(answered("no end", false, line, sizeof line));
    CHECK_TEXT(line, "no end");
    CHECK(answered("much too long\n", true, line, sizeof line));
    CHECK_TEXT(line, "much to");
}

TEST(no_input_is_no_line)
{
    char line[8];

    atomic_store(&interrupted, false);
    CHECK(!answered("", false, line, sizeof line));
}

/* The handler asks the system to restart what it interrupts, as that of os/machine/interrupt
 * does. */
TEST(a_signal_ends_the_wait)
{
    struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval soon = {.it_value = {.tv_usec = 20000}};
    char line[8];

    atomic_store(&interrupted, false);
    CHECK(sigaction(SIGALRM, &act, NULL) == 0 && setitimer(ITIMER_REAL, &soon, NULL) == 0);
    CHECK(!answered("", true, line, sizeof line));
    CHECK(atomic_load(&interrupted));
    CHECK(!answered("yes\n", true, line, sizeof line));
}
