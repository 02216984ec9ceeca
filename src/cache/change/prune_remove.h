/*
 * Removes entries from a cache that programs may be using, in batches: first their records, in place and with the
 * driver's own lock held, then, without it, their files, if they did not change. So no record is ever without a file,
 * and all other entries keep their file, record and order.
 *
 * Records behind the first removed one move forward. The header is written first and counts only the records before it;
 * then the others are written, then the header again, then the file is cut. A process that dies in between leaves an
 * index that is valid, but too short. All records are backed up before (memory/cache_memory.h). The next prune,
 * prime or import appends those that are missing and have a file (prune_repair).
 */
#ifndef CACHE_CHANGE_PRUNE_REMOVE_H
#define CACHE_CHANGE_PRUNE_REMOVE_H

#include "cache/change/index_repair.h"
#include "cache/change/publish_place.h"
#include "cache/place/listing.h"
#include "memory/cache_memory.h"

#include <stdatomic.h>

struct prune_victim {
    uint64_t name;
    const struct jw_cache_file *file; /* as it was listed: one that changed is kept; NULL: a record alone */
    bool gone;                        /* out */
};

struct prune_removed {
    uint64_t files, bytes, records;
    uint64_t changed; /* changed since planning: kept */
    uint64_t refused; /* could not be removed; `why` is of the first one */
    struct jw_err why;
    const char *locked; /* why the index could not be changed, or NULL; the remaining entries are kept */
};

/* `v` sorted by name. `memory`: of this cache, whose lock is held. False: interrupted, or the index could not be written; `out` and `gone` are valid then, too. */
bool prune_remove(const struct publish_folder *folder, const struct jw_cache_memory *memory,
                  struct prune_victim *v, size_t n, const atomic_bool *interrupted, struct prune_removed *out,
                  struct jw_err *err) JW_MUST;

/* Finishes what an earlier process could not, and rebuilds a damaged index (index_repair.h). A cache that another user
 * owns or may write to is never changed. True when there is nothing to do. */
bool prune_repair(const char *path, const struct jw_cache_memory *memory, const atomic_bool *interrupted,
                  struct index_repair *repaired, struct jw_err *err) JW_MUST;

#endif
