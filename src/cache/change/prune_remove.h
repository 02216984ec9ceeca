/* Removes entries from a cache that programs may be using, in batches: first their records, in
 * place and with the driver's own lock held, then, without it, their files, if they did not change.
 * So no record is ever without a file, and all other entries keep their file, record and order.
 *
 * Records behind the first removed one move forward, in one write with the header; then the file is
 * cut. Wherever a process dies, the index is valid, or a repair (index_repair.h) mends it. */
#pragma once

#include "cache/change/publish_place.h"
#include "cache/place/listing.h"

#include <stdatomic.h>

struct prune_victim {
    uint64_t name;
    /* as it was listed: one that changed is kept; NULL: a record alone */
    const struct jw_cache_file *file;
    bool gone; /* out */
};

struct prune_removed {
    uint64_t files, bytes, records;
    uint64_t changed; /* changed since planning: kept */
    uint64_t refused; /* could not be removed; `why` is of the first one */
    struct jw_err why;
    /* why the index could not be changed, or NULL; the remaining entries are kept */
    const char *locked;
};

/* `v` sorted by name. False: interrupted, or no index could be written; `out` is valid. */
bool prune_remove(const struct publish_folder *folder, struct prune_victim *v, size_t n,
                  const atomic_bool *interrupted, struct prune_removed *out,
                  struct jw_err *err) JW_MUST;
