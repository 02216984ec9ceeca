#include "os/process/name_watch.h"

bool jw_name_watch_start(struct jw_name_watch **out, const char *const *folders, size_t n, struct jw_err *err)
{
    (void)folders;
    (void)n;
    *out = NULL;
    return jw_fail(err, JW_E_IO, "Windows does not show which files programs open");
}

bool jw_name_watch_take(struct jw_name_watch *w, void (*seen)(void *ctx, size_t folder, const char *name),
                        void *ctx)
{
    (void)w;
    (void)seen;
    (void)ctx;
    return false;
}

void jw_name_watch_free(struct jw_name_watch *w)
{
    (void)w;
}
