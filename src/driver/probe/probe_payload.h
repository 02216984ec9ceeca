/* What a driver made of the probe's modules: two builds that call one compiler alike make the same.
 */
#pragma once

#include "cache/place/listing.h"
#include "driver/probe/probe_set.h"

/* The architecture, and a digest of the hashes of the machine code in the entries of the first `n`
 * modules of the set, which a driver of this stamp made for `sm`: "sm_86 1f0c...". They were
 * checked as they were listed. The text lives in `a`; NULL: an entry is missing. */
const char *probe_payload(const struct jw_cache_listing *made, const struct probe_module *set,
                          size_t n, const char *stamp, unsigned sm, struct jw_arena *a);
