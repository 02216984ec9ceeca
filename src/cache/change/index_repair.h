/* Rebuilds an index that the driver does not believe (enum jw_index_trouble): with one, the next
 * program that stores an entry deletes all others. It is rewritten in place under the driver's own
 * lock: first the records that the file still has, then those of all other valid entries, oldest
 * first. Every byte of their files is checked; of files that a program stores meanwhile only the
 * size. The header is written last, so that a process that dies in between does no further harm.
 * driver-fact: F83-damaged-index */
#pragma once

#include "cache/change/publish_place.h"

#include <stdatomic.h>

struct index_repair {
    bool needed, done;
    char damage[sizeof((struct jw_err *)0)->msg]; /* the damage, or why it cannot be read */
    uint64_t records;                             /* in the new index */
};

/* Repairs damage that the driver believes, too (a wrong sum, a hash twice). `storing`: the caller
 * is about to store entries; then a cache without entries gets an index, too, and one that cannot
 * be read is an error. Looks again after the lock was released, because the driver releases it
 * before its writes arrive. False, with a sentence: it could not be done (locked for 2 s, no
 * rights, or another user owns the cache or may write to it). */
bool index_repair(const struct publish_folder *folder, bool storing, const atomic_bool *interrupted,
                  struct index_repair *out, struct jw_err *err) JW_MUST;

/* Repairs the index of the cache at this path, as above without `storing`, if there is one. */
bool index_repair_at(const char *path, const atomic_bool *interrupted, struct index_repair *out,
                     struct jw_err *err) JW_MUST;
