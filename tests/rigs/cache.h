/* Caches in the driver's format, below the test's scratch folder. */
#pragma once

#include "cache/format/jitcache.h"
#include "tree.h"

#define CACHE_NOW "Jan  7 202622:51:46"
#define CACHE_BEFORE "Jun 14 202515:40:11"

struct cache {
    struct jw_arena *a;
    const char *name;   /* of the root, in the scratch folder */
    const char *folder; /* absolute */
    struct jw_cache_index index;
};

/* An empty root; `name` is given again each time, for what is there stays. */
struct cache cache_make(struct jw_arena *a, const char *name);

/* An entry with its record: what a driver of this stamp keeps of PTX number `n`, with a payload of
 * `size` bytes. */
uint64_t cache_add(struct cache *c, const char *stamp, const char *arch, unsigned n, size_t size);
uint64_t cache_add_key(struct cache *c, struct jw_bytes key, size_t size);
void cache_forget(struct cache *c, uint64_t hash); /* the record of it */

/* Writes the index; frees it. */
void cache_done(struct cache *c);

/* Another file of the cache: "4/2/3e...", "index", "notes.txt". */
void cache_put(struct cache *c, const char *below, const void *p, size_t n);
/* The bytes of an entry, to be spoilt and put again. */
struct jw_buf cache_get(struct cache *c, uint64_t hash);
void cache_remove(struct cache *c, uint64_t hash);
