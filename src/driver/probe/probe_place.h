/* The placing test: copies entries into a cache folder that the driver made, and checks that a new process uses
 * them. */
#ifndef DRIVER_PROBE_PROBE_PLACE_H
#define DRIVER_PROBE_PROBE_PLACE_H

#include "base/arena.h"
#include "base/digest.h"
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

/* What the folder holds: its entries with their times, how many files are none, and the records of its index in any order. */
bool probe_image(const char *cache, struct jw_arena *a, uint8_t out[JW_DIGEST], struct jw_err *err) JW_MUST;

#endif
