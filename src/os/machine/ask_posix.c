#include "os/machine/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* A signal restarts a read, but always ends a poll: poll notices Ctrl-C. The timeout covers a signal between the check
 * of the flag and the poll. */
static bool wait_for_input(int in, const atomic_bool *interrupted)
{
    enum { LOOK_MS = 100 };
    struct pollfd fd = { .fd = in, .events = POLLIN };

    for (;;) {
        if (interrupted && atomic_load(interrupted))
            return false;

        int n = poll(&fd, 1, LOOK_MS);

        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

bool jw_ask_line(FILE *in, char *line, size_t size, const atomic_bool *interrupted)
{
    if (!wait_for_input(fileno(in), interrupted) || !fgets(line, (int)size, in))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

static void say(int tty, const char *text)
{
    ssize_t ignored = write(tty, text, strlen(text));

    (void)ignored;
}

/* Discards earlier input, which may have been meant for another program. */
static bool hide(int tty, struct termios *before)
{
    struct termios hidden;

    if (tcgetattr(tty, before) != 0)
        return false;
    hidden = *before;
    hidden.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
    hidden.c_lflag |= ICANON | ISIG;
    return tcsetattr(tty, TCSAFLUSH, &hidden) == 0;
}

/* Reads byte by byte, so that no buffer keeps a part of it. */
static bool read_secret(int tty, char *secret, size_t size, size_t *n, const atomic_bool *interrupted)
{
    char c = 0;

    *n = 0;
    for (;;) {
        if (!wait_for_input(tty, interrupted))
            return false;

        ssize_t got = read(tty, &c, 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        if (c == '\n')
            return true;
        if (*n < size)
            secret[*n] = c;
        if (*n <= size)
            ++*n;
    }
}

enum jw_secret_answer jw_ask_secret(const char *prompt, char *secret, size_t size, size_t *n,
                                    const atomic_bool *interrupted)
{
    int tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios before;
    bool given;

    *n = 0;
    if (tty < 0 || !hide(tty, &before)) {
        if (tty >= 0)
            (void)close(tty);
        return JW_SECRET_NO_TERMINAL;
    }
    say(tty, prompt);
    given = read_secret(tty, secret, size, n, interrupted);
    (void)tcsetattr(tty, TCSAFLUSH, &before);
    say(tty, "\n");
    (void)close(tty);
    return given ? JW_SECRET_GIVEN : JW_SECRET_NONE;
}
