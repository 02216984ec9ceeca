/* One run of a verb: the caller's input, the notes for the user, and the end, which decides the exit code. */
#ifndef JITWARM_RUN_H
#define JITWARM_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jw_end {
    JW_END_DONE,
    JW_END_NOTHING, /* there was nothing to do */
    JW_END_LISTED,  /* there is something to do, but the user did not ask for it */
    JW_END_PARTLY,  /* some of it could not be done */
    JW_END_NO_GPU,  /* no driver, no GPU, or none of the requested ones */
    JW_END_CANNOT_WRITE,
    JW_END_CONSENT, /* needs --yes */
    JW_END_BUSY,    /* another jitwarm works on this cache */
    JW_END_TIME,    /* the time limit is over; the next run continues */
    JW_END_INTERRUPTED,
    JW_END_STOPPED,    /* a setting makes it useless (CUDA_CACHE_DISABLE...) */
    JW_END_WAITING,    /* waits for mains power, an idle machine or a reboot; the next run continues */
    JW_END_UNFIT,      /* the pack is for another machine, or this driver accepts no packs */
    JW_END_REFUSED,    /* the pack is damaged, not signed by a trusted key, or does not match its sources */
    JW_END_NOT_PROVEN, /* the probe level of this driver is too low for packs */
    JW_ENDS
};

extern const char *const jw_end_names[JW_ENDS]; /* "no-gpu" */

/* Notes for the user; or the values of an option that may be repeated: there NULL ends them. */
struct jw_texts {
    const char **v;
    size_t n;
};

/* A worker's current module. */
struct jw_slot {
    const char *what; /* base name of the file, and the first kernel if known */
    double seconds;   /* so far */
};

enum jw_phase { JW_PHASE_OTHER, JW_PHASE_LOOK, JW_PHASE_COMPILE, JW_PHASE_VERIFY };

/* How far a run is: about ten times a second, and once for each finished job. */
struct jw_progress {
    enum jw_phase phase;
    const char *at;               /* LOOK: the path; OTHER: what is done, "unpacking" */
    uint64_t done, total, failed; /* jobs, bytes; total 0: unknown */
    double seconds, eta;          /* eta < 0: not known yet */
    double late;                  /* seconds without progress: a module takes longer than predicted */
    const struct jw_slot *slots;
    size_t n_slots;
};

struct jw_session;

struct jw_run {
    /* set by the caller; all but `a` and `session` may be NULL */
    struct jw_session *session; /* this machine, and what the command line says of it (session/session.h) */
    struct jw_arena *a;         /* the notes and the report live here (jw_prime brings its own) */
    const atomic_bool *interrupted;
    void (*progress)(void *ctx, const struct jw_progress *p); /* from any thread, one at a time */
    /* Asks the user; NULL: there is no terminal. `usual` is the meaning of a bare Enter. */
    bool (*ask)(void *ctx, const char *question, bool usual);
    void *ctx;
    /* set by the run */
    uint64_t began, deadline; /* monotonic ns; deadline 0: none */
    bool ended;               /* the steps that are left are skipped */
    enum jw_end end;
    const char *why;       /* NULL, or a sentence about `end` */
    struct jw_texts notes; /* facts that the user should know, and that are no errors */
    uint64_t milliseconds;
};

#endif
