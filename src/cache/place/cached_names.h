/* What a driver build finds in the cache, as scan takes it. */
#ifndef CACHE_PLACE_CACHED_NAMES_H
#define CACHE_PLACE_CACHED_NAMES_H

#include "cache/place/cachedir.h"
#include "jitwarm/scan.h"

/* Do programs that are started from here look anything up? Not with the cache off, or where the driver is told to compile
 * whatever there is. driver-fact: F81-force-disable */
bool jw_cache_is_asked(const struct jw_cachedir *d, struct jw_arena *a);

/* The sound entries of this stamp; `out` lives in `a`. */
void jw_cached_names(const struct jw_cache_listing *l, const char *stamp, struct jw_arena *a,
                     struct jw_scan_cache *out);

#endif
