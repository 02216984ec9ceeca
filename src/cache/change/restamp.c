#include "cache/change/restamp.h"

#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "cache/change/prune_remove.h"
#include "cache/change/publish.h"

#include <string.h>

enum { BATCH = 64, BATCH_BYTES = 32 << 20 };

struct adding {
    const struct restamp_cache *to;
    struct jw_publisher *publisher;
    struct jw_publish_entry list[BATCH]; /* that are published next */
    struct restamp_entry *of[BATCH];
    size_t n;
    uint64_t bytes;
};

bool restamp_read(const char *cache, const struct jw_cache_file *old, const char *stamp,
                  struct jw_buf *out)
{
    struct jw_arena a = {0};
    bool found = false;
    bool whole = jw_file_slurp(jw_cache_entry_path(cache, old->name, &a), out, &found, JW_IGNORED)
                 && found && out->n == old->size && out->n > JW_CACHE_HEADER + JW_CACHE_STAMP;

    jw_arena_free(&a);
    if (whole)
        memcpy(out->p + JW_CACHE_HEADER, stamp, JW_CACHE_STAMP);
    return whole;
}

static bool remove_old(struct adding *d, struct jw_err *err)
{
    struct publish_folder folder = {.path = d->to->folder, .open = JW_FOLDER_CLOSED};
    struct prune_victim victims[BATCH];
    struct prune_removed removed = {0};
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        if (d->of[i]->goes && d->of[i]->added)
            victims[n++] = (struct prune_victim){d->of[i]->old->name, d->of[i]->old, false};
    if (!n)
        return true;
    jw_sort_u64(victims, n, sizeof *victims);
    /* Only what has its record by now may replace another. */
    bool ok = jw_publisher_flush(d->publisher, JW_PUBLISH_PATIENCE_MS, d->to->run->interrupted, err)
              && jw_folder_open(&folder.open, folder.path, err)
              && prune_remove(&folder, victims, n, d->to->run->interrupted, &removed, err);

    jw_folder_close(&folder.open);
    return ok;
}

/* The publisher checks each file: the name must be that of its key, and the code have its hash. */
static bool publish_batch(struct adding *d, struct jw_err *err)
{
    bool ok = jw_publisher_add(d->publisher, d->list, d->n, d->to->run->a, err);

    for (size_t i = 0; i < d->n; i++)
        d->of[i]->added = d->list[i].reached && d->list[i].result != JW_PUBLISH_REFUSED;
    ok = ok && remove_old(d, err) && jw_not_interrupted(d->to->run->interrupted, err);
    d->n = 0;
    d->bytes = 0;
    return ok;
}

static bool write_one(struct adding *d, struct restamp_entry *e, struct jw_err *err)
{
    const struct restamp_cache *to = d->to;
    struct jw_buf bytes = JW_BUF((size_t)e->old->size + 1);
    const char *name = jw_arena_printf(to->run->a, "%016llx", (unsigned long long)e->name);
    const char *path = jw_path_join(to->run->a, to->work, name);
    bool read = restamp_read(to->folder, e->old, to->stamp, &bytes);
    bool ok = !read || jw_file_put(path, JW_OUT_NEW | JW_OUT_FAST, jw_buf_bytes(&bytes), err);

    if (ok && read) {
        d->of[d->n] = e;
        d->list[d->n++] = (struct jw_publish_entry){.name = e->name, .from = path};
        d->bytes += bytes.n;
    }
    jw_buf_free(&bytes);
    return ok || jw_wrap(err, "%s", path);
}

static bool is_full(const struct adding *d, const struct restamp_entry *next)
{
    uint64_t most = next->goes ? jw_min(d->to->spare, BATCH_BYTES) : BATCH_BYTES;

    return d->n == BATCH || (d->n && d->bytes + next->old->size > most);
}

bool restamp_add(const struct restamp_cache *to, struct restamp_entry *list, size_t n,
                 struct jw_err *err)
{
    struct adding d = {.to = to};
    bool ok = jw_publisher_open(&d.publisher, to->folder, err);

    for (size_t i = 0; ok && i < n; i++) {
        jw_run_show(to->run, "carrying entries over", i, n);
        ok = (!is_full(&d, &list[i]) || publish_batch(&d, err)) && write_one(&d, &list[i], err);
    }
    ok = ok && publish_batch(&d, err)
         && jw_publisher_flush(d.publisher, JW_PUBLISH_PATIENCE_MS, to->run->interrupted, err);
    jw_publisher_close(d.publisher);
    return ok;
}
