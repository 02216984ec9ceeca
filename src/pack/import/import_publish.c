/* Publishes the unpacked entries into the cache, and records which software each belongs to. */
#include "pack/import/import_work.h"

#include "base/sort.h"
#include "machine/trust.h"

enum { BATCH = 4096, FLUSH_MS = 10 * 1000 };

/* A module of the software here, by the name of its entry. */
struct here {
    uint64_t name;
    const struct jw_job *job;
};

struct publishing {
    struct import *im;
    struct jw_publisher *publisher;
    struct jw_import_entry **queue; /* in the order in which they go in */
    size_t n;
    struct here *here; /* by name */
    size_t n_here;
};

/* The driver evicts the oldest record first, so entries that are cheap to compile again go first. driver-fact:
 * F56-fifo */
static int by_cost(const void *a, const void *b)
{
    const struct jw_pack_entry *x = (*(struct jw_import_entry *const *)a)->of,
                               *y = (*(struct jw_import_entry *const *)b)->of;

    if (x->key_bytes != y->key_bytes)
        return x->key_bytes < y->key_bytes ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static void make_queue(struct publishing *x)
{
    struct jw_import_report *r = x->im->out;

    x->queue = jw_arena_alloc(x->im->run->a, (r->n_entries + 1) * sizeof *x->queue);
    for (size_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].state == JW_IMPORT_NEW)
            x->queue[x->n++] = &r->entries[i];
    jw_sort(x->queue, x->n, sizeof *x->queue, by_cost);
}

/* ---- into the cache ---- */

static void set_state(struct jw_import_entry *e, const struct jw_pub_entry *done)
{
    if (done->result != JW_PUB_REFUSED)
        e->state = JW_IMPORT_IMPORTED;
    else if (done->reached) {
        e->state = JW_IMPORT_REJECTED;
        e->why = done->why;
    }
}

static void find_software(struct publishing *x)
{
    const struct scan_jobs *found = &x->im->ctx.software.found;

    x->here = jw_arena_alloc(x->im->run->a, (found->n + 1) * sizeof *x->here);
    for (size_t i = 0; i < found->n; i++)
        if (found->list[i].name && found->list[i].sm == x->im->manifest->sm)
            x->here[x->n_here++] = (struct here){ found->list[i].name, &found->list[i] };
    jw_sort_u64(x->here, x->n_here, sizeof *x->here);
}

static struct jw_warm_module recall_entry(const struct publishing *x, const struct jw_import_entry *e)
{
    const struct here *here = jw_find_u64(x->here, x->n_here, sizeof *here, e->of->name);
    uint8_t id[32];

    jw_warm_id_of_name(id, e->of->name);
    return jw_warm_recall(x->im->ctx.cache.log, here ? here->job->id : id, x->im->manifest->sm,
                          prime_build(&x->im->ctx.driver));
}

/* Before it is published: that the entry came in this pack, by the hash of its payload. */
static bool record_import(const struct publishing *x, const struct jw_import_entry *e, struct jw_err *err)
{
    struct jw_warm_module m = recall_entry(x, e);

    m.name = e->of->name;
    m.imported = true;
    m.payload = x->im->payloads[e - x->im->out->entries];
    return prime_remember(&x->im->ctx, &m, err);
}

static bool publish_batch(struct publishing *x, size_t from, size_t n, struct jw_err *err)
{
    struct import *im = x->im;
    struct jw_pub_entry *list = jw_arena_alloc(im->run->a, n * sizeof *list);
    bool recorded = false;

    for (size_t i = 0; i < n; i++) {
        const struct jw_import_entry *e = x->queue[from + i];

        list[i] = (struct jw_pub_entry){ .name = e->of->name,
                                         .from = import_staged(im, e->of->name),
                                         .checked = true,
                                         .synced = im->synced,
                                         .size = e->bytes };
        if (import_trusted(im))
            continue;
        recorded = true;
        if (!record_import(x, e, err))
            return false;
    }
    bool ok = (!recorded || jw_warm_sync(im->ctx.cache.log, err))
              && jw_publisher_add(x->publisher, list, n, im->run->a, err);

    for (size_t i = 0; i < n; i++)
        set_state(x->queue[from + i], &list[i]);
    return ok;
}

static bool publish_all(struct publishing *x, struct jw_err *err)
{
    for (size_t at = 0; at < x->n; at += BATCH) {
        jw_run_show(x->im->run, "putting entries into the cache", at, x->n);
        if (!jw_not_interrupted(x->im->run->interrupted, err))
            return false;
        if (!publish_batch(x, at, x->n - at < BATCH ? x->n - at : BATCH, err))
            return false;
    }
    return true;
}

/* The driver does not find entries that are missing from the index. */
static void flush_records(struct publishing *x)
{
    struct import *im = x->im;
    struct jw_err why = { 0 };

    if (jw_publisher_flush(x->publisher, FLUSH_MS, im->run->interrupted, &why))
        return;
    im->out->records = jw_publisher_stats(x->publisher)->pending;
    JW_NOTE(im->run,
            "the driver may not find the last entries, because the cache's index could not be written: %s",
            why.msg);
}

/* Ends the run if other users can write to the cache. */
static bool open_publisher(struct publishing *x)
{
    const char *cache = x->im->ctx.cache.folder;
    struct jw_err why = { 0 };

    if ((jw_trust_make(cache, &why) || jw_wrap(&why, "%s", cache))
        && jw_publisher_open(&x->publisher, cache, &why))
        return true;
    return import_end(x->im, JW_END_CANNOT_WRITE, "%s", why.msg);
}

/* ---- records ---- */

/* Records a published entry: the name of its software, and the module, if that is here. If the log is full,
 * only this record is lost. */
static bool record_entry(const struct publishing *x, const struct jw_import_entry *e, struct jw_err *err)
{
    const struct here *here = jw_find_u64(x->here, x->n_here, sizeof *here, e->of->name);
    struct jw_warm_module m = recall_entry(x, e);
    struct jw_err why = { 0 };

    if (!here && !e->origin)
        return true;
    m.name = e->of->name;
    m.origin = e->origin ? e->origin : m.origin;
    if (here) {
        m.compiled = true;
        m.bytes = import_bytes(e->of);
        m.ptx_bytes = here->job->module.ptx_bytes;
    }
    if (prime_remember(&x->im->ctx, &m, &why) || why.code == JW_E_LIMIT)
        return true;
    *err = why;
    return false;
}

static bool record_entries(const struct publishing *x, struct jw_err *err)
{
    const struct jw_import_report *r = x->im->out;
    bool ok = true;

    for (size_t i = 0; ok && i < r->n_entries; i++)
        ok = r->entries[i].state != JW_IMPORT_IMPORTED || record_entry(x, &r->entries[i], err);
    return ok && jw_warm_sync(x->im->ctx.cache.log, err);
}

bool import_publish(struct import *im, struct jw_err *err)
{
    struct publishing x = { .im = im };

    if (!im->out->counts[JW_IMPORT_NEW])
        return true;
    if (!open_publisher(&x) || im->run->ended)
        return im->run->ended;
    make_queue(&x);
    find_software(&x);
    bool ok = publish_all(&x, err);

    if (ok)
        flush_records(&x);
    jw_publisher_close(x.publisher);
    import_count(im->out);
    if (!im->out->counts[JW_IMPORT_IMPORTED])
        return ok;
    if (!ok) { /* some entries were published */
        struct jw_err ignored = { 0 };

        (void)record_entries(&x, &ignored);
        return false;
    }
    return record_entries(&x, err);
}
