#include "pack/file/frames.h"

#include "base/mem.h"
#include "base/num.h"
#include "machine/run.h"

void frames_split(struct frames *f, const struct jw_pack_manifest *m)
{
    f->v = jw_pack_split_frames(m->entries, m->n_entries, &f->n);
    for (size_t i = 0; i < f->n; i++) {
        f->largest = (size_t)jw_max(f->largest, f->v[i].bytes);
        f->total += f->v[i].bytes;
    }
}

/* False: there is none, or another thread failed. */
static bool claim(struct frames *f, struct frame *k)
{
    jw_lock_take(f->lock);
    bool go = !f->stop && f->next < f->n;

    if (go)
        k->at = f->next++;
    jw_lock_drop(f->lock);
    return go;
}

/* False: another thread failed. */
static bool wait_for_order(struct frames *f, const struct frame *k)
{
    bool go;

    jw_lock_take(f->lock);
    while (!f->stop && f->done != k->at)
        jw_lock_wait(f->lock, 0);
    go = !f->stop;
    jw_lock_drop(f->lock);
    return go;
}

static void note(struct frames *f, const struct frame *k, bool ok, const struct jw_err *err)
{
    jw_lock_take(f->lock);
    if (!ok && !f->stop) {
        f->err = *err;
        f->stop = true;
    } else if (!f->stop) {
        f->done++;
        f->bytes += f->v[k->at].bytes;
        jw_run_show(f->run, f->what, f->bytes, f->total);
    }
    jw_lock_wake_all(f->lock);
    jw_lock_drop(f->lock);
}

static void work(void *ctx, unsigned number)
{
    struct frames *f = ctx;
    /* Written before they are read: zeros in them would cost as much as a tenth of the
     * unpacking. */
    struct frame k = {.tar = jw_realloc(NULL, f->largest), .packed = jw_realloc(NULL, f->packed)};
    struct jw_err err = {0};
    bool ok = true;

    (void)number;
    while (ok && claim(f, &k)) {
        ok = f->work(f->ctx, &k, &err)
             && (!f->put || (wait_for_order(f, &k) && f->put(f->ctx, &k, &err)));
        note(f, &k, ok, &err);
    }
    jw_free(k.tar);
    jw_free(k.packed);
}

bool frames_run(struct frames *f, struct jw_err *err)
{
    uint64_t fit = f->memory / (f->largest + f->packed + f->more);

    f->lock = jw_lock_new();
    jw_parallel((unsigned)jw_max(1, jw_min(jw_min(f->threads, f->n), fit)), work, f);
    jw_lock_free(f->lock);
    return !f->stop || jw_pass(err, f->err);
}
