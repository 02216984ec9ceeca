#include "cache/change/restamp.h"

#include "base/mem.h"
#include "base/sort.h"
#include "cache/change/prune_remove.h"
#include "cache/change/publish.h"

#include <string.h>

uint64_t restamp_name(struct jw_bytes key, const char *stamp)
{
    uint64_t name = jw_fnv1a(JW_FNV_START, stamp, JW_CACHE_STAMP);

    return jw_fnv1a(name, key.p + JW_CACHE_STAMP, key.n - JW_CACHE_STAMP);
}

bool restamp_read_key(const char *cache, const struct jw_cache_file *old, const char *stamp,
                      struct restamp_key *out)
{
    struct jw_arena a = {0};
    size_t n = (size_t)old->entry.key_size;
    uint8_t *bytes = jw_alloc(n);
    const struct jw_bytes key = {bytes, n};
    struct jw_cache_key parts = {.kind = JW_CACHE_OTHER};
    const char *path = jw_cache_entry_path(cache, old->name, &a);

    if (jw_file_read_part(path, JW_CACHE_HEADER, bytes, n, JW_IGNORED))
        jw_cache_key_read(key, n, &parts);
    if (parts.kind == JW_CACHE_CUDA) {
        out->name = restamp_name(key, stamp);
        out->sm = parts.sm;
        jw_digest(out->text, parts.input.p, parts.input.n);
    }
    jw_free(bytes);
    jw_arena_free(&a);
    return parts.kind == JW_CACHE_CUDA;
}

struct adding {
    const struct restamp_cache *to;
    struct jw_publisher *publisher;
    struct jw_folder work;
};

bool restamp_read(const char *cache, const struct restamp_entry *e, const char *stamp,
                  struct jw_buf *out)
{
    struct jw_arena a = {0};
    const char *path = jw_cache_entry_path(cache, e->old->name, &a);
    bool found = false;
    size_t bad;
    bool read = jw_file_slurp(path, out, &found, JW_IGNORED) && found
                && out->n > JW_CACHE_HEADER + JW_CACHE_STAMP;

    jw_arena_free(&a);
    if (!read)
        return false;
    memcpy(out->p + JW_CACHE_HEADER, stamp, JW_CACHE_STAMP);
    struct jw_cache_checked whole = {.file = jw_buf_bytes(out), .name = e->name};

    return jw_cache_entries_check(&whole, 1, &bad, JW_IGNORED);
}

/* Writes the new entries beside the cache; `added`: it is there. */
static bool stage(struct adding *d, struct restamp_entry *list, size_t n, struct jw_err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < n; i++) {
        struct jw_buf bytes = JW_BUF((size_t)list[i].old->size + 1);

        jw_run_show(d->to->run, "carrying entries over", i, n);
        list[i].added = restamp_read(d->to->folder, &list[i], d->to->stamp, &bytes);
        if (list[i].added)
            ok = jw_stage_entry(&d->work, list[i].name, jw_buf_bytes(&bytes), err)
                 || jw_wrap(err, "%s", d->to->work);
        ok = ok && jw_not_interrupted(d->to->run->interrupted, err);
        jw_buf_free(&bytes);
    }
    return ok;
}

static bool publish(struct adding *d, struct restamp_entry *list, size_t n, struct jw_err *err)
{
    struct jw_arena *a = d->to->run->a;
    struct jw_publish_entry *staged = jw_arena_alloc(a, (n + 1) * sizeof *staged);
    struct restamp_entry **of = jw_arena_alloc(a, (n + 1) * sizeof(void *));
    bool synced = false;
    size_t n_staged = 0;

    for (size_t i = 0; i < n; i++)
        if (list[i].added)
            of[n_staged++] = &list[i];
    bool ok = jw_stage_sync(&d->work, n_staged, &synced, err);

    for (size_t i = 0; i < n_staged; i++)
        staged[i] = (struct jw_publish_entry){.name = of[i]->name,
                                              .from = jw_staged_path(d->to->work, of[i]->name, a),
                                              .checked = true,
                                              .synced = synced,
                                              .size = of[i]->old->size - JW_CACHE_HEADER};
    ok = ok && jw_publisher_add(d->publisher, staged, n_staged, a, err);
    for (size_t i = 0; i < n_staged; i++)
        of[i]->added = staged[i].reached && staged[i].result != JW_PUBLISH_REFUSED;
    return ok;
}

/* Only what has its record by now may replace another. */
static bool remove_old(struct adding *d, const struct restamp_entry *list, size_t n,
                       struct jw_err *err)
{
    struct publish_folder folder = {.path = d->to->folder, .open = JW_FOLDER_CLOSED};
    struct prune_victim *victims = jw_arena_alloc(d->to->run->a, (n + 1) * sizeof *victims);
    struct prune_removed removed = {0};
    size_t n_victims = 0;

    for (size_t i = 0; i < n; i++)
        if (list[i].goes && list[i].added)
            victims[n_victims++] = (struct prune_victim){list[i].old->name, list[i].old, false};
    if (!n_victims)
        return true;
    jw_sort_u64(victims, n_victims, sizeof *victims);
    bool ok = jw_publisher_flush(d->publisher, JW_PUBLISH_PATIENCE_MS, d->to->run->interrupted, err)
              && jw_folder_open(&folder.open, folder.path, err)
              && prune_remove(&folder, victims, n_victims, d->to->run->interrupted, &removed, err);

    jw_folder_close(&folder.open);
    return ok;
}

/* How many of these are published together: all that have room beside the old ones, else as many as
 * have room before the old ones go. */
static size_t count_batch(const struct restamp_cache *to, const struct restamp_entry *list,
                          size_t n)
{
    uint64_t bytes = 0;
    size_t count = 0;

    while (count < n && list[count].goes == list->goes) {
        bytes += list[count].old->size;
        if (list->goes && count && bytes > to->spare)
            break;
        count++;
    }
    return count;
}

static bool add_all(struct adding *d, struct restamp_entry *list, size_t n, struct jw_err *err)
{
    size_t batch;

    for (size_t at = 0; at < n; at += batch) {
        batch = count_batch(d->to, list + at, n - at);
        if (!stage(d, list + at, batch, err) || !publish(d, list + at, batch, err)
            || !remove_old(d, list + at, batch, err))
            return false;
    }
    return true;
}

bool restamp_add(const struct restamp_cache *to, struct restamp_entry *list, size_t n,
                 struct jw_err *err)
{
    struct adding d = {.to = to, .work = JW_FOLDER_CLOSED};
    bool ok = jw_publisher_open(&d.publisher, to->folder, err)
              && jw_folder_open(&d.work, to->work, err) && add_all(&d, list, n, err)
              && jw_publisher_flush(d.publisher, JW_PUBLISH_PATIENCE_MS, to->run->interrupted, err);

    jw_folder_close(&d.work);
    jw_publisher_close(d.publisher);
    return ok;
}
