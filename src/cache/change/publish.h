/*
 * Entries into a cache that programs may be using now: files first, without any lock, then their records, appended to
 * the index in place, under the driver's own kind of lock, held for 50 ms at most. Below the root nothing is ever
 * half-written, and no link is followed.
 * driver-fact: F27-merge-copy-append, F28-index-needed, F40-record-locks, F42-foreign-lock
 */
#ifndef CACHE_CHANGE_PUBLISH_H
#define CACHE_CHANGE_PUBLISH_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jw_published {
    JW_PUB_PLACED,   /* it is there now, and was not before */
    JW_PUB_THERE,    /* a sound one was there already: kept, the new file is removed */
    JW_PUB_REPLACED, /* a damaged one was there; or, with `replace`, another sound one */
    JW_PUB_REFUSED   /* `why`; the file stays where it was */
};

struct jw_pub_entry {
    uint64_t name;
    const char *
        from; /* an entry file of ours, on the same file system if possible; NULL: only its record is missing */
    bool replace; /* over a sound one with another payload, too (one of the ledger) */
    bool checked; /* every byte of `from` was checked already, and nobody else can write to it */
    /* out: */
    enum jw_published result;
    bool reached;    /* else it is REFUSED because another one failed before it */
    uint64_t size;   /* key + payload, of the file that is there now */
    const char *why; /* REFUSED: a sentence. Else NULL, or why its record is not in the index yet */
};

struct jw_publisher;

struct jw_pub_stats {
    uint64_t placed, there, replaced, refused;
    uint64_t records;   /* appended */
    uint64_t corrected; /* records whose size was another one */
    uint64_t postponed; /* so many times records were left for later */
    uint64_t longest_lock_ns, locks;
    size_t pending;          /* records not yet in the index */
    const char *pending_why; /* NULL: none are */
};

/*
 * Makes a missing root (0700). Refuses a root that another user owns or may write to.
 */
bool jw_publisher_open(struct jw_publisher **out, const char *root, struct jw_err *err) JW_MUST;

/*
 * Checks each file (sizes, both hashes, its name) that was not yet, syncs it, moves it into its place, in the order of the list; then
 * appends the records of these and of earlier calls in the same order. An index that is locked for longer than 2 s, or
 * that is damaged (it is left as it is), is no failure: records stay pending.
 *
 * False: the root cannot be written (full, rights, gone). The entries before the failing one have their results and,
 * if at all possible, their records; those after it are REFUSED and where they were.
 */
bool jw_publisher_add(struct jw_publisher *p, struct jw_pub_entry *list, size_t n, struct jw_arena *a,
                      struct jw_err *err) JW_MUST;

/* Tries for `patience_ms` to have no record pending. False, with a sentence, when one is; JW_E_INTERRUPTED when
 * that is so and `*interrupted` (NULL: never). */
bool jw_publisher_flush(struct jw_publisher *p, unsigned patience_ms, const atomic_bool *interrupted,
                        struct jw_err *err) JW_MUST;

const struct jw_pub_stats *jw_publisher_stats(const struct jw_publisher *p);
void jw_publisher_close(struct jw_publisher *p); /* accepts NULL */

#endif
