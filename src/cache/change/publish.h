/* Adds entries to a cache that programs may be using: first the files, without a lock, then their
 * records, appended to the index in place. That takes the driver's own lock for at most 50 ms. No
 * file is ever half-written, and no link followed. driver-fact: F27-merge-copy-append,
 * F28-index-needed, F40-record-locks, F42-foreign-lock */
#pragma once

#include "base/arena.h"
#include "cache/place/lookup.h"
#include "jitwarm/answer.h"
#include "jitwarm/err.h"
#include "jitwarm/module.h"
#include "jitwarm/run.h"
#include "os/files/folder.h"

#include <stdatomic.h>

enum jw_published {
    JW_PUBLISH_PLACED,   /* added */
    JW_PUBLISH_THERE,    /* a valid one was there: kept; the new file is removed */
    JW_PUBLISH_REPLACED, /* a damaged one was there, or one that it `replaces` */
    JW_PUBLISH_REFUSED   /* `why`; the file was not moved */
};

struct jw_publish_entry {
    uint64_t name;
    const char *from; /* the file, on the same file system; NULL: only its record is missing */
    bool replaces;    /* also an entry that is whole: the driver could not use it */
    bool checked;     /* every byte of `from` was checked, and no other user can write to it */
    bool synced;      /* checked, on the disk, and of this `size`: it is not opened */
    uint64_t size;    /* key + payload, of the file in the cache; if `synced` also of `from` */
    /* out: */
    enum jw_published result;
    bool reached;    /* false: REFUSED because an earlier one failed */
    const char *why; /* why REFUSED, or why its record is not in the index yet, or NULL */
};

struct jw_publisher;

/* Makes a missing cache (0700). Refuses a cache that another user owns or may write to. */
bool jw_publisher_open(struct jw_publisher **out, const char *folder, struct jw_err *err) JW_MUST;

/* In the order of the list: checks each file that was not checked (sizes, both hashes, name), syncs
 * it unless it was synced, and moves it in. Then syncs the folders, and appends all pending records
 * in the same order; these stay pending if the index is locked for 2 s or damaged. An entry whose
 * folder this user may not write is REFUSED. False: the cache cannot be written (full, read-only,
 * removed). Entries before the failing one have their results and, if possible, their records;
 * later ones are REFUSED and not moved. */
bool jw_publisher_add(struct jw_publisher *p, struct jw_publish_entry *list, size_t n,
                      struct jw_arena *a, struct jw_err *err) JW_MUST;

enum { JW_PUBLISH_PATIENCE_MS = 10 * 1000 }; /* for a caller that only waits for the index */

/* Tries for `patience_ms` to write all pending records. False: some are still pending, or it was
 * interrupted (JW_E_INTERRUPTED). */
bool jw_publisher_flush(struct jw_publisher *p, unsigned patience_ms,
                        const atomic_bool *interrupted, struct jw_err *err) JW_MUST;

void jw_publisher_close(struct jw_publisher *p); /* accepts NULL */

/* Puts the bytes of an entry, which were checked, into a folder of this user on the disk of the
 * cache. */
bool jw_stage_entry(const struct jw_folder *folder, uint64_t name, struct jw_bytes bytes,
                    struct jw_err *err) JW_MUST;
const char *jw_staged_path(const char *folder, uint64_t name, struct jw_arena *a);
/* Syncs `n` of them by one barrier; `*synced` false: they are few, or there is no such barrier, and
 * publishing syncs each. */
bool jw_stage_sync(const struct jw_folder *folder, size_t n, bool *synced,
                   struct jw_err *err) JW_MUST;

/* Gives a record to each entry of these jobs that is in the cache and not in its index, as a killed
 * run leaves them, if its bytes fit under the limit of `scope`, whose `used` grows by them. False:
 * they got none. Where the index is not whole, `used` grows all the same: it may have had their
 * records. */
bool jw_publish_records(struct jw_run *run, const struct jw_cache_lookup *l,
                        const struct jw_job *jobs, size_t n, struct jw_scope *scope,
                        struct jw_err *err) JW_MUST;
