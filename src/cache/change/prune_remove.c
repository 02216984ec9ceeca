#include "cache/change/prune_remove.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "cache/change/publish_index.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <string.h>

#define BACKUP "index.backup"

enum { PATIENCE_MS = 5000 /* for the lock, each time */, HEAL_MS = 2000 };

struct removing {
    const struct publish_folder *folder;
    const char *saved; /* the file of the backup */
    struct prune_removed *out;
    struct jw_file index;         /* closed: there is none, and nothing to lock */
    struct jw_cache_index backup; /* backed up records, by hash */
};

/* Entries that are removed at once, under the lock. */
struct batch {
    struct removing *r;
    struct prune_victim *v;
    size_t n;
    bool goes[PUBLISH_AT_ONCE];
    struct jw_cache_index index;
    size_t size, end, first; /* of the file; of its records; index of the first removed one */
};

/* ---- checking again ---- */

static void note_refused(struct prune_removed *out, const struct jw_err *why)
{
    if (!out->refused++)
        out->why = *why;
}

static bool as_planned(const struct prune_victim *v, const struct jw_file_info *info)
{
    if (!v->file)
        return info->kind == JW_FILE_NONE;
    return info->kind == JW_FILE_REGULAR && info->size == v->file->size && info->mtime == v->file->mtime;
}

static void confirm(struct batch *t, size_t i)
{
    struct jw_tree home = JW_TREE_CLOSED;
    struct jw_file_info info;
    struct jw_err why = { 0 };
    bool ok = publish_stat(t->r->folder, t->v[i].name, &home, &info, &why);

    jw_tree_close(&home);
    t->goes[i] = ok && as_planned(&t->v[i], &info);
    if (ok && !t->goes[i])
        t->r->out->changed++;
    if (!ok)
        note_refused(t->r->out, &why);
}

/* ---- the index ---- */

static bool goes(const struct batch *t, uint64_t hash)
{
    const struct prune_victim *hit = jw_find_u64(t->v, t->n, sizeof *t->v, hash);

    return hit && t->goes[hit - t->v];
}

static void strike(struct batch *t)
{
    struct jw_cache_record *list = t->index.list;
    size_t kept = 0;

    t->first = t->index.n;
    for (size_t i = 0; i < t->index.n; i++) {
        if (goes(t, list[i].hash)) {
            t->first = t->first < i ? t->first : i;
        } else
            list[kept++] = list[i];
    }
    t->r->out->records += t->index.n - kept;
    t->index.n = kept;
}

static bool write_header(struct batch *t, size_t n, struct jw_err *err)
{
    struct jw_buf bytes;
    bool ok = publish_index_bytes(&t->index, n, &bytes, err)
              && jw_file_write(&t->r->index, 0, bytes.p, JW_CACHE_INDEX_HEADER, err);

    jw_buf_free(&bytes);
    return ok;
}

/* The records behind the first removed one. */
static bool move_forward(struct batch *t, struct jw_err *err)
{
    size_t at = JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * t->first;
    struct jw_buf bytes;
    bool ok = publish_index_bytes(&t->index, t->index.n, &bytes, err) && write_header(t, t->first, err)
              && (bytes.n == at
                  || (jw_file_write(&t->r->index, at, bytes.p + at, bytes.n - at, err)
                      && jw_file_write(&t->r->index, 0, bytes.p, JW_CACHE_INDEX_HEADER, err)));

    jw_buf_free(&bytes);
    return ok;
}

/* ---- backup ---- */

/* Saves all records, in their order. If this process dies, the next one appends those that are not in the
 * index and have a file. Entries that are to be removed are among them, because each stays valid until its
 * file is gone. */
static bool backup(struct removing *r, const struct jw_cache_index *index, struct jw_err *err)
{
    struct jw_cache_index copy = { .list = jw_alloc((index->n + 1) * sizeof *copy.list), .n = index->n };
    struct jw_buf bytes;
    bool ok = publish_index_bytes(index, index->n, &bytes, err)
              && jw_trust_put(
                  r->saved,
                  (struct jw_bytes){ bytes.p + JW_CACHE_INDEX_HEADER, bytes.n - JW_CACHE_INDEX_HEADER }, err);

    jw_buf_free(&bytes);
    if (!ok) {
        jw_free(copy.list);
        return false;
    }
    if (index->n)
        memcpy(copy.list, index->list, index->n * sizeof *copy.list);
    jw_sort_u64(copy.list, copy.n, sizeof *copy.list);
    jw_cache_index_free(&r->backup);
    r->backup = copy;
    return true;
}

/* The backup has all records of the index. Programs append. */
static bool is_backed_up(const struct removing *r, const struct jw_cache_index *index)
{
    for (size_t i = 0; i < index->n; i++)
        if (!jw_find_u64(r->backup.list, r->backup.n, sizeof *r->backup.list, index->list[i].hash))
            return false;
    return true;
}

/* Before the lock is taken, because it may take a while. */
static bool backup_early(struct removing *r, struct jw_err *err)
{
    struct jw_cache_index index = { 0 };
    size_t size, end;
    bool ok =
        !publish_index_read(&r->index, &index, &size, &end, JW_IGNORED) || !index.n || backup(r, &index, err);

    jw_cache_index_free(&index);
    return ok;
}

static bool rewrite(struct batch *t, struct jw_err *err)
{
    size_t were = t->index.n;

    if (!is_backed_up(t->r, &t->index) && !backup(t->r, &t->index, err))
        return false;
    strike(t);
    return t->index.n == were
           || (move_forward(t, err)
               && jw_file_truncate(&t->r->index, JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * t->index.n, err));
}

/* ---- one batch ---- */

/* Runs before the index is read, so that the index has records that a program wrote late, after it had
 * unlocked. */
static void confirm_some(struct batch *t)
{
    uint64_t end = jw_time_monotonic_ns() + PUBLISH_LOOK_NS;
    size_t i = 0;

    do
        confirm(t, i);
    while (++i < t->n && jw_time_monotonic_ns() < end);
    t->n = i;
}

/* ---- files ---- */

/* A program that rewrites a file meanwhile also records it. */
static bool remove_entry_file(const struct removing *r, struct prune_victim *v, struct jw_err *err)
{
    struct jw_tree home = JW_TREE_CLOSED;
    struct jw_file_info info;
    bool ok = publish_stat(r->folder, v->name, &home, &info, err);

    if (ok && as_planned(v, &info)) {
        ok = jw_tree_remove(&home, jw_cache_name(v->name).text + PUBLISH_FILE, err)
             || jw_wrap(err, "%s/%s", r->folder->path, jw_cache_name(v->name).text);
        v->gone = ok;
    } else if (ok)
        r->out->changed++;
    jw_tree_close(&home);
    return ok;
}

static void remove_files(struct batch *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct prune_victim *v = &t->v[i];
        struct jw_err why = { 0 };

        if (!t->goes[i])
            continue;
        if (!v->file)
            v->gone = true;
        else if (!remove_entry_file(t->r, v, &why))
            note_refused(t->r->out, &why);
        else if (v->gone) {
            t->r->out->files++;
            t->r->out->bytes += v->file->size;
        }
    }
}

/* ---- the lock ---- */

static bool remove_records(void *ctx, struct jw_err *err)
{
    struct batch *t = ctx;
    struct prune_removed before = *t->r->out;
    struct jw_err why = { 0 };

    confirm_some(t);
    if (publish_index_read(&t->r->index, &t->index, &t->size, &t->end, &why))
        return !t->size || rewrite(t, err) || jw_wrap(err, "%s/index", t->r->folder->path);
    if (!publish_is_unsound(&why))
        return jw_pass(err, why);
    *t->r->out = before; /* nothing was decided about what was looked at */
    t->r->out->locked = "the index is damaged";
    return true;
}

static bool remove_locked(struct batch *t, bool *current, struct jw_err *err)
{
    struct publish_lock lock = { .folder = t->r->folder, .index = &t->r->index };
    bool ok = publish_locked(&lock, PATIENCE_MS, remove_records, t, err);

    jw_cache_index_free(&t->index);
    if (!lock.taken)
        t->r->out->locked = "the index is locked by another program";
    *current = lock.current || !lock.taken;
    return ok;
}

static bool open_index(struct removing *r, bool *found, struct jw_err *err)
{
    jw_file_close(&r->index);
    return jw_tree_open_file(&r->folder->tree, "index", JW_TREE_CHANGE, &r->index, found, err)
           || jw_wrap(err, "%s/index", r->folder->path);
}

/* `*done`: how many; 0: the index was replaced meanwhile and must be opened again. */
static bool remove_some(struct removing *r, struct prune_victim *v, size_t n, size_t *done,
                        struct jw_err *err)
{
    struct batch t = { .r = r, .v = v, .n = n < PUBLISH_AT_ONCE ? n : PUBLISH_AT_ONCE };
    bool current = true, found;

    *done = 0;
    if (r->index.handle == -1)
        confirm_some(&t);
    else if (!remove_locked(&t, &current, err))
        return jw_wrap(err, "%s", r->folder->path);
    if (!current)
        return open_index(r, &found, err);
    if (r->out->locked)
        return true;
    remove_files(&t);
    *done = t.n;
    return true;
}

static bool remove_in_batches(struct removing *r, struct prune_victim *v, size_t n,
                              const atomic_bool *interrupted, struct jw_err *err)
{
    for (size_t at = 0, done; at < n && !r->out->locked; at += done) {
        if (!jw_not_interrupted(interrupted, err))
            return false;
        if (!remove_some(r, v + at, n - at, &done, err))
            return false;
        if (r->index.handle != -1)
            jw_time_sleep_ms(PUBLISH_PAUSE_MS);
    }
    return true;
}

bool prune_remove(const struct publish_folder *folder, const struct jw_cache_memory *memory,
                  struct prune_victim *v, size_t n, const atomic_bool *interrupted, struct prune_removed *out,
                  struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct removing r = {
        .folder = folder, .saved = jw_path_join(&a, memory->dir, BACKUP), .out = out, .index = JW_FILE_CLOSED
    };
    bool found, ok;

    *out = (struct prune_removed){ 0 };
    ok = open_index(&r, &found, err) && (!found || backup_early(&r, err))
         && remove_in_batches(&r, v, n, interrupted, err);
    if (r.index.handle != -1 && out->records)
        (void)!jw_file_sync(&r.index, JW_IGNORED);
    if (ok && r.backup.n)
        (void)!jw_file_remove(r.saved, JW_IGNORED);
    jw_cache_index_free(&r.backup);
    jw_file_close(&r.index);
    jw_arena_free(&a);
    return ok;
}

/* ---- repair ---- */

static bool queue_all(struct jw_bytes bytes, struct publish_queue *q, struct jw_err *err)
{
    struct jw_reader in = { .in = bytes };

    while (bytes.n - in.at >= JW_CACHE_RECORD) {
        struct jw_cache_record record = { .hash = jw_u64(&in) };

        record.size = jw_u64(&in);
        if (!publish_queue_room(q, 1, err))
            return false;
        publish_queue_add(q, record);
    }
    return true;
}

/* Appends backed up records to a valid index. */
static bool append_backup(struct publish_folder *folder, struct jw_bytes backup, struct jw_err *err)
{
    struct publish_queue q = { 0 };
    bool ok = queue_all(backup, &q, err) && publish_index(folder, &q, HEAL_MS, err)
              && (!q.n || jw_fail(err, JW_E_IO, "%s", folder->waits.why.msg));

    publish_queue_free(&q);
    return ok;
}

bool prune_repair(const char *path, const struct jw_cache_memory *memory, const atomic_bool *interrupted,
                  struct index_repair *repaired, struct jw_err *err)
{
    struct publish_folder folder = { .path = path, .tree = JW_TREE_CLOSED };
    struct jw_file_info info = { .kind = JW_FILE_NONE };
    struct jw_arena a = { 0 };
    struct jw_bytes backup = { NULL, 0 };
    bool found = false;
    const char *saved = jw_path_join(&a, memory->dir, BACKUP);
    bool ok = (memory->unusable /* another user could have put it there */
               || jw_trust_slurp(saved, JW_CACHE_RECORD * JW_MAX_CACHE_ENTRIES, &a, &backup, &found, err))
              && jw_file_stat(path, &info, err);

    *repaired = (struct index_repair){ 0 };
    if (ok && info.kind == JW_FILE_DIR)
        ok =
            jw_tree_open(&folder.tree, path, err)
            && index_repair(&folder, backup, false, interrupted, repaired, err)
            && (!backup.n || (publish_check_owner(&folder.tree, err) && append_backup(&folder, backup, err)));
    if (ok && found) /* also when the cache was removed */
        ok = jw_file_remove(saved, err);
    jw_tree_close(&folder.tree);
    jw_arena_free(&a);
    return ok;
}
