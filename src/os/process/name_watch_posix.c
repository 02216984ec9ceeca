#include "base/mem.h"
#include "os/process/name_watch.h"
#include "os/sys.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

struct jw_name_watch {
    int events;
    int *ids;
    size_t n;
};

void jw_name_watch_free(struct jw_name_watch *w)
{
    if (!w)
        return;
    if (w->events >= 0)
        (void)close(w->events);
    jw_free(w->ids);
    jw_free(w);
}

bool jw_name_watch_start(struct jw_name_watch **out, const char *const *folders, size_t n, struct jw_err *err)
{
    *out = NULL;
    if (jw_sys_fault(err))
        return false;

    struct jw_name_watch *w = jw_alloc(sizeof *w);
    bool ok;

    w->ids = jw_alloc((n + 1) * sizeof *w->ids);
    w->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    ok = w->events >= 0 || jw_sys_fail(err, errno);
    for (; ok && w->n < n; w->n++) {
        w->ids[w->n] = inotify_add_watch(w->events, folders[w->n], IN_ONLYDIR | IN_OPEN);
        ok = w->ids[w->n] >= 0 || jw_sys_fail(err, errno) || jw_wrap(err, "%s", folders[w->n]);
    }
    if (ok)
        *out = w;
    else
        jw_name_watch_free(w);
    return ok;
}

bool jw_name_watch_take(struct jw_name_watch *w, void (*seen)(void *ctx, size_t folder, const char *name),
                        void *ctx)
{
    _Alignas(struct inotify_event) char bytes[65536];
    bool all = true;
    ssize_t got;

    while ((got = read(w->events, bytes, sizeof bytes)) > 0)
        for (const char *at = bytes; at < bytes + got;) {
            const struct inotify_event *e = (const void *)at;

            all &= !(e->mask & IN_Q_OVERFLOW);
            for (size_t i = 0; e->len && !(e->mask & IN_ISDIR) && i < w->n; i++)
                if (w->ids[i] == e->wd)
                    seen(ctx, i, e->name);
            at += sizeof *e + e->len;
        }
    return all;
}
