/* Entries in a folder of jitwarm's, published into a root. */
#pragma once

#include "cache/change/publish.h"
#include "cache/place/listing.h"
#include "check.h"
#include "rigs/cache.h"

extern struct jw_arena pub_arena;

void pub_begin(void);         /* at the start of each test: nothing is there, not even the root */
const char *pub_folder(void); /* where it is to be */
struct cache pub_cache(void); /* made, as a driver would have */

/* A new entry file: PTX number `n`, a payload of `size` bytes. */
struct jw_publish_entry pub_entry(unsigned n, size_t size);
const char *pub_target(uint64_t name);                               /* its path below the root */
struct jw_publish_entry pub_again(const struct jw_publish_entry *e); /* what is still to do of it */

/* One publisher's life. The caller's expectation of success. */
void pub_add(struct jw_publish_entry *list, size_t n);
void pub_refused(struct jw_publish_entry *e,
                 const char *words); /* one entry, which stays where it was */

/* Every byte of the root is looked at; free it by jw_cache_listing_free. */
struct jw_cache_listing pub_list(void);
/* So many sound files, so many records, all of them of files that are there, and nothing else. */
void pub_expect(size_t files, size_t records);
struct jw_buf pub_slurp(const char *path);
void pub_write(const char *path, const void *p, size_t n); /* in place */
