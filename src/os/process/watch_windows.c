#include "os/process/watch.h"

/* Windows tells who reads a file only to administrators who trace the whole system. */
bool jw_watch_start(struct jw_watch **out, const char *const *paths, size_t n, struct jw_err *err)
{
    (void)paths, (void)n;
    *out = NULL;
    return jw_fail(err, JW_E_IO, "Windows does not show which files programs open");
}

bool jw_watch_next(struct jw_watch *w, unsigned timeout_ms,
                   void (*seen)(void *ctx, size_t i, const char *name), void *ctx)
{
    (void)w, (void)timeout_ms, (void)seen, (void)ctx;
    return false;
}

void jw_watch_wake(struct jw_watch *w) { (void)w; }

void jw_watch_free(struct jw_watch *w) { (void)w; }
