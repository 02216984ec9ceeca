#include "engine/prune_remove.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "engine/publish_index.h"
#include "os/lock.h"
#include "os/time.h"

#include <stdlib.h>
#include <string.h>

enum {
    AT_ONCE = 128,      /* entries for which the lock is held */
    PATIENCE_MS = 5000, /* for the lock, each time */
    PAUSE_MS = 1,       /* between two times, for those who wait for it */
    HEAL_MS = 2000
};

#define AT_ONCE_BYTES ((uint64_t)32 << 20) /* a large file takes the file system a while */

struct removing {
    const struct publish_root *root;
    struct jw_warm_log *log;
    struct prune_removed *out;
    struct jw_file index; /* closed: there is none, and then there is nothing to lock */
};

/* One holding of the lock. */
struct turn {
    struct removing *r;
    struct prune_victim *v;
    size_t n;
    bool goes[AT_ONCE];
    struct jw_cache_index index;
    size_t size, end, first; /* of the file; of its records; the first one that goes */
};

/* ---- is it still what was planned? ---- */

/* Something in the way is told, and costs this entry alone. */
static void refuse(struct prune_removed *out, const struct jw_err *why)
{
    if (!out->refused++)
        out->why = *why;
}

static bool stat_entry(const struct publish_root *root, uint64_t name, struct jw_tree *home,
                       struct jw_file_info *info, struct jw_err *err)
{
    bool found = false;

    *info = (struct jw_file_info){ .kind = JW_FILE_NONE };
    return publish_enter(root, name, false, home, &found, err)
           && (!found || jw_tree_stat(home, jw_cache_name(name).text + 4, info, err));
}

static bool as_planned(const struct prune_victim *v, const struct jw_file_info *info)
{
    if (v->absent)
        return info->kind == JW_FILE_NONE;
    return info->kind == JW_FILE_REGULAR && info->size == v->size && info->mtime == v->mtime;
}

/* False only without memory. */
static bool confirm(struct turn *t, size_t i, struct jw_err *err)
{
    struct jw_tree home = JW_TREE_CLOSED;
    struct jw_file_info info;
    struct jw_err why = { 0 };
    bool ok = stat_entry(t->r->root, t->v[i].name, &home, &info, &why);

    jw_tree_close(&home);
    t->goes[i] = ok && as_planned(&t->v[i], &info);
    if (ok && !t->goes[i])
        t->r->out->changed++;
    if (ok || why.code != JW_E_NOMEM) {
        if (!ok)
            refuse(t->r->out, &why);
        return true;
    }
    *err = why;
    return false;
}

/* ---- the index ---- */

static int by_name(const void *a, const void *b)
{
    const struct prune_victim *x = a, *y = b;

    return x->name < y->name ? -1 : x->name > y->name;
}

static bool goes(const struct turn *t, uint64_t hash)
{
    struct prune_victim key = { .name = hash };
    const struct prune_victim *hit = bsearch(&key, t->v, t->n, sizeof key, by_name);

    return hit && t->goes[hit - t->v];
}

/* In memory. */
static void strike(struct turn *t)
{
    struct jw_cache_record *list = t->index.list;
    size_t kept = 0;

    t->first = t->index.n;
    for (size_t i = 0; i < t->index.n; i++) {
        if (goes(t, list[i].hash)) {
            t->first = t->first < i ? t->first : i;
            t->index.total -= list[i].size;
        } else
            list[kept++] = list[i];
    }
    t->r->out->records += t->index.n - kept;
    t->index.n = kept;
}

static bool serialise(const struct turn *t, size_t n, struct jw_buf *out, struct jw_err *err)
{
    struct jw_cache_index first = { .list = t->index.list, .n = n };

    *out = JW_BUF(JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * JW_MAX_CACHE_RECORDS);
    return jw_cache_index_write(&first, out, err);
}

static bool write_header(struct turn *t, size_t n, struct jw_err *err)
{
    struct jw_buf bytes;
    bool ok =
        serialise(t, n, &bytes, err) && jw_file_write(&t->r->index, 0, bytes.p, JW_CACHE_INDEX_HEADER, err);

    jw_buf_free(&bytes);
    return ok;
}

/* Those behind the first one that goes, in their new places. A record of nothing, set aside, tells the next one at least
 * that the rest is still to be cut. */
static bool move_forward(struct turn *t, struct jw_err *err)
{
    static const uint8_t nothing[JW_CACHE_RECORD];
    size_t at = JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * t->first;
    struct jw_buf bytes;
    bool ok = serialise(t, t->index.n, &bytes, err), any = ok && bytes.n > at;

    ok = ok
         && jw_warm_set_aside(t->r->log, any ? bytes.p + at : nothing, any ? bytes.n - at : sizeof nothing,
                              err)
         && write_header(t, t->first, err)
         && (!any
             || (jw_file_write(&t->r->index, at, bytes.p + at, bytes.n - at, err)
                 && jw_file_write(&t->r->index, 0, bytes.p, JW_CACHE_INDEX_HEADER, err)));
    jw_buf_free(&bytes);
    return ok;
}

static bool rewrite(struct turn *t, struct jw_err *err)
{
    size_t were = t->index.n;

    strike(t);
    return t->index.n == were
           || (move_forward(t, err)
               && jw_file_cut(&t->r->index, JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * t->index.n, err)
               && jw_warm_set_aside(t->r->log, NULL, 0, err));
}

/* ---- the files ---- */

static void remove_file(struct turn *t, struct prune_victim *v)
{
    struct jw_tree home = JW_TREE_CLOSED;
    struct jw_err why = { 0 };
    bool found = false;

    if (!v->absent && publish_enter(t->r->root, v->name, false, &home, &found, &why)
        && (!found || jw_tree_remove(&home, jw_cache_name(v->name).text + 4, &why))) {
        v->gone = true;
        t->r->out->files++;
        t->r->out->bytes += v->size;
    } else if (v->absent)
        v->gone = true;
    else
        refuse(t->r->out, &why);
    jw_tree_close(&home);
}

/* With the lock, or without one where there is no index. */
static bool take_out(struct turn *t, struct jw_err *err)
{
    for (size_t i = 0; i < t->n; i++)
        if (!confirm(t, i, err))
            return false;
    if (t->size && !rewrite(t, err))
        return jw_wrap(err, "%s/index", t->r->root->path);
    for (size_t i = 0; i < t->n; i++)
        if (t->goes[i])
            remove_file(t, &t->v[i]);
    return true;
}

/* ---- the lock ---- */

static bool held(struct turn *t, bool *current, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (!publish_index_current(t->r->root, &t->r->index, current, err))
        return false;
    if (!*current)
        return true;
    if (publish_index_read(&t->r->index, &t->index, &t->size, &t->end, &why))
        return take_out(t, err);
    if (why.code != JW_E_FORMAT && why.code != JW_E_LIMIT) {
        *err = why;
        return false;
    }
    t->r->out->locked = "the index is damaged";
    return true;
}

static bool take_turn(struct turn *t, bool *current, struct jw_err *err)
{
    struct prune_removed *out = t->r->out;
    struct jw_err ignored;
    bool taken = false;

    if (!jw_filelock_take(t->r->index.handle, true, PATIENCE_MS, &taken, err))
        return false;
    if (!taken) {
        out->locked = "the index is locked by another program";
        return true;
    }

    uint64_t since = jw_time_monotonic_ns();
    bool ok = held(t, current, err);

    ok = jw_filelock_drop(t->r->index.handle, ok ? err : &ignored) && ok;

    uint64_t ns = jw_time_monotonic_ns() - since;

    out->locks++;
    if (ns > out->longest_lock_ns)
        out->longest_lock_ns = ns;
    jw_cache_index_free(&t->index);
    return ok;
}

static bool open_index(struct removing *r, bool *found, struct jw_err *err)
{
    jw_file_close(&r->index);
    return jw_tree_open_file(&r->root->tree, "index", JW_TREE_CHANGE, &r->index, found, err)
           || jw_wrap(err, "%s/index", r->root->path);
}

/* So many of the list at once. */
static size_t batch(const struct prune_victim *v, size_t n)
{
    uint64_t bytes = 0;
    size_t k = 0;

    while (k < n && k < AT_ONCE && (k == 0 || bytes + v[k].size <= AT_ONCE_BYTES))
        bytes += v[k++].size;
    return k;
}

static bool remove_some(struct removing *r, struct prune_victim *v, size_t n, bool *current,
                        struct jw_err *err)
{
    struct turn t = { .r = r, .v = v, .n = n };

    *current = true;
    if (r->index.handle == -1)
        return take_out(&t, err);
    return take_turn(&t, current, err) || jw_wrap(err, "%s", r->root->path);
}

bool prune_remove(const struct publish_root *root, struct jw_warm_log *log, struct prune_victim *v, size_t n,
                  const atomic_bool *interrupted, struct prune_removed *out, struct jw_err *err)
{
    struct removing r = { .root = root, .log = log, .out = out, .index = JW_FILE_CLOSED };
    bool found, current = true, ok = open_index(&r, &found, err);

    *out = (struct prune_removed){ 0 };
    for (size_t at = 0, k; ok && at < n && !out->locked; at += current ? k : 0) {
        k = batch(v + at, n - at);
        if (interrupted && atomic_load(interrupted))
            ok = jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        else
            ok = (current || open_index(&r, &found, err)) && remove_some(&r, v + at, k, &current, err);
        if (ok && r.index.handle != -1)
            jw_time_sleep_ms(PAUSE_MS);
    }
    if (r.index.handle != -1 && out->records) {
        struct jw_err ignored;

        (void)!jw_file_sync(&r.index, &ignored);
    }
    jw_file_close(&r.index);
    return ok;
}

/* ---- what was not finished ---- */

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

bool prune_heal(const char *path, bool trusted, struct jw_warm_log *log, struct jw_err *err)
{
    struct publish_root root = { .path = path, .tree = JW_TREE_CLOSED, .trusted = trusted };
    struct jw_buf bytes = JW_BUF(JW_CACHE_RECORD * JW_MAX_CACHE_RECORDS);
    struct publish_queue q = { 0 };
    struct publish_waits waits = { 0 };
    struct jw_pub_stats stats = { 0 };
    struct jw_file_info info = { .kind = JW_FILE_NONE };
    bool ok = jw_warm_aside(log, &bytes, err) && (!bytes.n || jw_file_stat(path, &info, err));

    if (ok && bytes.n && info.kind == JW_FILE_NONE) /* the cache was removed */
        ok = jw_warm_set_aside(log, NULL, 0, err);
    else if (ok && bytes.n)
        ok = jw_tree_open(&root.tree, path, err) && (trusted || publish_ours(&root.tree, err))
             && queue_all(jw_buf_bytes(&bytes), &q, err)
             && publish_index(&root, &q, HEAL_MS, &stats, &waits, err)
             && (!q.n || jw_fail(err, JW_E_IO, "%s", waits.why.msg)) && jw_warm_set_aside(log, NULL, 0, err);
    jw_tree_close(&root.tree);
    publish_queue_free(&q);
    jw_buf_free(&bytes);
    return ok;
}
