#include "base/mem.h"
#include "os/process/open_watch.h"
#include "os/sys.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

struct jw_open_watch {
    int events, wake;
    int ids[JW_OPEN_WATCH_MAX];
    size_t n;
};

static bool watch_files(struct jw_open_watch *w, const char *const *paths, size_t n, struct jw_err *err)
{
    w->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    w->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (w->events < 0 || w->wake < 0)
        return jw_sys_fail(err, errno);
    for (w->n = 0; w->n < n; w->n++) {
        w->ids[w->n] = inotify_add_watch(w->events, paths[w->n], IN_OPEN | IN_MOVE_SELF | IN_DELETE_SELF);
        if (w->ids[w->n] < 0)
            return jw_sys_fail(err, errno) || jw_wrap(err, "%s", paths[w->n]);
    }
    return true;
}

bool jw_open_watch_start(struct jw_open_watch **out, const char *const *paths, size_t n, struct jw_err *err)
{
    *out = NULL;
    if (jw_sys_fault(err))
        return false;
    if (n > JW_OPEN_WATCH_MAX)
        return jw_fail(err, JW_E_LIMIT, "more than %d files to watch", JW_OPEN_WATCH_MAX);

    struct jw_open_watch *w = jw_alloc(sizeof *w);

    if (watch_files(w, paths, n, err))
        *out = w;
    else
        jw_open_watch_free(w);
    return *out != NULL;
}

static void take_event(const struct jw_open_watch *w, const struct inotify_event *e, struct jw_opened *out)
{
    if (e->mask & (IN_Q_OVERFLOW | IN_MOVE_SELF | IN_DELETE_SELF | IN_IGNORED | IN_UNMOUNT))
        out->lost = true;
    /* Two names of one file share a watch. */
    for (size_t i = 0; i < w->n; i++)
        out->file[i] |= w->ids[i] == e->wd && (e->mask & IN_OPEN);
}

static void take_events(const struct jw_open_watch *w, struct jw_opened *out)
{
    _Alignas(struct inotify_event) char bytes[4096];
    ssize_t got;

    while ((got = read(w->events, bytes, sizeof bytes)) > 0)
        for (const char *at = bytes; at < bytes + got;) {
            const struct inotify_event *e = (const void *)at;

            take_event(w, e, out);
            at += sizeof *e + e->len;
        }
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        out->lost = true;
}

void jw_open_watch_next(struct jw_open_watch *w, unsigned timeout_ms, struct jw_opened *out)
{
    struct pollfd wait[] = { { .fd = w->events, .events = POLLIN }, { .fd = w->wake, .events = POLLIN } };
    uint64_t ignored;

    *out = (struct jw_opened){ 0 };
    (void)poll(wait, JW_COUNT(wait), (int)timeout_ms);
    (void)!read(w->wake, &ignored, sizeof ignored);
    take_events(w, out);
}

void jw_open_watch_wake(struct jw_open_watch *w)
{
    const uint64_t one = 1;

    (void)!write(w->wake, &one, sizeof one);
}

void jw_open_watch_free(struct jw_open_watch *w)
{
    if (!w)
        return;
    if (w->events >= 0)
        (void)close(w->events);
    if (w->wake >= 0)
        (void)close(w->wake);
    jw_free(w);
}
