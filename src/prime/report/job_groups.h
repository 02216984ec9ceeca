/* Groups the modules of a report: by file, or by the reason why they failed or are missing. Pure. */
#ifndef PRIME_REPORT_JOB_GROUPS_H
#define PRIME_REPORT_JOB_GROUPS_H

#include "base/arena.h"
#include "jitwarm/prime.h"

/* The jobs of one file: those that are in it first. */
struct jw_job_file {
    const char *path, *package; /* package NULL: unknown */
    uint64_t modules, warm;
    uint64_t ptx_bytes;   /* of all */
    double seconds;       /* predicted, for those that were not warm */
    uint64_t cache_bytes; /* the same */
};

/* Jobs that are not warm for the same reason. */
struct jw_job_failure {
    const struct jw_job *const *jobs; /* in their order */
    size_t n;
};

/* Modules that were not found again for the same reason. */
struct jw_job_miss {
    const char *cause;
    size_t pass;
    const struct jw_job *first;
    uint64_t jobs;
};

/* Most seconds first, then by path. */
struct jw_job_file *jw_job_files(const struct jw_prime_report *r, struct jw_arena *a, size_t *n);

/* Most jobs first. Planned jobs are no failures; with `verified`, those that verify did not try are none, either. */
struct jw_job_failure *jw_job_failures(const struct jw_prime_report *r, bool verified, struct jw_arena *a,
                                       size_t *n);

/* By the pass, then most jobs first. */
struct jw_job_miss *jw_job_misses(const struct jw_prime_report *r, struct jw_arena *a, size_t *n);

#endif
