#include "os/machine/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC O_NOINHERIT /* Windows, which has no such file */
#define O_NONBLOCK 0
#endif

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static const char *past_blanks(const char *at) { return at + strspn(at, " \t"); }

/* A number of digits only; false for none or too many. */
static bool number_at(const char **at, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(*at, &end, 10);
    if (**at < '0' || **at > '9' || errno)
        return false;
    *at = end;
    return true;
}

bool jw_procfs_number(const char *text, const char *name, uint64_t *out)
{
    size_t n = strlen(name);

    for (const char *at = text; *at; at = next_line(at)) {
        const char *value = at + n;

        if (strncmp(at, name, n) != 0 || (*value != ':' && *value != ' '))
            continue;
        value = past_blanks(value + 1);
        if (!number_at(&value, out))
            return false;
        if (strncmp(past_blanks(value), "kB", 2) != 0)
            return true;
        if (*out > UINT64_MAX / 1024)
            return false;
        *out *= 1024;
        return true;
    }
    return false;
}

/* "PID (NAME) STATE ..."; the name may hold blanks and parentheses. */
bool jw_procfs_stat(const char *text, struct jw_procfs_stat *out)
{
    enum { STATE = 3, PARENT, USER = 14, SYSTEM, BEGAN = 22, FIELDS };
    const char *at = strrchr(text, ')');
    uint64_t v[FIELDS] = {0};

    *out = (struct jw_procfs_stat){0};
    at = at ? at + 1 : "";
    for (unsigned field = STATE; field < FIELDS; field++, at += strcspn(at, " ")) {
        at = past_blanks(at);
        if (!*at || (field == BEGAN && (*at < '0' || *at > '9')))
            return false;
        if (field == STATE)
            out->state = *at;
        else
            v[field] = strtoull(at, NULL, 10);
    }
    out->parent = (unsigned long)v[PARENT];
    out->cpu = v[USER] + v[SYSTEM];
    out->began = v[BEGAN];
    return true;
}

bool jw_procfs_read(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a pipe */
    size_t n = 0;
    ssize_t part = 0;

    text[0] = '\0';
    if (fd < 0)
        return false;
    while (n < room - 1) {
        part = read(fd, text + n, (unsigned)(room - 1 - n));
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            break;
        n += (size_t)part;
    }
    text[n] = '\0';
    int why = errno;

    (void)close(fd);
    errno = why;
    return part >= 0;
}
