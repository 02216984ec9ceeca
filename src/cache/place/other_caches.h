/* Caches of compiled GPU code that belong to other programs. jitwarm never changes them. */
#ifndef CACHE_PLACE_OTHER_CACHES_H
#define CACHE_PLACE_OTHER_CACHES_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stddef.h>

struct jw_other_cache {
    const char *owner; /* "Triton" */
    const char *path;
};

enum { JW_OTHER_CACHES = 8 };

/* Those on this machine, at most JW_OTHER_CACHES. */
void jw_other_caches(struct jw_arena *a, struct jw_other_cache out[JW_OTHER_CACHES], size_t *n);

#endif
