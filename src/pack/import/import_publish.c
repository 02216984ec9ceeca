/* Publishes the unpacked entries into the cache, and records which software each belongs to. */
#include "pack/import/import_work.h"

#include "base/mem.h"
#include "base/path.h"
#include "machine/trust.h"
#include "os/machine/time.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096, FLUSH_MS = 10 * 1000 };

struct publishing {
    struct import *im;
    struct jw_publisher *publisher;
    struct jw_import_entry **queue; /* in the order in which they go in */
    size_t n;
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
    if (x->n)
        qsort(x->queue, x->n, sizeof *x->queue, by_cost);
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

/* Records where the entry is from, by the hash of its payload. Called before it is published. */
static bool record_imported(struct import *im, const struct jw_import_entry *e, struct jw_err *err)
{
    struct jw_warm_imported m = { .name = e->of->name,
                                  .bytes = e->bytes,
                                  .payload = im->payloads[e - im->out->entries],
                                  .build = prime_build(&im->ctx.driver),
                                  .when = jw_time_unix() };

    return jw_warm_add(im->ctx.cache.log, &(struct jw_warm_fact){ JW_WARM_IMPORTED, .as.imported = m }, err);
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
        if (!record_imported(im, e, err))
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
        if (prime_interrupted(x->im->run))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
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
    const char *root = x->im->ctx.cache.root;
    struct jw_err why = { 0 };

    if ((jw_trust_make(root, &why) || jw_wrap(&why, "%s", root))
        && jw_publisher_open(&x->publisher, root, &why))
        return true;
    return import_end(x->im, JW_END_CANNOT_WRITE, "%s", why.msg);
}

/* ---- records ---- */

/* By the name of the software, as prime records it. */
static bool record_origins(struct import *im, struct jw_err *err)
{
    const struct jw_import_report *r = im->out;
    struct prime_owned *list = jw_arena_alloc(im->run->a, (r->n_entries + 1) * sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < r->n_entries; i++) {
        const struct jw_import_entry *e = &r->entries[i];
        const char *known = jw_warm_origin(im->ctx.cache.memory, e->of->name);

        if (e->state == JW_IMPORT_IMPORTED && e->origin && !(known && strcmp(known, e->origin) == 0))
            list[n++] = (struct prime_owned){ e->origin, e->of->name };
    }
    return prime_remember_origins(im->run->a, &im->ctx, list, n, err);
}

static bool record_jobs(struct import *im, struct jw_err *err)
{
    const struct scan_jobs *t = &im->ctx.software.found;
    const char *build = prime_build(&im->ctx.driver);
    bool ok = true;

    for (size_t i = 0; ok && i < im->out->n_entries; i++) {
        const struct jw_import_entry *e = &im->out->entries[i];

        for (size_t k = 0; e->state == JW_IMPORT_IMPORTED && ok && k < t->n; k++) {
            if (t->list[k].name != e->of->name || t->list[k].sm != im->manifest->sm)
                continue;
            struct jw_warm_job w = { .build = build,
                                     .sm = im->manifest->sm,
                                     .name = e->of->name,
                                     .bytes = import_bytes(e->of),
                                     .ptx_bytes = t->list[k].module.ptx_bytes };

            memcpy(w.id, t->list[k].id, sizeof w.id);
            ok = jw_warm_add(im->ctx.cache.log, &(struct jw_warm_fact){ JW_WARM_JOB, .as.job = w }, err);
            break;
        }
    }
    return ok;
}

bool import_publish(struct import *im, struct jw_err *err)
{
    struct publishing x = { .im = im };

    if (!im->out->counts[JW_IMPORT_NEW])
        return true;
    if (!open_publisher(&x) || im->run->ended)
        return im->run->ended;
    make_queue(&x);
    bool ok = publish_all(&x, err);

    if (ok)
        flush_records(&x);
    jw_publisher_close(x.publisher);
    import_count(im->out);
    if (!im->out->counts[JW_IMPORT_IMPORTED])
        return ok;
    if (!ok) { /* some entries were published */
        struct jw_err ignored = { 0 };

        (void)record_origins(im, &ignored);
        return false;
    }
    return record_origins(im, err) && record_jobs(im, err) && jw_warm_sync(im->ctx.cache.log, err);
}
