/* status --repair: the index of a cache is rebuilt if the driver does not believe it. No entry is removed. */
#ifndef CACHE_PRUNE_REPAIR_H
#define CACHE_PRUNE_REPAIR_H

#include "base/arena.h"
#include "cache/change/index_heal.h"

#include <stdatomic.h>

enum jw_repair_end {
    JW_REPAIR_SOUND, /* there was nothing to repair */
    JW_REPAIR_DONE,
    JW_REPAIR_BUSY,  /* another jitwarm is at work on this cache: `why` */
    JW_REPAIR_CANNOT /* `why` */
};

struct jw_repair {
    enum jw_repair_end end;
    const char *root; /* NULL: the system names none */
    struct index_heal healed;
    const char *why; /* NULL, or the sentence of the end */
};

/* False: interrupted. */
bool jw_cache_repair(const char *cache, const atomic_bool *interrupted, struct jw_arena *a,
                     struct jw_repair *out, struct jw_err *err) JW_MUST;

#endif
