#include "os/process/parent.h"

#include "base/text.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A number that nobody but our parent could have given: a pipe or a socket, none of the standard streams. */
static bool inherited(const char *text, intptr_t *fd, struct jw_err *err)
{
    struct stat st;
    uint64_t n;

    if (!jw_text_u64(text, &n) || n <= STDERR_FILENO || n > 1 << 20 || fstat((int)n, &st) != 0
        || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
        return jw_fail(err, JW_E_USAGE, "\"%.20s\" is no pipe to a parent", text);
    (void)fcntl((int)n, F_SETFD, FD_CLOEXEC); /* a helper that a driver starts must not keep it open */
    *fd = (intptr_t)n;
    return true;
}

bool jw_parent_open(struct jw_parent *p, const char *in, const char *out, struct jw_err *err)
{
    return inherited(in, &p->in, err) && inherited(out, &p->out, err);
}

bool jw_parent_read(struct jw_parent *p, void *dst, size_t n, bool *gone, struct jw_err *err)
{
    uint8_t *at = dst;
    size_t left = n;

    *gone = false;
    while (left) {
        ssize_t r = read((int)p->in, at, left);

        if (r < 0 && errno != EINTR)
            return jw_sys_fail(err, errno);
        if (r == 0) {
            *gone = left == n;
            return *gone || jw_fail(err, JW_E_IO, "the parent ended in the middle of a record");
        }
        if (r > 0) {
            at += r;
            left -= (size_t)r;
        }
    }
    return true;
}

bool jw_parent_write(struct jw_parent *p, const void *src, size_t n, struct jw_err *err)
{
    return jw_sys_write(p->out, src, n, err);
}
