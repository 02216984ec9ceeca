/* The progress of a running prime as JSON, in seconds: status --json and prime --progress json. */
#ifndef CACHE_MEMORY_PROGRESS_JSON_H
#define CACHE_MEMORY_PROGRESS_JSON_H

#include "base/rows.h"
#include "cache/memory/warmstate.h"

struct jw_progress_record {
    struct jw_warm_holder who;
    struct jw_prime_progress now; /* `finished` is NULL */
};

extern const char *const jw_prime_phase_names[JW_PHASE_SEND + 1]; /* "compile" */

extern const struct jw_row jw_progress_rows[]; /* of struct jw_progress_record */

#endif
