/*
 * Tells whether entries that packs brought for software that nobody looked for (import --everything) are still in the
 * cache. Whether a program loads it is another question. status and each run without PATH ask here.
 */
#ifndef PRIME_MEMORY_IMPORTED_H
#define PRIME_MEMORY_IMPORTED_H

#include "cache/memory/warmstate.h"
#include "cache/place/lookup.h"
#include "session/session.h"

struct prime_imported_asked {
    const char *cache; /* its folder */
    const struct jw_warm_state *memory;
    const char *build; /* of libcuda; NULL: it is not known, and nothing is counted */
    /* entries that software is known to load: they are counted as modules, not here. They are sorted here */
    uint64_t *covered;
    size_t n_covered;
};

struct prime_imported {
    uint64_t entries, gone; /* of this driver build, for GPUs that may be here. `gone`: missing or damaged */
    uint64_t damaged;       /* those of `gone` whose file is there with other bytes */
    /* the first pack that brought an entry which is gone; "": a stream; NULL: none is gone */
    const char *pack;
    /* the command that brings it again, without --cache; NULL: none is gone, or the pack is, too */
    const char *again;
};

/* Counts the entries that packs brought, and those that are gone. The texts live in `a`. */
bool prime_find_imported(struct jw_session *s, const struct prime_imported_asked *asked, struct jw_arena *a,
                         struct prime_imported *out, struct jw_err *err) JW_MUST;

/* "1 of 6 imported modules is gone from the cache, and its pack is not there any more: ..." NULL: none is gone. */
const char *prime_imported_words(const struct prime_imported *m, struct jw_arena *a);

/* True if this import (`again`, or NULL) compiles a sample of its entries. A driver that compiles nothing refuses it
 * then. */
bool prime_import_compiles(const char *again);

/* Is the pack of this import gone, and something that it brought, too? */
bool prime_import_is_gone(const struct jw_cache_lookup *lookup, const struct jw_warm_import *m);

#endif
