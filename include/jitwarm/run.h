/* One run of a verb: what the caller gives, which nobody changes; and what the run says, its notes
 * for the user and its end, which decides the exit code, word and tone.
 *
 * A part that may fail, or end, without ending the run is a run of its own: jw_run_part begins it
 * with what the caller gave, and jw_run_join takes over its notes (machine/run.h). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jw_end {
#define END(name, word, code, tone) JW_END_##name,
#include "jitwarm/ends.def"
#undef END
    JW_ENDS
};

extern const char *const jw_end_names[JW_ENDS];        /* "no-gpu" */
#define jw_end_is_good(end) ((end) < JW_END_PARTLY)    /* its exit code is 0 */
#define jw_end_leaves_some(end) ((end) < JW_END_UNFIT) /* what it made may be packed */
#define jw_end_worse(a, b) ((a) > (b) ? (a) : (b))

/* Notes for the user, or the values of a repeated option. In option values a NULL follows the last
 * one. */
struct jw_texts {
    const char **v;
    size_t n;
};

enum jw_phase { JW_PHASE_OTHER, JW_PHASE_LOOK, JW_PHASE_COMPILE, JW_PHASE_VERIFY, JW_PHASES };

/* How far a run is. It is told about ten times a second, and once for each finished job. */
struct jw_progress {
    enum jw_phase phase;
    /* LOOK: the path that is read; COMPILE: the module that a worker has had for longest; OTHER:
     * what is done, "unpacking"; NULL: nothing, and the line is taken away */
    const char *at;
    uint64_t done, total, failed; /* counts of jobs or bytes; total 0: unknown */
    double seconds, eta;          /* eta < 0: not known yet */
    /* COMPILE: `at` has taken so many seconds, twice what was predicted; 0: it has not */
    double late;
};

struct jw_session;

struct jw_run {
    /* What the caller gives; all but `a` and `session` may be NULL. */
    struct jw_session *const session; /* this machine and the options (session/session.h) */
    struct jw_arena *const a;         /* holds the notes and the report */
    const atomic_bool *const interrupted;
    /* Is called from any thread, one call at a time. */
    void (*const progress)(void *ctx, const struct jw_progress *p);
    /* Asks the user; a bare Enter means `usual`. NULL: there is no terminal. */
    bool (*const ask)(void *ctx, const char *question, bool usual);
    void *const ctx;
    /* Nobody waits for it: the answer to all that would be asked is yes. */
    const bool yes;
    /* If another jitwarm has the lock of the cache, the run ends, unless it has a deadline. */
    const bool no_wait;
    /* What the run says. */
    uint64_t began, deadline; /* monotonic nanoseconds; deadline 0: none */
    bool ended;               /* no further step is taken */
    enum jw_end end;
    const char *why;       /* a sentence about `end`, or NULL */
    struct jw_texts notes; /* what the user should know, though it is no error */
    uint64_t milliseconds;
};
