#include "cache/change/publish_index.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "cache/place/index_file.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <string.h>

enum {
    RECHECK_MS = 20, /* between two checks of added records */
    QUIET = 6,       /* unchanged checks in a row, if other programs are storing */
    RECHECKS = 24
};

/* ---- the queue ---- */

bool publish_queue_room(struct publish_queue *q, size_t more, struct jw_err *err)
{
    while (q->cap - q->n < more)
        if (!jw_grow(&q->list, sizeof *q->list, q->cap, &q->cap, JW_MAX_CACHE_ENTRIES, err))
            return false;
    return true;
}

void publish_queue_add(struct publish_queue *q, struct jw_cache_record record)
{
    q->list[q->n++] = record;
}

void publish_queue_free(struct publish_queue *q)
{
    jw_free(q->list);
    *q = (struct publish_queue){0};
}

static void take_off(struct publish_queue *q, size_t n)
{
    q->n -= n;
    memmove(q->list, q->list + n, q->n * sizeof *q->list);
}

/* ---- planning ---- */

struct want {
    struct jw_cache_record record;
    bool done; /* nothing to append */
};

/* One update of the index, under the lock. */
struct update {
    struct publish_folder *folder;
    struct jw_file *f;
    struct publish_queue *q;
    struct jw_index_file index; /* as it was read; its records then become the new ones */
    size_t were;                /* records that were in it */
    size_t right; /* all records before this number are written again: sizes were corrected */
    struct want want[PUBLISH_AT_ONCE];
    size_t n;
};

/* Sorts the records that are still wanted by hash, keeps the first of each, and counts them. */
static size_t sort_wants(struct update *t, struct jw_ranked *sorted)
{
    size_t n = 0;
    size_t kept = 0;

    for (size_t i = 0; i < t->n; i++)
        if (!t->want[i].done)
            sorted[n++] = (struct jw_ranked){t->want[i].record.hash, i};
    jw_sort_u64(sorted, n, sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        if (kept && sorted[kept - 1].name == sorted[i].name)
            t->want[sorted[i].at].done = true;
        else
            sorted[kept++] = sorted[i];
    }
    return kept;
}

/* Corrects, in memory, the sizes in records that are there. */
static void compare_wants(struct update *t)
{
    struct jw_ranked sorted[PUBLISH_AT_ONCE] = {{0, 0}};
    size_t n = sort_wants(t, sorted);

    for (size_t i = 0; n && i < t->were; i++) {
        struct jw_cache_record *there = &t->index.records.list[i];
        const struct jw_ranked *hit = jw_find_u64(sorted, n, sizeof *sorted, there->hash);
        struct want *want = hit ? &t->want[hit->at] : NULL;

        if (!want)
            continue;
        want->done = true;
        if (there->size == want->record.size)
            continue;
        there->size = want->record.size;
        t->right = i + 1;
    }
}

/* Appends missing records, in memory. */
static bool extend(struct update *t, struct jw_err *err)
{
    for (size_t i = 0; i < t->n; i++)
        if (!t->want[i].done && !jw_cache_index_append(&t->index.records, t->want[i].record, err))
            return false;
    return true;
}

/* Entries that were evicted or rewritten meanwhile get no record: drivers evict under this lock. */
static bool choose_records(struct update *t, struct jw_err *err)
{
    const struct publish_queue *q = t->q;
    uint64_t end = jw_time_monotonic_ns() + PUBLISH_LOOK_NS;

    do {
        bool there;

        if (!publish_there(t->folder, &q->list[t->n], &there, err))
            return false;
        t->want[t->n] = (struct want){q->list[t->n], !there};
        t->n++;
    } while (t->n < q->n && t->n < PUBLISH_AT_ONCE && jw_time_monotonic_ns() < end);
    return true;
}

/* ---- the file ---- */

bool publish_index_bytes(const struct jw_cache_index *index, size_t n, struct jw_buf *out,
                         struct jw_err *err)
{
    struct jw_cache_index first = {.list = index->list, .n = n};

    *out = JW_BUF(JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * JW_MAX_CACHE_ENTRIES);
    return jw_cache_index_write(&first, out, err);
}

/* Creates an empty index, or cuts what follows the last record. */
static bool begin_index(struct update *t, struct jw_err *err)
{
    struct jw_buf bytes = {0};
    bool ok = true;

    if (t->index.trouble == JW_INDEX_NONE) {
        ok = publish_index_bytes(&t->index.records, 0, &bytes, err)
             && jw_file_write(t->f, 0, bytes.p, bytes.n, err);
        t->index.records.end = JW_CACHE_INDEX_HEADER;
    } else if (t->index.bytes.n > t->index.records.end)
        ok = jw_file_truncate(t->f, t->index.records.end, err);
    jw_buf_free(&bytes);
    return ok;
}

/* Sizes and their sum, in one write up to 128 KiB. A kill in a longer one leaves a wrong sum. */
static bool correct(struct update *t, struct jw_err *err)
{
    struct jw_buf bytes = {0};
    bool ok = !t->right
              || (publish_index_bytes(&t->index.records, t->were, &bytes, err)
                  && jw_file_write(t->f, 0, bytes.p,
                                   JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * t->right, err));

    jw_buf_free(&bytes);
    return ok;
}

/* The records, then at once the header that counts them: to a program that looks in between, or
 * after a kill in between, the index is longer than it says. No sync stands between the two,
 * because that would make of these microseconds milliseconds, and hold the lock for as long; the
 * driver syncs nothing at all. It is done when the lock is dropped. */
static bool append(struct update *t, struct jw_err *err)
{
    struct jw_buf bytes = {0};
    size_t end = t->index.records.end;
    bool ok = publish_index_bytes(&t->index.records, t->index.records.n, &bytes, err)
              && jw_file_write(t->f, end, bytes.p + end, bytes.n - end, err)
              && jw_file_write(t->f, 0, bytes.p, JW_CACHE_INDEX_HEADER, err);

    jw_buf_free(&bytes);
    if (!ok)
        (void)!jw_file_truncate(t->f, end, JW_IGNORED);
    return ok;
}

static bool change(struct update *t, struct jw_err *err)
{
    t->were = t->index.records.n;
    compare_wants(t);
    if (!extend(t, err) || !begin_index(t, err) || !correct(t, err))
        return false;
    return t->index.records.n == t->were || append(t, err);
}

/* ---- the lock ---- */

static void note_waiting(struct publish_folder *folder, bool damaged, const char *why)
{
    folder->waits.damaged = damaged;
    jw_err_set(&folder->waits.why, JW_E_IO, "%s/index: %s", folder->path, why);
}

static bool is_waiting(const struct publish_folder *folder) { return folder->waits.why.msg[0]; }

static bool is_current(const struct publish_lock *l, bool *current, struct jw_err *err)
{
    struct jw_file_info open = {0};
    struct jw_file_info named = {0};
    bool ok = jw_file_info(l->index, &open, err)
              && jw_folder_stat(&l->folder->open, "index", &named, err);

    *current = ok && named.kind == JW_FILE_REGULAR && jw_file_same(open.id, named.id);
    return ok;
}

bool publish_locked(struct publish_lock *l, unsigned patience_ms,
                    bool (*work)(void *ctx, struct jw_err *err), void *ctx, struct jw_err *err)
{
    l->taken = l->current = false;
    if (!jw_filelock_take(l->index->handle, JW_LOCK_WRITE, patience_ms, &l->taken, err))
        return false;
    if (!l->taken)
        return true;

    bool ok = is_current(l, &l->current, err) && (!l->current || work(ctx, err));

    return jw_filelock_drop(l->index->handle, ok ? err : JW_IGNORED) && ok;
}

/* Looks at the files first, then reads the index and writes it at once: the last holder of the lock
 * may have dropped it before its write arrived. */
static bool append_some(void *ctx, struct jw_err *err)
{
    struct update *t = ctx;
    struct jw_err why = {0};

    if (!choose_records(t, err))
        return false;
    if (jw_index_file_read(t->f, &t->index, &why))
        return change(t, err);
    if (publish_is_unsound(&why)) {
        note_waiting(t->folder, true, why.msg);
        return true;
    }
    return jw_pass(err, why);
}

/* Takes the lock, appends some records, releases it. */
static bool make_update(struct publish_folder *folder, struct jw_file *f, struct publish_queue *q,
                        unsigned patience_ms, bool *current, struct jw_err *err)
{
    struct update t = {.folder = folder, .f = f, .q = q};
    struct publish_lock lock = {.folder = folder, .index = f};
    bool ok = publish_locked(&lock, patience_ms, append_some, &t, err);

    jw_index_file_free(&t.index);
    if (!lock.taken) {
        if (ok)
            note_waiting(folder, false, "is locked by another program");
        return ok;
    }
    *current = lock.current;
    if (!ok || !*current || is_waiting(folder))
        return ok;
    take_off(q, t.n);
    return jw_file_sync(f, err);
}

static unsigned left_ms(uint64_t deadline)
{
    uint64_t now = jw_time_monotonic_ns();

    return now < deadline ? (unsigned)((deadline - now) / 1000000) : 0;
}

/* `*current` false: the open file is no longer the index. */
static bool append_all(struct publish_folder *folder, struct publish_queue *q, uint64_t deadline,
                       bool *current, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err why = {0};
    bool found = false;
    bool ok = jw_folder_open_file(&folder->open, "index", JW_FOLDER_MAKE, &f, &found, &why);

    *current = true;
    if (!ok && publish_is_unsound(&why)) {
        note_waiting(folder, true, why.msg);
        return true;
    }
    for (bool again = false; ok && *current && q->n && !is_waiting(folder); again = true) {
        if (again)
            jw_time_sleep_ms(PUBLISH_PAUSE_MS);
        ok = make_update(folder, &f, q, left_ms(deadline), current, &why);
    }
    jw_file_close(&f);
    return ok || jw_pass(err, why);
}

bool publish_index(struct publish_folder *folder, struct publish_queue *q, unsigned patience_ms,
                   struct jw_err *err)
{
    uint64_t deadline = jw_time_after_ms(patience_ms);
    bool current = true;

    folder->waits = (struct publish_waits){0};
    for (unsigned i = 0; i < PUBLISH_REOPENED && q->n && !is_waiting(folder); i++)
        if (!append_all(folder, q, deadline, &current, err))
            return jw_wrap(err, "%s/index", folder->path);
    if (q->n && !is_waiting(folder))
        note_waiting(folder, false, PUBLISH_REPLACED);
    return true;
}

/* ---- checking again ---- */

/* The state of the index. */
struct index_look {
    bool plausible;
    uint64_t n, total;            /* of its header */
    struct publish_queue lacking; /* added records that are missing though they have a file */
};

static bool look_for(const struct publish_folder *folder, const struct publish_queue *added,
                     struct index_look *out, struct jw_err *err)
{
    struct jw_index_file file = {0};
    bool there, ok = jw_index_file_load(folder->path, &file, err);
    const struct jw_cache_index *index = &file.records;

    out->plausible = ok && file.trouble <= JW_INDEX_MISCOUNTS;
    out->n = index->n;
    out->total = index->total;
    out->lacking.n = 0;
    jw_sort_u64(index->list, index->n, sizeof *index->list);
    ok = ok && publish_queue_room(&out->lacking, added->n, err);
    for (size_t i = 0; out->plausible && ok && i < added->n; i++) {
        if (jw_find_u64(index->list, index->n, sizeof *index->list, added->list[i].hash))
            continue;
        ok = publish_there(folder, &added->list[i], &there, err);
        if (ok && there)
            publish_queue_add(&out->lacking, added->list[i]);
    }
    jw_index_file_free(&file);
    return ok;
}

/* True: look again. A program that stores drops the lock before what it writes arrives, and where
 * many do, the system lets it wait in between for longer than one look: so it must stay quiet for a
 * while. driver-fact: F43-lost-records */
static bool still_changing(const struct index_look *now, const struct index_look *before,
                           unsigned *quiet)
{
    bool changed = now->lacking.n || now->n != before->n || now->total != before->total;

    if (changed)
        *quiet = QUIET;
    else if (*quiet)
        --*quiet;
    return *quiet != 0;
}

static bool append_missing(struct publish_folder *folder, struct publish_queue *added,
                           unsigned patience_ms, struct index_look *now, struct jw_err *err)
{
    struct index_look before;
    unsigned quiet = 0;
    bool lacked = false;

    if (!look_for(folder, added, now, err))
        return false;
    for (unsigned i = 0; now->plausible && i < RECHECKS; i++) {
        before = *now;
        jw_time_sleep_ms(RECHECK_MS);
        if (!look_for(folder, added, now, err))
            return false;
        lacked = now->lacking.n;
        if (now->plausible && !still_changing(now, &before, &quiet))
            break;
        if (lacked && !publish_index(folder, &now->lacking, patience_ms, err))
            return false;
        if (is_waiting(folder))
            return true;
    }
    if (!now->plausible)
        note_waiting(folder, true, "the records that were added are gone");
    else if (lacked)
        note_waiting(folder, false, "another program keeps removing what was added");
    else
        added->n = 0;
    return true;
}

bool publish_check_added(struct publish_folder *folder, struct publish_queue *added,
                         unsigned patience_ms, struct jw_err *err)
{
    struct index_look now = {0};

    folder->waits = (struct publish_waits){0};

    bool ok = !added->n || append_missing(folder, added, patience_ms, &now, err);

    publish_queue_free(&now.lacking);
    return ok;
}
