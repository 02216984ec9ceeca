/* Appends records to the index of a live cache: in place and never by a rename, because programs
 * hold the file open and lock it. With the driver's lock held it reads the index again, and then
 * writes, in this order,
 *
 *   corrected sizes: the header and the records up to the last corrected one, in one write
 *   new records behind the last one; then the 16 bytes of the header, which count them
 *
 * So all records that the header counts are complete, whenever this process dies. Until the header
 * is written the file is longer than the header says, and the next update cuts it first. Other
 * damage is not repaired here. driver-fact: F45-in-place */
#pragma once

#include "cache/change/publish_place.h"

/* How a change of a cache leaves room for the programs that use it. */
enum {
    PUBLISH_AT_ONCE = 256,      /* records for each lock */
    PUBLISH_REOPENED = 16,      /* times replaced: an end, as on some file systems numbers change */
    PUBLISH_LOOK_NS = 15000000, /* at most, for their files: a part of a program's 20 tries */
    PUBLISH_PAUSE_MS = JW_CACHE_TRY_MS + 2 /* then each waiting program has had a try */
};

#define PUBLISH_REPLACED "another program keeps replacing it"

/* Pending records, oldest first. */
struct publish_queue {
    struct jw_cache_record *list;
    size_t n, cap;
};

bool publish_queue_room(struct publish_queue *q, size_t more, struct jw_err *err) JW_MUST;
void publish_queue_add(struct publish_queue *q, struct jw_cache_record record);
void publish_queue_free(struct publish_queue *q);

/* Appends records, and takes them from the queue. It also takes records that are in the index
 * already, and those whose file changed meanwhile (the program that changed it writes the record).
 * The rest waits; `folder->waits` says why. Waits for the lock up to `patience_ms` in total. */
bool publish_index(struct publish_folder *folder, struct publish_queue *q, unsigned patience_ms,
                   struct jw_err *err) JW_MUST;

/* Checks the index again after the lock was released, because the driver releases its lock before
 * its writes arrive, and these may overwrite records. Appends missing records again until they stay
 * (120 ms if other programs are storing). Empties `added`. */
bool publish_check_added(struct publish_folder *folder, struct publish_queue *added,
                         unsigned patience_ms, struct jw_err *err) JW_MUST;

/* The first `n` records as a file has them, behind a header. The caller frees `out`. */
bool publish_index_bytes(const struct jw_cache_index *index, size_t n, struct jw_buf *out,
                         struct jw_err *err) JW_MUST;

/* One update, under the driver's lock. */
struct publish_lock {
    const struct publish_folder *folder;
    struct jw_file *index; /* open */
    bool taken;            /* out; false: another program has it */
    bool current; /* out: the open file still has its name. A user may have removed the cache */
};

/* Calls `work` if the lock was taken and the file is the index. */
bool publish_locked(struct publish_lock *l, unsigned patience_ms,
                    bool (*work)(void *ctx, struct jw_err *err), void *ctx,
                    struct jw_err *err) JW_MUST;
