#include "base/mem.h"
#include "os/process/watch.h"
#include "os/sys.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

struct jw_watch {
    int events, wake;
    int *ids;
    size_t n;
};

static int add_watch(int events, const char *path)
{
    int id = inotify_add_watch(events, path, IN_ONLYDIR | IN_OPEN);

    return id < 0 && errno == ENOTDIR
               ? inotify_add_watch(events, path, IN_OPEN | IN_MOVE_SELF | IN_DELETE_SELF)
               : id;
}

bool jw_watch_start(struct jw_watch **out, const char *const *paths, size_t n, struct jw_err *err)
{
    *out = NULL;
    if (jw_sys_fault(err))
        return false;

    struct jw_watch *w = jw_alloc(sizeof *w);
    bool ok;

    *w = (struct jw_watch){.events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
                           .wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
                           .ids = jw_alloc((n + 1) * sizeof *w->ids)};
    ok = (w->events >= 0 && w->wake >= 0) || jw_sys_fail(err, errno);
    for (; w->n < n; w->n++) {
        if (!ok)
            break;
        w->ids[w->n] = add_watch(w->events, paths[w->n]);
        ok = w->ids[w->n] >= 0 || jw_sys_fail(err, errno) || jw_wrap(err, "%s", paths[w->n]);
    }
    if (ok)
        *out = w;
    else
        jw_watch_free(w);
    return ok;
}

bool jw_watch_next(struct jw_watch *w, unsigned timeout_ms,
                   void (*seen)(void *ctx, size_t i, const char *name), void *ctx)
{
    _Alignas(struct inotify_event) char bytes[65536];
    struct pollfd wait[] = {{.fd = w->events, .events = POLLIN}, {.fd = w->wake, .events = POLLIN}};
    uint64_t ignored;
    bool all = true;
    ssize_t got;

    (void)poll(wait, JW_COUNT(wait), (int)timeout_ms);
    (void)!read(w->wake, &ignored, sizeof ignored);
    while ((got = read(w->events, bytes, sizeof bytes)) > 0)
        for (const char *at = bytes; at < bytes + got;) {
            const struct inotify_event *e = (const void *)at;

            all &= !(e->mask & (IN_Q_OVERFLOW | IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT));
            bool opened = e->mask & IN_OPEN && !(e->mask & IN_ISDIR);

            /* Two names of one file share a watch. */
            for (size_t i = 0; i < w->n; i++)
                if (opened && w->ids[i] == e->wd)
                    seen(ctx, i, e->len ? e->name : "");
            at += sizeof *e + e->len;
        }
    return all && (got >= 0 || errno == EAGAIN || errno == EINTR);
}

void jw_watch_wake(struct jw_watch *w)
{
    const uint64_t one = 1;

    (void)!write(w->wake, &one, sizeof one);
}

void jw_watch_free(struct jw_watch *w)
{
    if (!w)
        return;
    if (w->events >= 0)
        (void)close(w->events);
    if (w->wake >= 0)
        (void)close(w->wake);
    jw_free(w->ids);
    jw_free(w);
}
