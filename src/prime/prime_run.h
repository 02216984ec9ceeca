/* The state of a prime while it compiles. */
#ifndef PRIME_PRIME_RUN_H
#define PRIME_PRIME_RUN_H

#include "machine/trust.h"
#include "prime/prime_work.h"
#include "prime/rate.h"

enum { PRIME_QUEUE = 64, PRIME_NAME = 160 };

/* A job whose entry is waiting to be published. */
struct prime_queued {
    struct jw_job *job;
    const char *from; /* NULL: it is already in the cache */
};

/* Compares two of them for jw_sort: the least valuable comes first. */
int prime_publish_order(const void *a, const void *b);

/* Clock and processor time of the module in a slot. */
struct prime_share {
    unsigned long pid;
    size_t job;
    uint64_t at;      /* last look, monotonic ns; 0: never */
    double cpu_at;    /* of the process, then */
    double wall, cpu; /* seconds for this module */
};

struct prime_compiling {
    struct prime *p;
    size_t *run; /* indexes of the plan's jobs, for the pool */
    size_t n_run;
    const char **caches; /* of the workers; NULL: they share the user's */
    atomic_bool halt;
    const char *waiting;            /* why a background run stops; NULL: it does not */
    uint64_t last_look;             /* at the battery and the disk; monotonic */
    const char *full;               /* the disk has no room left: says how much; NULL: it has */
    struct jw_publisher *publisher; /* NULL: names are unknown, so nothing is published */
    struct prime_queued queue[PRIME_QUEUE];
    size_t n_queue;
    size_t renamed; /* entries with another name than predicted */
    uint64_t room;  /* bytes left below the limit */
    struct jw_prime_progress progress;
    struct jw_prime_slot *slots;
    char (*names)[PRIME_NAME];
    char slowest[PRIME_NAME];
    struct jw_rate rates[JW_MAX_SMS];
    struct jw_rate_load load;
    struct jw_rate_told told;
    struct prime_share *shares; /* of each slot */
    uint64_t timed[JW_MAX_SMS]; /* modules measured in this run */
    uint64_t recalled;          /* architectures that an earlier run has measured with this driver */
    bool gave_up;               /* workers could not start on some GPU */
    int64_t when;               /* compiling began, in seconds since 1970 */
    uint64_t began;             /* the same, monotonic */
    bool *ended;                /* for each job of the plan that is to do */
    bool ok;                    /* false: the run failed, see `err` */
    struct jw_err err;
};

/* ---- prime_publish.c: from a worker's cache into the user's ---- */

/* Notes what became of a job, and shows it. `why` NULL: the state says it. */
void prime_end_job(struct prime_compiling *r, struct jw_job *j, enum jw_outcome state, const char *why);

/* Finds the entry of a job that the worker in this slot has loaded, and queues it. */
void prime_collect(struct prime_compiling *r, struct jw_job *j, unsigned slot);
/* `from` NULL: it is already in the cache. */
void prime_queue(struct prime_compiling *r, struct jw_job *j, const char *from);
void prime_publish(struct prime_compiling *r); /* publishes the queue */

/* Assigns entries to jobs by their content, where names cannot be predicted. If they can, reports the entries that
 * were found so. */
bool prime_name_by_content(struct prime_compiling *r, struct jw_err *err);

/* ---- prime_compile.c ---- */

/* Looks at the disk of the cache now. True stops the run: `full` says why. */
bool prime_disk_is_full(struct prime_compiling *r);

/* ---- prime_failures.c ---- */

/* Finds their kernels, and the driver's log. */
bool prime_explain_failures(struct prime_compiling *r, struct jw_err *err);
/* Does this CUresult say that the code itself cannot be compiled, now or later? */
bool prime_is_refusal(int code);
/* Returns the driver's refusal as one sentence. */
const char *prime_refusal(const struct jw_job *j, struct jw_arena *a);

/* ---- prime_pace.c: how fast, how long ---- */

void prime_note_time(struct prime_compiling *r, size_t slot, size_t job);
void prime_watch_load(struct prime_compiling *r, const struct jw_pool_state *s);
void prime_begin_rates(struct prime_compiling *r);
void prime_learn_rates(struct prime_compiling *r);
/* Shows progress; `s` NULL: a job has ended. */
void prime_show(struct prime_compiling *r, const struct jw_pool_state *s);

#endif
