/* The state of software that was primed for a cache, looked at once for status, doctor, report and the first
 * page. */
#ifndef PRIME_MEMORY_PRIMED_H
#define PRIME_MEMORY_PRIMED_H

#include "cache/status/status.h"
#include "prime/memory/last.h"

struct jw_primed {
    bool driver_here; /* the driver is installed, or its library is */
    struct jw_prime_last last;
    struct jw_next_start_facts facts;       /* their texts are those of `last` */
    struct jw_next_start_answer next_start; /* of them */
    bool any;                               /* jw_prime_last_primed */
    /* why it is not known to be warm, or how much of it is; NULL: it is, or nothing was primed */
    const char *not_warm;
    const char *start; /* starts the recorded command again that alone is not known to be warm; NULL: none */
    const char *next;  /* the line To do; NULL: none */
};

/* Also counts what is warm in the caches that recorded commands chose: in `commands` of the report. `paths` were
 * named; the next command names them, too. */
bool jw_primed_look(struct jw_session *s, struct jw_status_report *r, struct jw_texts paths,
                    struct jw_primed *out, struct jw_err *err) JW_MUST;

/* Does anything miss entries that are gone from the cache? Not where all that was primed is warm without them, or
 * where nothing is left of it. */
bool jw_primed_misses(const struct jw_primed *p);

#endif
