/*
 * What is to be compiled: modules that were found, less what is warm already, as far as it fits. Pure: facts in,
 * decisions out; no file, no clock, no driver.
 */
#ifndef PRIME_PLAN_H
#define PRIME_PLAN_H

#include "cache/memory/state.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "software/scan/targets.h"

/* How long a module takes one worker, and how large its entry gets, for one architecture. */
struct plan_rate {
    uint16_t sm;
    double base_s, per_byte_s;
};

struct plan_input {
    const struct target *targets;
    size_t n_targets;
    const struct jw_cache_listing *cache; /* as it is now */
    const struct jw_warm_state *memory;   /* journal and bans */
    const char *build;                    /* of libcuda */
    const char *stamp;                    /* NULL: unknown */
    enum jw_level level;
    const struct plan_rate *rates; /* one for each architecture */
    size_t n_rates;
    const uint8_t (
        *used)[JW_DIGEST]; /* texts that entries of this cache hold, sorted: what programs really load */
    size_t n_used;
    const char *const *loaded; /* libraries of programs that run now */
    size_t n_loaded;
    const uint8_t (*profile)[JW_DIGEST]; /* jobs that count, sorted; NULL: all do */
    size_t n_profile;
    uint64_t limit, taken; /* of the cache, in bytes as the driver counts */
    uint64_t disk;         /* free bytes; UINT64_MAX: unknown */
    unsigned workers;
    bool retry; /* bans do not count */
    bool renew; /* what the ledger names is not warm */
};

struct plan {
    struct jw_job *jobs; /* those to do first, in the order in which they begin */
    bool *adopt;         /* for each: its entry is there and sound, only its record in the index is missing */
    size_t n_jobs, n_todo;
    struct jw_left_out_sum unused; /* not in the profile */
    uint64_t need;                 /* predicted bytes of all that is not warm, whether it fits or not */
    uint64_t todo_bytes;           /* predicted bytes of what is to do */
    double seconds, cpu_seconds;   /* of what is to do */
    bool lazy;                     /* programs compile only what they use of it */
};

void plan_make(const struct plan_input *in, struct jw_arena *a, struct plan *out);

/* How much memory a worker may need while it compiles. */
uint64_t plan_worker_bytes(uint64_t ptx_bytes);

#endif
