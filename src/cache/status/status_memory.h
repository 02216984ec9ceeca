/* The part of status that is about what jitwarm remembers: who works on the cache now, whose the entries are, and which
 * of those that should be there are gone. */
#ifndef CACHE_STATUS_STATUS_MEMORY_H
#define CACHE_STATUS_STATUS_MEMORY_H

#include "cache/status/status.h"

/* Who is at work, and what is remembered: `running` and `memory`. What cannot be read is a note of `memory`. */
bool status_recall(struct jw_status_report *out, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* What is remembered against what was listed: `primed`. */
bool status_compare(struct jw_status_report *out) JW_MUST;

/* Origins of entries that are asked for in the order of their names. */
enum { STATUS_TEXTS = 256 }; /* different ones; further ones are not told */

struct status_origins {
    const struct jw_warm_state *memory;
    size_t at;
    const char *texts[STATUS_TEXTS];
    size_t n, last;
};

void status_origins_begin(struct status_origins *s, const struct jw_warm_state *memory);

/* Equal texts are the same pointer; NULL: it is not known. */
const char *status_origin(struct status_origins *s, uint64_t name);

#endif
