/* The placing test: entries copied by us into a folder that a driver has begun, and what a fresh process
 * makes of it. */
#ifndef ENGINE_PROBE_PLACE_H
#define ENGINE_PROBE_PLACE_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies all entries of `from` into `to`, with new times, and appends their records to its index, in place.
 * Both are folders of ours
 * that no program uses now. */
bool probe_place(const char *from, const char *to, struct jw_arena *a, struct jw_err *err);

struct probe_image_file {
    uint64_t name, size;
    int64_t mtime;
    uint8_t digest[32];
};

/* Every entry with its contents, and the index. */
struct probe_image {
    struct probe_image_file *files;
    size_t n;
    uint8_t index[32];
};

bool probe_image_take(const char *root, struct jw_arena *a, struct probe_image *out, struct jw_err *err);

/* NULL: the same; else a sentence. The index may have been written anew with the same bytes. */
const char *probe_image_difference(const struct probe_image *before, const struct probe_image *after,
                                   struct jw_arena *a);

#endif
