/*
 * Rebuilds an index that the driver does not accept: missing, empty, short, of another format, or with fewer records
 * than it counts. Programs still find their entries, but the next one that stores an entry deletes all others. The
 * index is rewritten in place, with the driver's own lock held. Its records, in this order: those that
 * the file still has, then all other valid entries, oldest first. Every byte of their files was checked, but of those that
 * a program stored meanwhile only the size. The header is written last, so that a process that dies in between does no
 * further harm. driver-fact: F83-damaged-index
 */
#ifndef CACHE_CHANGE_INDEX_REPAIR_H
#define CACHE_CHANGE_INDEX_REPAIR_H

#include "cache/change/publish_place.h"

#include <stdatomic.h>

struct index_repair {
    bool needed, done;
    char damage[sizeof((struct jw_err *)0)->msg]; /* the damage, or why it cannot be read */
    uint64_t records;                             /* in the new index */
};

/*
 * Repairs other damage as well (a wrong sum, a hash twice). `begin`, of who is about to store:
 * creates an index for a cache without entries, too, and fails where it cannot be read. Checks again after the lock was released, because the driver
 * releases it before its writes arrive. False, with a sentence: it could not be done (locked for 2 s, no rights, or
 * another user owns the cache or may write to it).
 */
bool index_repair(const struct publish_folder *folder, bool begin, const atomic_bool *interrupted,
                  struct index_repair *out, struct jw_err *err) JW_MUST;

/* The same of the cache at this path, if there is one. A cache that another user owns or may write to is never changed. */
bool index_repair_at(const char *path, const atomic_bool *interrupted, struct index_repair *out,
                     struct jw_err *err) JW_MUST;

#endif
