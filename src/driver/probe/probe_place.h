/* The placing test: entries copied by us into a folder that a driver has begun, and what a fresh process
 * makes of it. */
#ifndef DRIVER_PROBE_PROBE_PLACE_H
#define DRIVER_PROBE_PROBE_PLACE_H

#include "base/arena.h"
#include "cache/place/cachedir.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As jw_cachedir_list, but what the system did not let us read is a failure: it proves nothing of the driver.
 * */
bool probe_list(const char *root, bool check, struct jw_arena *a, struct jw_cache_listing *out,
                struct jw_err *err) JW_MUST;
bool probe_list_whole(const struct jw_cache_listing *l, struct jw_err *err) JW_MUST;

/* Copies all entries of `from` into `to`, with new times, and appends their records to its index. Both are
 * folders of ours that no program uses now; `to` has an index. */
bool probe_place(const char *from, const char *to, struct jw_arena *a, struct jw_err *err) JW_MUST;

struct probe_image_file {
    uint64_t name;
    int64_t mtime;
    uint8_t digest[32];
};

/* Every entry with its contents, and which records the index holds, in whatever order. */
struct probe_image {
    struct probe_image_file *files;
    size_t n;
    uint64_t others; /* names that are no entries */
    struct jw_cache_record *records;
    size_t n_records;
};

bool probe_image_take(const char *root, struct jw_arena *a, struct probe_image *out,
                      struct jw_err *err) JW_MUST;

/* NULL: the same; else what differs. An index that was written again with the same records is
 * the same. */
const char *probe_image_difference(const struct probe_image *before, const struct probe_image *after,
                                   struct jw_arena *a);

#endif
