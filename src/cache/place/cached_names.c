#include "cache/place/cached_names.h"

#include "base/compiler.h"
#include "os/machine/env.h"

#include <stdlib.h>
#include <string.h>

bool jw_cache_is_asked(const struct jw_cachedir *d, struct jw_arena *a)
{
    static const char *const forcing[] = { "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT" };

    for (size_t i = 0; i < JW_COUNT(forcing); i++) {
        const char *value = jw_env(a, forcing[i]);

        if (value && *value && strcmp(value, "0") != 0)
            return false;
    }
    return d->root && !d->disabled;
}

/* The driver opens the file of an entry directly: it does not need a record in the index.
 * driver-fact: F28-index-needed */
void jw_cached_names(const struct jw_cache_listing *l, const char *stamp, struct jw_arena *a,
                     struct jw_scan_cache *out)
{
    struct jw_scan_entry_name *names = jw_arena_alloc(a, (l->n + 1) * sizeof *names);

    *out = (struct jw_scan_cache){ .stamp = stamp, .names = names };
    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *f = &l->files[i];

        if (f->damage || f->kind != JW_CACHE_CUDA || strcmp(f->stamp, stamp) != 0
            || strncmp(f->arch, "sm_", 3) != 0)
            continue;
        names[out->n++] = (struct jw_scan_entry_name){ f->name, f->entry.key_size,
                                                       (unsigned)strtoul(f->arch + 3, NULL, 10) };
    }
}
