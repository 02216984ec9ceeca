#include "os/machine/ask.h"

#include "base/num.h"
#include "os/files/file_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { LINE = 4096 };

bool jw_ask_line(FILE *in, char *line, size_t size, const atomic_bool *interrupted)
{
    if (!jw_file_await_input(fileno(in), interrupted, JW_IGNORED) || !fgets(line, (int)size, in))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
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

/* The terminal gives a whole line at once; no buffer keeps a part of it. */
static bool read_secret(int tty, char *secret, size_t size, size_t *n,
                        const atomic_bool *interrupted)
{
    char line[LINE];
    ssize_t got;

    do
        got = jw_file_await_input(tty, interrupted, JW_IGNORED) ? read(tty, line, sizeof line) : 0;
    while (got < 0 && errno == EINTR);
    bool whole = got > 0 && line[got - 1] == '\n';

    *n = got > 0 ? jw_min((size_t)got - whole, size + 1) : 0;
    memcpy(secret, line, jw_min(*n, size));
    sodium_memzero(line, sizeof line);
    return got > 0;
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
    (void)!write(tty, prompt, strlen(prompt));
    given = read_secret(tty, secret, size, n, interrupted);
    (void)tcsetattr(tty, TCSAFLUSH, &before);
    (void)!write(tty, "\n", 1);
    (void)close(tty);
    return given ? JW_SECRET_GIVEN : JW_SECRET_NONE;
}
