/* Decides what to compile: the modules that were found and are not warm, as far as they fit into the cache. Pure. */
#ifndef PRIME_PLAN_H
#define PRIME_PLAN_H

#include "cache/format/digest_set.h"
#include "cache/memory/state.h"
#include "cache/memory/warmstate.h"
#include "cache/place/listing.h"
#include "prime/prime_rows.h"
#include "software/scan/scan_jobs.h"

/* How long a module takes, and how large its entry gets, for one architecture. */
struct plan_rate {
    uint16_t sm;
    double base_s, per_byte_s;
};

struct plan_input {
    const struct jw_job *found; /* by the scan, and in the cache's entries */
    size_t n_found;
    const struct jw_cache_listing *cache; /* as it is now */
    const struct jw_warm_state *memory;   /* journal and bans */
    const char *build;                    /* of libcuda */
    const char *compiler;                 /* its own (driver/probe/compiler_file.h) */
    enum jw_level level;
    const struct plan_rate *rates; /* one for each architecture */
    size_t n_rates;
    /* digests of the PTX in this cache's entries: modules that programs load; or NULL */
    const struct jw_digest_set *used;
    const char *const *loaded; /* libraries of running programs */
    size_t n_loaded;
    const struct jw_digest_set *profile; /* the jobs to consider; NULL: all */
    uint64_t limit, taken;               /* of the cache, in bytes as the driver counts */
    uint64_t disk;                       /* free bytes; UINT64_MAX: unknown */
    unsigned workers;
    bool retry;                     /* ignore bans */
    const struct jw_device *hidden; /* GPUs that this environment hides: cold modules stay cold for them */
    size_t n_hidden;
    const char *cannot_compile; /* why the driver compiles nothing here; NULL: it does */
};

struct plan {
    struct jw_job *jobs; /* those to compile first, in their order */
    bool *unindexed;     /* for each: its entry is valid, but missing in the index */
    size_t n_jobs, n_todo;
    struct jw_left_out_sum unused; /* not in the profile */
    uint64_t need;                 /* predicted bytes of all cold modules, also those that do not fit */
    double seconds, cpu_seconds;   /* to compile the modules; of processors, too */
    double longest;                /* of the module that takes longest */
    bool lazy;                     /* programs compile only the modules that they use */
};

/* Returns the modules of all recorded commands (prime --run). */
struct jw_digest_set plan_recorded(const struct jw_warm_state *memory, struct jw_arena *a);

/* Returns how long a module takes that was stopped after so many seconds; 0: it was not. */
double plan_seconds(double predicted, double stopped);

/* Would more workers not end sooner, because one of several modules takes as long as all? */
bool plan_is_bound_by_one(const struct plan *p);

/* Returns the next number of seconds that a person would choose for a time limit. */
unsigned plan_round_time_limit(double seconds);

void plan_make(const struct plan_input *in, struct jw_arena *a, struct plan *out);

#endif
