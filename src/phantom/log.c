#include "phantom/phantom.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE = 400, MOST_SEEN = 64 };

/* Opens the file for each line: drivers close unknown descriptors, and forks would share it. */
static bool to_log(const char *line, size_t n)
{
    const char *path = ph_variable("JITWARM_PHANTOM_LOG");
    int fd = path ? ph_sys_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

    if (fd < 0)
        return path != NULL;
    (void)!write(fd, line, n);
    (void)ph_sys_close(fd);
    return true;
}

void ph_log(const char *format, ...)
{
    char line[LINE];
    va_list list;
    int head, n;

    if (!ph_variable("JITWARM_PHANTOM_LOG"))
        return;
    head = snprintf(line, sizeof line, "%ld ", (long)getpid());
    va_start(list, format);
    n = vsnprintf(line + head, sizeof line - (size_t)head - 1, format, list);
    va_end(list);
    if (n < 0)
        return;
    n = (int)strlen(line);
    line[n] = '\n';
    (void)to_log(line, (size_t)n + 1);
}

void ph_unknown(const char *what, uint64_t number, const char *about)
{
    static struct {
        const char *what;
        uint64_t number;
    } seen[MOST_SEEN];
    static size_t n_seen;
    char line[LINE];
    int n;

    for (size_t i = 0; i < n_seen; i++)
        if (seen[i].number == number && strcmp(seen[i].what, what) == 0)
            return;
    if (n_seen == MOST_SEEN)
        return;
    seen[n_seen].what = what;
    seen[n_seen++].number = number;
    n = snprintf(line, sizeof line,
                 "phantom: driver %s asks for %s 0x%llx%s%s%s, which phantom does not know.\n",
                 ph_version()[0] ? ph_version() : "of unknown version", what, (unsigned long long)number,
                 about ? " (" : "", about ? about : "", about ? ")" : "");
    if (n > 0 && n < LINE && !to_log(line, (size_t)n))
        (void)!write(STDERR_FILENO, line, (size_t)n);
}
