/*
 * An index that the driver does not believe: missing, empty, short, of another format, or one that counts more records than it
 * holds. Programs still find their entries, but the next one that stores an entry deletes all others. So it is written again, in
 * place, under the driver's own lock. Its records, in this order: those that were backed up, those that the file still holds,
 * then whole entries that neither names, the oldest first. Each has its file, of which every byte was read. The header comes
 * last, so that a process that ends in between leaves no more harm than there was.
 * driver-fact: F83-damaged-index
 */
#ifndef CACHE_CHANGE_INDEX_HEAL_H
#define CACHE_CHANGE_INDEX_HEAL_H

#include "cache/change/publish_place.h"

#include <stdatomic.h>

struct index_heal {
    bool needed, done;
    bool lost; /* the next program that stored an entry would have deleted all others */
    char damage[sizeof((struct jw_err *)0)->msg]; /* what was wrong; not needed: why it cannot be read */
    uint64_t records, bytes;                      /* that it has now; the sum of their sizes */
    uint64_t not_whole;                           /* entry files that got no record */
};

/*
 * Heals other damage as well (a wrong sum, a hash that is there twice). `backup`: records as an index holds them, or none. `begin`:
 * a root without entries gets an empty index, too. Looks once more after the lock was dropped: the driver drops it before what it
 * wrote arrives. False, with a sentence: it could not be done (locked for 2 s, no rights, or another user owns the cache or
 * may write to it).
 */
bool index_heal(const struct publish_root *root, struct jw_bytes backup, bool begin,
                const atomic_bool *interrupted, struct index_heal *out, struct jw_err *err) JW_MUST;

#endif
