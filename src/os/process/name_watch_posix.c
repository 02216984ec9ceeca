#include "os/process/name_watch_posix.h"
#include "base/mem.h"
#include "os/sys.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

struct jw_name_watch {
    int events;
    int *ids;
    size_t n;
};

int jw_name_watch_events(const struct jw_name_watch *w)
{
    return w->events;
}

void jw_name_watch_free(struct jw_name_watch *w)
{
    if (!w)
        return;
    if (w->events >= 0)
        (void)close(w->events);
    jw_free(w->ids);
    jw_free(w);
}

bool jw_name_watch_start(struct jw_name_watch **out, const char *const *folders, size_t n, bool changes,
                         struct jw_err *err)
{
    const uint32_t what = IN_ONLYDIR | IN_OPEN | (changes ? IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE : 0);

    *out = NULL;
    if (jw_sys_fault(err))
        return false;

    struct jw_name_watch *w = jw_alloc(sizeof *w);
    bool ok;

    w->ids = jw_alloc((n + 1) * sizeof *w->ids);
    w->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    ok = w->events >= 0 || jw_sys_fail(err, errno);
    for (; ok && w->n < n; w->n++) {
        w->ids[w->n] = inotify_add_watch(w->events, folders[w->n], what);
        ok = w->ids[w->n] >= 0 || jw_sys_fail(err, errno) || jw_wrap(err, "%s", folders[w->n]);
    }
    if (ok)
        *out = w;
    else
        jw_name_watch_free(w);
    return ok;
}

static bool tell(const struct jw_name_watch *w, const struct inotify_event *e, jw_name_seen *seen, void *ctx)
{
    bool folder = e->mask & IN_ISDIR;
    enum jw_name_event what = folder                                   ? JW_NAME_FOLDER
                              : e->mask & (IN_MODIFY | IN_CLOSE_WRITE) ? JW_NAME_WRITTEN
                                                                       : JW_NAME_OPENED;
    bool counts = folder ? e->mask & IN_CREATE : !(e->mask & IN_CREATE);

    for (size_t i = 0; e->len && counts && i < w->n; i++)
        if (w->ids[i] == e->wd)
            seen(ctx, i, e->name, what);
    return !(e->mask & IN_Q_OVERFLOW);
}

bool jw_name_watch_take(struct jw_name_watch *w, jw_name_seen *seen, void *ctx)
{
    _Alignas(struct inotify_event) char bytes[65536];
    bool all = true;
    ssize_t got;

    while ((got = read(w->events, bytes, sizeof bytes)) > 0)
        for (const char *at = bytes; at < bytes + got;) {
            const struct inotify_event *e = (const void *)at;

            all &= tell(w, e, seen, ctx);
            at += sizeof *e + e->len;
        }
    return all;
}
