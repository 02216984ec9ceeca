/* What is in a cache folder after the driver loaded the probe's modules: compared with what was
 * expected, and with the folder before. */
#pragma once

#include "cache/place/listing.h"
#include "driver/probe/probe_set.h"

struct probe_findings {
    struct jw_arena *arena;
    enum jw_level level;
    const char *stamp; /* NULL below level 1 */
    const char *why;   /* a clause: why the next level was not reached; NULL: not known yet */
};

/* The name of the entry that a driver of this stamp makes of a module for an architecture. */
bool probe_predict(const struct probe_module *m, const char *stamp, unsigned sm, uint64_t *name,
                   struct jw_err *err) JW_MUST;

/* Finds the level, 0 to 2, from the first `n` modules of the set, compiled for `sm`, and the
 * checked listing of their cache. */
bool probe_check(struct probe_findings *f, const struct probe_module *set, size_t n, unsigned sm,
                 const struct jw_cache_listing *listing, struct jw_err *err) JW_MUST;

/* The architecture, and a digest of the hashes of the machine code in the entries of the first `n`
 * modules of the set, which a driver of this stamp made for `sm`: "sm_86 1f0c...". They were
 * checked as they were listed. The text lives in `a`; NULL: an entry is missing. */
const char *probe_payload(const struct jw_cache_listing *made, const struct probe_module *set,
                          size_t n, const char *stamp, unsigned sm, struct jw_arena *a);

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
