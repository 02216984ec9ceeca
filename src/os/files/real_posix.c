#include "base/mem.h"
#include "os/files/real.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_openat2
#define __NR_openat2 437 /* on every architecture */
#endif

bool jw_sys_real(const char *path, char **real, bool *there, struct jw_err *err)
{
    char *found = realpath(path, NULL);

    *there = found != NULL;
    if (!found)
        return errno != ENOMEM || jw_sys_fail(err, errno);
    *real = jw_strdup(found);
    free(found);
    return true;
}

/* ---- inside of a root ---- */

enum { FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC };

static int open_in_root(int root, const char *path)
{
    struct open_how how = { .flags = FOLDER, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
    long fd;

    do
        fd = syscall(__NR_openat2, root, *path ? path : ".", &how, sizeof how);
    while (fd < 0 && (errno == EINTR || errno == EAGAIN)); /* EAGAIN: something was renamed meanwhile */
    return (int)fd;
}

/* Linux before 5.6, or a sandbox without openat2. */
static int walk_in_root(int root, const char *path)
{
    int at = openat(root, ".", FOLDER), next, why;
    char name[NAME_MAX + 1];

    while (at >= 0 && *path) {
        size_t n = strcspn(path, "/");

        if (n > NAME_MAX) {
            (void)close(at);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, path, n);
        name[n] = '\0';
        path += n + (path[n] == '/');
        if (!n || strcmp(name, ".") == 0)
            continue;
        next = strcmp(name, "..") == 0 ? (errno = ELOOP, -1) : openat(at, name, FOLDER | O_NOFOLLOW);
        why = errno;
        (void)close(at);
        errno = why;
        at = next;
    }
    return at;
}

static bool path_of_descriptor(int fd, char **real, struct jw_err *err)
{
    char name[32], text[PATH_MAX + 1];
    ssize_t n;

    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    n = readlink(name, text, sizeof text - 1);
    if (n < 0)
        return jw_fail(err, JW_E_IO,
                       "/proc is not mounted, without which no path inside of an image can be found");
    text[n] = '\0';
    *real = jw_strdup(text);
    return true;
}

/* Whether the last name exists after all: a dangling link, or a link that a walk refuses. */
static bool is_link(int root, const char *path, bool walk)
{
    const char *base = strrchr(path, '/');
    char *above = base ? jw_strdup(path) : NULL;
    struct stat st;
    int folder = root;
    bool yes;

    if (above) {
        above[base - path] = '\0';
        folder = walk ? walk_in_root(root, above) : open_in_root(root, above);
    }
    yes = *path && folder >= 0 && fstatat(folder, base ? base + 1 : path, &st, AT_SYMLINK_NOFOLLOW) == 0
          && S_ISLNK(st.st_mode);
    if (above && folder >= 0)
        (void)close(folder);
    jw_free(above);
    return yes;
}

/* `path` may end in a separator. */
static void trim(char *path)
{
    for (size_t n = strlen(path); n && path[n - 1] == '/';)
        path[--n] = '\0';
}

bool jw_sys_real_in_root(const char *root, const char *path, bool walk, char **real, bool *there,
                         struct jw_err *err)
{
    char *own = jw_strdup(path);
    int top = open(root, FOLDER), fd = -1;
    bool ok = false;

    *there = false;
    trim(own);
    if (top < 0) {
        ok = jw_sys_fail(err, errno) || jw_wrap(err, "%.250s", root);
        jw_free(own);
        return ok;
    }
    fd = walk ? -1 : open_in_root(top, own);
    if (walk || (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL))) {
        walk = true;
        fd = walk_in_root(top, own);
    }
    if (fd >= 0)
        ok = *there = path_of_descriptor(fd, real, err);
    else if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) {
        int why = errno;

        if (is_link(top, own, walk))
            ok = jw_fail(err, JW_E_IO, "%.250s in %.250s is a link %s", own, root,
                         walk ? "that cannot be followed inside of it here" : "to nothing in it");
        else
            ok = why == ENOENT || jw_fail(err, JW_E_IO, "%.250s in %.250s is not a folder", own, root);
    } else
        ok = jw_sys_fail(err, errno) || jw_wrap(err, "%.250s in %.250s", own, root);
    if (fd >= 0)
        (void)close(fd);
    (void)close(top);
    jw_free(own);
    return ok;
}
