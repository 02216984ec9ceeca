/*
 * Why a CUDA program compiles at its start: about forty causes, in one table whose order is the arbitration. Pure: facts go in, the
 * first cause that holds comes out. A look asks it (prime/look.h), for prime, verify, status and doctor alike.
 * The facts are numbers and enums; the session gathers those of the machine (jw_session_facts), prime adds those of the software.
 */
#ifndef CAUSE_CAUSE_H
#define CAUSE_CAUSE_H

#include "base/arena.h"
#include "cause/facts.h"
#include "cause/remedy.h"
#include "jitwarm/run.h"

#include <stdbool.h>
#include <stdint.h>

/* The askers, as bits: a cause names those whom it stops. */
enum {
    JW_ASKS_PRIME = 1,  /* wants to compile and to write into the cache */
    JW_ASKS_VERIFY = 2, /* wants to load what is there */
    JW_ASKS_LOOK = 4,   /* --check, status: wants to know what is there */
    JW_ASKS_DOCTOR = 8,
    JW_ASKS_START = 16, /* a start that compiled, or that could not store: why? */
    JW_ASKS_DRIVER =
        32 /* wants the driver and the GPUs alone, whatever cache there is: what ends with NO_GPU stops it */
};

struct jw_cause {
    const char *id;  /* "cache-disabled" */
    enum jw_end end; /* of a run that it stops */
    /* Sets of JW_ASKS_*: the askers that cannot go on; the same where a look found a module that is cold (asked again after it), or the
     * probe failed; and those that mention it all the same, as a note. */
    unsigned stops, when_cold, concerns;
    bool (*is)(const struct jw_facts *f);
    const char *(*seen)(const struct jw_facts *f, struct jw_arena *a); /* the value: "CUDA_CACHE_DISABLE=1" */
    const char *text;    /* a sentence without its value: "The driver's cache is turned off" */
    const char *meaning; /* for docs/findings.md, and doctor -v */
    void (*remedy)(const struct jw_facts *f, struct jw_arena *a, struct jw_remedy *out);
};

extern const struct jw_cause jw_causes[];
extern const size_t jw_n_causes;

/*
 * The cause, for who asks: the one arbitration. The first row that holds and stops them; where a look has found that not all is warm, and
 * they do not compile it themselves, the first that stops doctor, or the prime that they would begin. Who has compiled hears of what
 * prime cannot mend. NULL: there is none.
 */
const struct jw_cause *jw_cause_of(const struct jw_facts *f, unsigned who);
/* Does it stop them? Else jw_cause_of gave it to explain an answer. */
bool jw_cause_stops(const struct jw_cause *c, const struct jw_facts *f, unsigned who);
/* What they want to hear of, too: the first that holds from behind `after` (NULL: the first) on, those that stop them among them. */
const struct jw_cause *jw_cause_next(const struct jw_facts *f, unsigned who, const struct jw_cause *after);

#endif
