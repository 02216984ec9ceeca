/* The placing test: copies entries into a cache folder that the driver made, and checks that a new process uses
 * them. */
#ifndef DRIVER_PROBE_PROBE_PLACE_H
#define DRIVER_PROBE_PROBE_PLACE_H

#include "base/arena.h"
#include "cache/place/listing.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Like jw_cachedir_list, but an unreadable file is a failure. */
bool probe_list(const char *cache, bool check, struct jw_arena *a, struct jw_cache_listing *out,
                struct jw_err *err) JW_MUST;
bool probe_list_whole(const struct jw_cache_listing *l, struct jw_err *err) JW_MUST;

/* Copies all entries of `from` into `to`, with new times, and appends their records to the index of `to`. No program
 * uses these folders. */
bool probe_place(const char *from, const char *to, struct jw_arena *a, struct jw_err *err) JW_MUST;

struct probe_image_file {
    uint64_t name;
    int64_t mtime;
    uint8_t digest[32];
};

/* All entries of a folder and the records of its index, in any order. */
struct probe_image {
    struct probe_image_file *files;
    size_t n;
    uint64_t others; /* files that are no entries */
    struct jw_cache_record *records;
    size_t n_records;
};

bool probe_image_take(const char *cache, struct jw_arena *a, struct probe_image *out,
                      struct jw_err *err) JW_MUST;

/* Says what differs, or returns NULL. An index with the same records in another order is the same. */
const char *probe_image_difference(const struct probe_image *before, const struct probe_image *after,
                                   struct jw_arena *a);

#endif
