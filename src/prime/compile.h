/* The state of a prime while it compiles: callbacks of the pool (compile.c), publishing of entries
 * (publish.c), time (pace.c), and modules that the driver refuses (failures.c). */
#pragma once

#include "cache/change/publish.h"
#include "prime/steps.h"

enum { COMPILE_QUEUE = 64 };

/* A job whose entry is waiting to be published. */
struct compile_queued {
    struct jw_job *job;
    const char *from; /* the entry's file in the cache of its worker */
};

/* How fast modules are compiled. Those that this run compiled took `took` seconds of their workers,
 * and were planned to take `planned`. */
struct pace {
    double planned_with, took, planned; /* planned_with: the slowness that the plan used */
    double known;                       /* the weight of the plan's speed, in seconds */
    uint64_t measured;                  /* the number of these modules */
};

struct compiling {
    struct jw_prime *p;
    struct jw_job *jobs; /* the look's; the first p->plan.n_todo are to do */
    const char **caches; /* a cache for each worker; NULL: all share the user's */
    atomic_bool halt;
    enum jw_end halted;             /* how the run ends before its jobs are done */
    const char *why;                /* a sentence about `halted` */
    uint64_t last_look;             /* when the disk was last checked; monotonic */
    struct jw_publisher *publisher; /* NULL: names are unknown, so nothing is published */
    struct compile_queued queue[COMPILE_QUEUE];
    size_t n_queue;
    struct jw_progress progress;
    struct pace pace;
    bool gave_up;        /* workers could not start on some GPU */
    struct jw_bans bans; /* bans that changed and are not yet saved */
    bool ok;             /* false: the run failed, with `err` */
    struct jw_err err;
};

/* ---- compile.c ---- */

/* Notes where a job stands after its attempt, and shows it. `why` NULL: `is` says enough. */
void compile_end_job(struct compiling *r, struct jw_job *j, enum jw_standing is, const char *why);
/* Checks the disk of the cache now. True: it is full, and the run ends. */
bool compile_disk_is_full(struct compiling *r);

/* ---- publish.c: from a worker's cache into the user's ---- */

/* Finds the entry of a job that the worker of this slot has loaded, and queues it for
 * publishing. */
void compile_collect(struct compiling *r, struct jw_job *j, unsigned slot);
void compile_publish(struct compiling *r); /* publishes the queued entries */

/* ---- failures.c ---- */

/* Lets the driver compile a module in a process of its own, with this folder as its cache, and sees
 * what that leaves there. `log`: gets the driver's words, for which it may make another entry; or
 * NULL. driver-fact: F18-jit-options-in-key */
bool compile_apart(struct jw_prime *p, const struct jw_job *j, const char *cache, const char **log,
                   struct jw_err *err);

/* Bans a job for how its attempt ended, or lifts the ban of a warm one. A ban of a module that
 * ended its process is saved at once: if this run is killed, the next one does not try a module
 * that hangs. */
void compile_ban(struct compiling *r, struct jw_job *j);
void compile_save_bans(struct compiling *r);
/* Compiles failed modules a second time for the driver's log, and bans those that it refused. */
bool compile_explain(struct compiling *r, struct jw_err *err) JW_MUST;
bool compile_is_refusal(int code); /* is this error of the driver about the code itself? */

/* ---- pace.c: how fast, how long ---- */

/* So many modules, or seconds, must be measured to question the plan: one may take many times as
 * long as others of its size. */
enum { PACE_KNOWN = 5, PACE_LONG_S = 60 };

struct pace pace_of(double slowness,
                    double planned); /* slowness 0: unknown; planned: of the whole run */
void pace_note(struct pace *p, double planned, double took);
double pace_times(const struct pace *p);    /* modules take so many times as long as planned */
double pace_slowness(const struct pace *p); /* the slowness for the next plan */
void compile_note_time(struct compiling *r, const struct jw_job *j);
void compile_keep_pace(const struct compiling *r);
/* Shows progress; `s` NULL: a job has ended. */
void compile_show(struct compiling *r, const struct jw_pool_state *s);
