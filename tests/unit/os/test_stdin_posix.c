#include "check.h"
#include "os/files/file.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static atomic_bool interrupted;

static void on_alarm(int sig)
{
    (void)sig;
    atomic_store(&interrupted, true);
}

/* A pipe as standard input; gives its other end. */
static int begin(void)
{
    int ends[2];

    atomic_store(&interrupted, false);
    CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    (void)close(ends[0]);
    return ends[1];
}

TEST(bytes_come_as_they_are_there)
{
    char part[8];
    size_t got;
    int out = begin();

    CHECK(write(out, "abc\r\n\0x", 7) == 7);
    CHECK(jw_stdin_read(part, 5, &got, &interrupted, &err) && got == 5
          && memcmp(part, "abc\r\n", 5) == 0);
    CHECK(jw_stdin_read(part, 8, &got, NULL, &err) && got == 2 && part[0] == '\0'
          && part[1] == 'x');
    (void)close(out);
    CHECK_OK(jw_stdin_read(part, 8, &got, &interrupted, &err) && got == 0, err);
}

TEST(waiting_ends_when_it_is_interrupted)
{
    struct itimerval soon = {.it_value = {.tv_usec = 50000}};
    struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    char part[8];
    size_t got;
    int out = begin();

    CHECK(sigaction(SIGALRM, &act, NULL) == 0 && setitimer(ITIMER_REAL, &soon, NULL) == 0);
    CHECK(!jw_stdin_read(part, 8, &got, &interrupted, &err));
    CHECK(err.code == JW_E_INTERRUPTED && got == 0);
    (void)close(out);
}

TEST(a_stream_that_cannot_be_read)
{
    char part[8];
    size_t got;

    (void)close(begin());
    (void)close(STDIN_FILENO);
    CHECK(!jw_stdin_read(part, 8, &got, NULL, &err));
    CHECK(err.code == JW_E_IO && err.msg[0]);
}
