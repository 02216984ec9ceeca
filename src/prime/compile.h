/* The state of a prime while it compiles: the pool's callbacks (compile.c), what becomes of entries (publish.c), time (pace.c), and what
 * the driver refuses (failures.c). */
#ifndef PRIME_COMPILE_H
#define PRIME_COMPILE_H

#include "cache/change/publish.h"
#include "driver/worker/pool.h"
#include "prime/steps.h"

enum { COMPILE_QUEUE = 64, COMPILE_NAME = 160 };

/* A job whose entry is waiting to be published. */
struct compile_queued {
    struct jw_job *job;
    const char *from; /* NULL: it is already in the cache */
};

struct compiling {
    struct prime *p;
    struct jw_job *jobs; /* of the look; the first p->out->plan.n_todo are to do */
    size_t *run;         /* indexes of those that the pool gets */
    size_t n_run;
    const char **caches; /* of the workers; NULL: they share the user's */
    unsigned workers;    /* at most */
    atomic_bool halt;
    enum jw_end halted;             /* why a run stops before it is done; JW_END_DONE: it does not */
    const char *why;                /* a sentence */
    uint64_t last_look;             /* at the battery and the disk; monotonic */
    struct jw_publisher *publisher; /* NULL: names are unknown, so nothing is published */
    struct compile_queued queue[COMPILE_QUEUE];
    size_t n_queue;
    uint64_t room; /* bytes left below the limit */
    struct jw_progress progress;
    struct jw_slot *slots;
    char (*names)[COMPILE_NAME];
    double took, said; /* seconds of modules by the clock of one worker, and by facts/compile_time.h */
    uint64_t measured; /* modules, in this run */
    bool known;        /* an earlier run has measured this driver */
    bool asked;        /* nobody is asked (again) whether it may take so long */
    bool gave_up;      /* workers could not start on some GPU */
    bool *ended;       /* for each job that is to do */
    bool ok;           /* false: the run failed, see `err` */
    struct jw_err err;
};

/* ---- compile.c ---- */

/* Notes what became of a job, and shows it. `why` NULL: the state says it. */
void compile_end_job(struct compiling *r, struct jw_job *j, enum jw_outcome state, const char *why);
void compile_ban(struct compiling *r, const struct jw_job *j, const char *why, uint32_t stopped_ms);
/* Looks at the disk of the cache now. True: it is full, and the run ends. */
bool compile_disk_is_full(struct compiling *r);

/* ---- publish.c: from a worker's cache into the user's ---- */

/* Finds the entry of a job that the worker in this slot has loaded, and queues it. */
void compile_collect(struct compiling *r, struct jw_job *j, unsigned slot);
/* `from` NULL: it is already in the cache. */
void compile_queue(struct compiling *r, struct jw_job *j, const char *from);
void compile_publish(struct compiling *r); /* publishes the queue */

/* ---- failures.c ---- */

/* Asks for the driver's log in a second attempt, and remembers what it refused. */
bool compile_explain(struct compiling *r, struct jw_err *err) JW_MUST;

/* ---- pace.c: how fast, how long ---- */

void compile_begin_pace(struct compiling *r);
void compile_note_time(struct compiling *r, const struct jw_job *j);
void compile_keep_pace(const struct compiling *r);
/* Seconds of one worker for the whole run, by what it has measured; 0: not enough yet to say. */
double compile_expect(const struct compiling *r);
/* Shows progress; `s` NULL: a job has ended. */
void compile_show(struct compiling *r, const struct jw_pool_state *s);

#endif
