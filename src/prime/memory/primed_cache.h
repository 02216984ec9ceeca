/* Finds another cache that was primed where this one was not: perhaps the user meant that one. */
#ifndef PRIME_MEMORY_PRIMED_CACHE_H
#define PRIME_MEMORY_PRIMED_CACHE_H

#include "base/arena.h"
#include "jitwarm/texts.h"
#include "session/session.h"

#include <stdbool.h>

struct prime_primed_cache {
    const char *path;      /* the cache that was primed last; NULL: there is none */
    bool there;            /* it still is at that path; else it is gone, or a link */
    bool usual;            /* the one that the driver uses where no variable names another */
    struct jw_texts named; /* paths that were ever named for it, and still exist */
    const char *command;   /* a command that was recorded with it, and can be started; NULL: none */
    const char *folder;    /* the folder to start it in; NULL: any */
    const char *words;     /* a sentence */
};

/* Is it recorded, for this cache or another one? */
bool prime_is_recorded_anywhere(struct jw_session *s, const struct jw_warm_state *memory, const char *command,
                                struct jw_arena *a);

/* Returns false where something was primed or a start recorded for the cache at `cache`, where that is one of
 * jitwarm's own, and where nothing was primed anywhere. `memory`: the records of the cache at `cache`. */
bool prime_find_primed_cache(struct jw_session *s, const char *cache, const struct jw_warm_state *memory,
                             struct jw_arena *a, struct prime_primed_cache *out);

#endif
