/*
 * Entries out of a cache that programs may be using now. In batches: under the driver's own lock their records leave the
 * index, in place; then, without it, their files go, if they are still what they were. So at no instant a record counts a
 * file that is not there, and what is not removed keeps file, record and order.
 *
 * How the index is changed: records behind the first one that goes must move forward. The header is written first, and
 * counts only those before it; then the others, then the header again, which counts them all; then the rest is cut. A
 * process that ends in between leaves an index that is sound and too short. All records are backed up meanwhile
 * (cache/memory/warmstate.h), and prune_heal appends those that have a file and are not counted: at the next prune, prime or status --repair.
 */
#ifndef CACHE_CHANGE_PRUNE_REMOVE_H
#define CACHE_CHANGE_PRUNE_REMOVE_H

#include "cache/change/index_heal.h"
#include "cache/change/publish_place.h"
#include "cache/memory/warmstate.h"

#include <stdatomic.h>

struct prune_victim {
    uint64_t name;
    uint64_t size; /* of the file, and when it was written: another file of that name stays */
    int64_t mtime;
    bool absent; /* there is no file: a record alone */
    bool gone;   /* out */
};

struct prune_removed {
    uint64_t files, bytes, records;
    uint64_t changed; /* they are not what they were when it was planned: kept */
    uint64_t refused; /* could not be removed, and `why` is the first one's sentence */
    struct jw_err why;
    const char *locked; /* NULL, or why the index could not be changed: what was left is as it was */
    uint64_t longest_lock_ns, locks;
};

/* `v` sorted by name. False: interrupted, or the index could not be written; `out` and `gone` hold all the
 * same. */
bool prune_remove(const struct publish_root *root, struct jw_warm_log *log, struct prune_victim *v, size_t n,
                  const atomic_bool *interrupted, struct prune_removed *out, struct jw_err *err) JW_MUST;

/* Finishes what an earlier process could not, and rebuilds a damaged index (index_heal.h). A cache that another user owns or may
 * write to is never changed. True when there is nothing to do. */
bool prune_heal(const char *path, struct jw_warm_log *log, const atomic_bool *interrupted,
                struct index_heal *healed, struct jw_err *err) JW_MUST;

#endif
