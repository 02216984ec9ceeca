#include "os/process/open_watch.h"

/* Windows tells nobody who reads a file, but those who trace the whole system with an administrator's rights. */
bool jw_open_watch_start(struct jw_open_watch **out, const char *const *paths, size_t n, struct jw_err *err)
{
    (void)paths;
    (void)n;
    *out = NULL;
    return jw_fail(err, JW_E_IO, "Windows does not show which files programs open");
}

void jw_open_watch_next(struct jw_open_watch *w, unsigned timeout_ms, struct jw_opened *out)
{
    (void)w;
    (void)timeout_ms;
    *out = (struct jw_opened){ .lost = true };
}

void jw_open_watch_wake(struct jw_open_watch *w)
{
    (void)w;
}

void jw_open_watch_free(struct jw_open_watch *w)
{
    (void)w;
}
