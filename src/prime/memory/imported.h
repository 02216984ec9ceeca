/*
 * What packs brought for software that nobody looked for (import --everything): it is in the cache, or it is gone. Whether a program
 * loads it is another question. One answer, for status and for each run without PATH.
 */
#ifndef PRIME_MEMORY_IMPORTED_H
#define PRIME_MEMORY_IMPORTED_H

#include "cache/memory/warmstate.h"
#include "cache/place/lookup.h"
#include "session/session.h"

struct prime_imported_asked {
    const char *root; /* of the cache */
    const struct jw_warm_state *memory;
    const char *build;       /* of libcuda; NULL: it is not known, and nothing is asked */
    const uint64_t *covered; /* sorted: what software is known to load is counted there, not here */
    size_t n_covered;
};

struct prime_imported {
    uint64_t entries, gone; /* with this driver build, for GPUs that may be here; gone: or damaged */
    uint64_t damaged;       /* of these: a file is there, with other bytes */
    const char *pack;       /* the first that brought one which is gone; "": a stream; NULL: none is gone */
    const char *again; /* words of jitwarm that bring it again; NULL: none is gone, or the pack is, too */
};

/* The texts live in `a`. */
bool prime_find_imported(struct jw_session *s, const struct prime_imported_asked *asked, struct jw_arena *a,
                         struct prime_imported *out, struct jw_err *err) JW_MUST;

/* "1 of 6 imported modules is gone from the cache, and its pack is not there any more: ..." NULL: none is gone. */
const char *prime_imported_words(const struct prime_imported *m, struct jw_arena *a);

/* Does this import (`again`) compile some of what it brings, to compare it, so that a driver which compiles nothing refuses it? NULL: no. */
bool prime_import_compiles(const char *again);

/* Is the pack of this import not there any more, and something that it brought, either? */
bool prime_import_is_gone(const struct jw_cache_lookup *lookup, const struct jw_warm_import *m);

#endif
