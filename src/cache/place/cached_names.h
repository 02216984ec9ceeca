/* The entries that a driver build finds in the cache, for scan. */
#ifndef CACHE_PLACE_CACHED_NAMES_H
#define CACHE_PLACE_CACHED_NAMES_H

#include "cache/place/cachedir.h"
#include "jitwarm/scan.h"

/* False if programs ignore the cache: it is off, or the driver must always compile. driver-fact: F81-force-disable */
bool jw_cache_is_asked(const struct jw_cachedir *d, struct jw_arena *a);

/* The undamaged entries of this stamp; `out` lives in `a`. */
void jw_cached_names(const struct jw_cache_listing *l, const char *stamp, struct jw_arena *a,
                     struct jw_scan_cache *out);

#endif
