/* The placing test: puts an entry into a cache folder that the driver made, and sees whether a
 * folder stays as it is. */
#pragma once

#include "cache/place/listing.h"

/* Like jw_cache_list with every byte checked, but what cannot be read is a failure: it says nothing
 * about the driver. */
bool probe_list(const char *cache, struct jw_arena *a, struct jw_cache_listing *out,
                struct jw_err *err) JW_MUST;

/* Moves an entry of `from`, as it was listed, into `to`, as prime does. No program uses these
 * folders. */
bool probe_place(const char *from, const struct jw_cache_file *entry, const char *to,
                 struct jw_arena *a, struct jw_err *err) JW_MUST;

size_t probe_whole(const struct jw_cache_listing *l); /* undamaged entries that the index names */

/* Have both the same files with the same bytes and times, and the same records in any order? */
bool probe_same(const struct jw_cache_listing *before, const struct jw_cache_listing *after);
