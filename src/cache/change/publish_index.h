/*
 * Records into the index of a live cache: in place, never renamed, because programs hold it open and lock that very
 * file. Under the driver's kind of lock it is read again; then, in this order,
 *
 *   sizes that are another one: the header and the records up to the last of these, in one write
 *   new records behind the last one; then, at once, the 16 bytes of the header, which count them
 *
 * so that whoever reads as many records as the header counts finds them whole, at whatever instant this process dies.
 * Until the header is written the file is longer than its header says; jw_cache_index_read calls that damaged, and
 * here it is cut to what the header counts before anything else is done. Any other damage is left as it is.
 * driver-fact: F45-in-place
 */
#ifndef CACHE_CHANGE_PUBLISH_INDEX_H
#define CACHE_CHANGE_PUBLISH_INDEX_H

#include "cache/change/publish_place.h"

/* Records that wait, oldest first. */
struct publish_queue {
    struct jw_cache_record *list;
    size_t n, cap;
};

bool publish_queue_room(struct publish_queue *q, size_t more, struct jw_err *err) JW_MUST; /* for so many */
void publish_queue_add(struct publish_queue *q, struct jw_cache_record record);
void publish_queue_free(struct publish_queue *q);

struct publish_waits {
    bool damaged;      /* else it is locked by another program */
    struct jw_err why; /* no text when nothing waits */
};

/*
 * Takes from the queue what it appends, and what need not or must not be appended: records that are there, and those
 * whose file is not what it was (whoever wrote it again or removed it sees to its record). What is left in the queue
 * waits, and `waits` says why. Waits for the lock up to `patience_ms` in total.
 */
bool publish_index(const struct publish_root *root, struct publish_queue *q, unsigned patience_ms,
                   struct jw_pub_stats *stats, struct publish_waits *waits, struct jw_err *err) JW_MUST;

/* Looks once more after the lock was dropped: the driver drops it before what it wrote arrives, so that records may be gone.
 * What is lacking and has a file is appended again, until it stays: for 120 ms where other programs are storing, too. `added`
 * is empty then. */
bool publish_settle(const struct publish_root *root, struct publish_queue *added, unsigned patience_ms,
                    struct jw_pub_stats *stats, struct publish_waits *waits, struct jw_err *err) JW_MUST;

/* Does the driver believe it (jw_cache_index_believed)? Reads the header alone; missing or empty it does not. */
bool publish_index_believed(const struct publish_root *root, bool *yes, struct jw_err *err) JW_MUST;

/* ---- for who changes it otherwise ---- */

/* An empty one is none yet. `*end`: where the records end that the header counts, which may be before `*size`. JW_E_FORMAT,
 * JW_E_LIMIT: it is damaged. */
bool publish_index_read(struct jw_file *f, struct jw_cache_index *out, size_t *size, size_t *end,
                        struct jw_err *err) JW_MUST;

/* Is the name still that of the file that is open? A user may have removed the cache. */
bool publish_index_current(const struct publish_root *root, const struct jw_file *f, bool *current,
                           struct jw_err *err) JW_MUST;

#endif
