/* Why a CUDA program compiles at its start: causes in one table, whose order decides which one is
 * named, and what an answer then says. Pure: facts go in, and one summary comes out, for prime,
 * status, doctor, import and export alike. The session gathers the facts about the machine
 * (jw_session_facts), a look adds those about the software and the answer (prime/look.h). */
#pragma once

#include "base/arena.h"
#include "cause/facts.h"
#include "cause/remedy.h"
#include "jitwarm/run.h"

#include <stdbool.h>

/* Which causes end a run? */
enum jw_strictness {
    JW_LENIENT, /* those that leave nothing to look at */
    JW_STRICT   /* also those that keep prime from compiling, or from storing what it compiled */
};

/* What an answer is for. Each member decides one thing, and no other room asks who wants it. */
struct jw_purpose {
    enum jw_strictness strictness;
    /* The run may change the cache: it clears work folders of killed runs, what it mends itself is
     * neither a cause nor a note, and where nothing is known nothing is to be done. Else it says
     * which jitwarm works on the cache now, and to know of no software is no good answer. */
    bool changes;
    bool diagnoses; /* it looks for causes: the first one leads, and ends with code 1 */
};

extern const struct jw_purpose jw_to_look;     /* status, export */
extern const struct jw_purpose jw_to_prime;    /* prime, run, import */
extern const struct jw_purpose jw_to_try;      /* import --dry-run: stops as import does */
extern const struct jw_purpose jw_to_diagnose; /* doctor */

struct jw_class; /* classes.def */

struct jw_cause {
    const char *id;                                     /* "cache-disabled" */
    struct jw_class (*class)(const struct jw_facts *f); /* how bad it is */
    enum jw_end end; /* of a run that it stops; NO_GPU: programs find no GPU that works */
    bool (*is)(const struct jw_facts *f);
    /* the value: "CUDA_CACHE_DISABLE=1"; or NULL */
    const char *(*seen)(const struct jw_facts *f, struct jw_arena *a);
    const char *text;    /* a sentence without the value: "The driver's cache is turned off" */
    const char *meaning; /* for docs/dev/findings.md, and doctor -v */
    void (*remedy)(const struct jw_facts *f, struct jw_remedy *out); /* whose arena is set */
};

enum { /* JW_CAUSE_cache_damaged: its row */
#define CAUSE(name, ...) JW_CAUSE_##name,
#include "cause/causes.def"
#undef CAUSE
       JW_N_CAUSES
};
extern const struct jw_cause jw_causes[JW_N_CAUSES];

/* Would this cause end a run? Before there is an answer, a failed probe counts as cold. */
bool jw_cause_stops(const struct jw_cause *c, const struct jw_facts *f,
                    enum jw_strictness strictness);
/* The first row that holds and ends a run; NULL: there is none. */
const struct jw_cause *jw_cause_to_stop(const struct jw_facts *f, enum jw_strictness strictness);
/* The first row that holds and explains the answer; NULL: there is none. */
const struct jw_cause *jw_cause_of(const struct jw_facts *f, const struct jw_purpose *purpose);
/* The same of a start of a command that compiled: why, or why would prime not mend it? */
const struct jw_cause *jw_cause_of_start(const struct jw_facts *f);

/* What is said of a run that looked, and how it ends. The first sentence is the cause's where it
 * leads, else the answer's; then follow the other one of them, why it is so, what helps, and the
 * notes. */
struct jw_summary {
    struct jw_purpose purpose;
    enum jw_end end; /* decides the exit code */
    /* What stopped the run, else why the answer is not good, or will not last; NULL: nothing. */
    const struct jw_cause *cause;
    bool leads; /* it is the first sentence (classes.def) */
    /* The text has the first note without -v, too. */
    bool notes_first;
    size_t n_notes;
    const struct jw_cause *notes[JW_N_CAUSES]; /* what else holds */
};

/* `stop`: the cause that stopped the run, or NULL. `ended`: as its steps ended it, else DONE; a
 * worse end than the answer's stays. */
struct jw_summary jw_summary_of(const struct jw_facts *f, const struct jw_purpose *purpose,
                                const struct jw_cause *stop, enum jw_end ended);
/* The same of one start of a command that was watched: why did it compile, or fail? */
struct jw_summary jw_summary_of_start(const struct jw_facts *f);
