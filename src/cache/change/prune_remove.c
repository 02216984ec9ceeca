#include "cache/change/prune_remove.h"

#include "base/sort.h"
#include "cache/change/publish_index.h"
#include "cache/place/index_file.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <string.h>

enum { PATIENCE_MS = 5000 /* for the lock, each time */ };

struct removing {
    const struct publish_folder *folder;
    struct prune_removed *out;
    struct jw_file index; /* closed: there is none, and nothing to lock */
};

/* Entries that are removed at once, under the lock. */
struct batch {
    struct removing *r;
    struct prune_victim *v;
    size_t n;
    bool goes[PUBLISH_AT_ONCE];
    struct jw_index_file index;
};

static void note_refused(struct prune_removed *out, const struct jw_err *why)
{
    if (!out->refused++)
        out->why = *why;
}

static bool as_planned(const struct prune_victim *v, const struct jw_file_info *info)
{
    if (!v->file)
        return info->kind == JW_FILE_NONE;
    return info->kind == JW_FILE_REGULAR && info->size == v->file->size
           && info->mtime == v->file->mtime;
}

static void confirm(struct batch *t, size_t i)
{
    struct jw_folder home = JW_FOLDER_CLOSED;
    struct jw_file_info info;
    struct jw_err why = {0};
    bool ok = publish_stat(t->r->folder, t->v[i].name, &home, &info, &why);

    jw_folder_close(&home);
    t->goes[i] = ok && as_planned(&t->v[i], &info);
    if (ok && !t->goes[i])
        t->r->out->changed++;
    if (!ok)
        note_refused(t->r->out, &why);
}

static bool goes(const struct batch *t, uint64_t hash)
{
    const struct prune_victim *hit = jw_find_u64(t->v, t->n, sizeof *t->v, hash);

    return hit && t->goes[hit - t->v];
}

static void strike(struct batch *t)
{
    struct jw_cache_record *list = t->index.records.list;
    size_t kept = 0;

    for (size_t i = 0; i < t->index.records.n; i++)
        if (!goes(t, list[i].hash))
            list[kept++] = list[i];
    t->r->out->records += t->index.records.n - kept;
    t->index.records.n = kept;
}

/* In one write, with the header. A kill in the middle of it leaves a name twice, which is repaired;
 * or, before a record moved and if the sizes add up, entries without a record, which the next run
 * gives them. driver-fact: F83-damaged-index, F28-index-needed */
static bool rewrite(struct batch *t, struct jw_err *err)
{
    size_t were = t->index.records.n;
    struct jw_buf bytes = {0};

    strike(t);
    bool ok = t->index.records.n == were
              || (publish_index_bytes(&t->index.records, t->index.records.n, &bytes, err)
                  && jw_file_write(&t->r->index, 0, bytes.p, bytes.n, err)
                  && jw_file_truncate(&t->r->index, bytes.n, err));

    jw_buf_free(&bytes);
    return ok;
}

/* Runs before the index is read, which then has what a program wrote late. */
static void confirm_some(struct batch *t)
{
    uint64_t end = jw_time_monotonic_ns() + PUBLISH_LOOK_NS;
    size_t i = 0;

    do
        confirm(t, i);
    while (++i < t->n && jw_time_monotonic_ns() < end);
    t->n = i;
}

/* A program that rewrites a file meanwhile also records it. */
static bool remove_entry_file(const struct removing *r, struct prune_victim *v, struct jw_err *err)
{
    struct jw_folder home = JW_FOLDER_CLOSED;
    struct jw_file_info info;
    bool ok = publish_stat(r->folder, v->name, &home, &info, err);

    if (ok && as_planned(v, &info)) {
        ok = jw_folder_remove(&home, jw_cache_name(v->name).text + PUBLISH_FILE, err)
             || jw_wrap(err, "%s/%s", r->folder->path, jw_cache_name(v->name).text);
        v->gone = ok;
    } else if (ok)
        r->out->changed++;
    jw_folder_close(&home);
    return ok;
}

static void remove_files(struct batch *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct prune_victim *v = &t->v[i];
        struct jw_err why = {0};

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

static bool remove_records(void *ctx, struct jw_err *err)
{
    struct batch *t = ctx;
    struct prune_removed before = *t->r->out;
    struct jw_err why = {0};

    confirm_some(t);
    if (jw_index_file_read(&t->r->index, &t->index, &why))
        return rewrite(t, err) || jw_wrap(err, "%s/index", t->r->folder->path);
    if (!publish_is_unsound(&why))
        return jw_pass(err, why);
    *t->r->out = before; /* nothing was decided about what was looked at */
    t->r->out->locked = "the index is damaged";
    return true;
}

static bool remove_locked(struct batch *t, bool *current, struct jw_err *err)
{
    struct publish_lock lock = {.folder = t->r->folder, .index = &t->r->index};
    bool ok = publish_locked(&lock, PATIENCE_MS, remove_records, t, err);

    jw_index_file_free(&t->index);
    if (!lock.taken)
        t->r->out->locked = "the index is locked by another program";
    *current = lock.current || !lock.taken;
    return ok;
}

static bool open_index(struct removing *r, bool *found, struct jw_err *err)
{
    jw_file_close(&r->index);
    return jw_folder_open_file(&r->folder->open, "index", JW_FOLDER_CHANGE, &r->index, found, err)
           || jw_wrap(err, "%s/index", r->folder->path);
}

/* `*done`: how many; 0: the index was replaced meanwhile and must be opened again. */
static bool remove_some(struct removing *r, struct prune_victim *v, size_t n, size_t *done,
                        struct jw_err *err)
{
    struct batch t = {.r = r, .v = v, .n = n < PUBLISH_AT_ONCE ? n : PUBLISH_AT_ONCE};
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
    unsigned replaced = 0;

    for (size_t at = 0, done; at < n && !r->out->locked; at += done) {
        if (!jw_not_interrupted(interrupted, err))
            return false;
        if (!remove_some(r, v + at, n - at, &done, err))
            return false;
        if (!done && !r->out->locked && ++replaced == PUBLISH_REOPENED)
            r->out->locked = PUBLISH_REPLACED;
        if (r->index.handle != -1)
            jw_time_sleep_ms(PUBLISH_PAUSE_MS);
    }
    return true;
}

bool prune_remove(const struct publish_folder *folder, struct prune_victim *v, size_t n,
                  const atomic_bool *interrupted, struct prune_removed *out, struct jw_err *err)
{
    struct removing r = {.folder = folder, .out = out, .index = JW_FILE_CLOSED};
    bool found;

    *out = (struct prune_removed){0};
    bool ok = open_index(&r, &found, err) && remove_in_batches(&r, v, n, interrupted, err);

    if (r.index.handle != -1 && out->records)
        (void)!jw_file_sync(&r.index, JW_IGNORED);
    jw_file_close(&r.index);
    return ok;
}
