#include "pack/file/pack_digest.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "cache/format/jitcache.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "pack/format/tar.h"

bool jw_pack_interrupted(const struct jw_pack_write_options *o, struct jw_err *err)
{
    return o->interrupted && atomic_load(o->interrupted) && !jw_fail(err, JW_E_INTERRUPTED, "interrupted");
}

/* A whole entry, in memory that is kept for the next one: fresh memory for each would cost more than its reading. */
struct reader {
    struct jw_pack_source from;
    const struct jw_pack_write_options *o;
    uint8_t *p;
    size_t room;
};

static bool read_entry(struct reader *r, const struct jw_pack_entry *e, size_t i, struct jw_bytes *file,
                       struct jw_cache_entry *found, struct jw_err *err)
{
    size_t n = (size_t)jw_pack_entry_bytes(e);

    if (jw_pack_interrupted(r->o, err))
        return false;
    jw_room(&r->p, &r->room, n);
    if (!r->from.read(r->from.ctx, i, r->p, n, err))
        return jw_wrap(err, "%s", jw_cache_name(e->name).text);
    *file = (struct jw_bytes){ r->p, n };
    return jw_cache_entry_read(*file, n, found, err) || jw_wrap(err, "%s", jw_cache_name(e->name).text);
}

/* ---- of the entries ---- */

struct run {
    struct jw_pack_entry *entries;
    uint64_t *sums;
    size_t n;
    struct jw_pack_source from;
    const struct jw_pack_write_options *o;
    uint64_t total;
    struct jw_lock *lock;
    /* Under the lock: */
    size_t next;
    uint64_t done;
    bool stop;
    struct jw_err err;
};

static bool claim(struct run *r, size_t *i)
{
    bool go;

    jw_lock_take(r->lock);
    go = !r->stop && r->next < r->n;
    if (go)
        *i = r->next++;
    jw_lock_drop(r->lock);
    return go;
}

static void settle(struct run *r, uint64_t bytes, bool ok, const struct jw_err *err)
{
    jw_lock_take(r->lock);
    r->done += bytes;
    if (!ok && !r->stop)
        r->err = *err;
    r->stop |= !ok;
    if (ok && r->o->progress)
        r->o->progress(r->o->ctx, r->done / 2, r->total); /* the other half is their packing */
    jw_lock_drop(r->lock);
}

static void work(void *ctx, unsigned thread)
{
    struct run *r = ctx;
    struct reader reader = { .from = r->from, .o = r->o };
    struct jw_cache_entry found;
    struct jw_bytes file;
    struct jw_err err = { 0 };

    (void)thread;
    for (size_t i; claim(r, &i);) {
        bool ok = read_entry(&reader, &r->entries[i], i, &file, &found, &err);

        if (ok) {
            jw_digest(r->entries[i].digest, file.p, file.n);
            r->sums[i] = found.payload_hash;
        }
        settle(r, jw_tar_span(jw_pack_entry_bytes(&r->entries[i])), ok, &err);
    }
    jw_free(reader.p);
}

bool jw_pack_digest_entries(struct jw_pack_entry *entries, uint64_t *sums, size_t n,
                            struct jw_pack_source from, const struct jw_pack_write_options *o,
                            struct jw_err *err)
{
    struct run r = { .entries = entries, .sums = sums, .n = n, .from = from, .o = o, .total = JW_TAR_END };

    for (size_t i = 0; i < n; i++)
        r.total += jw_tar_span(jw_pack_entry_bytes(&entries[i]));
    r.lock = jw_lock_new();
    jw_parallel((unsigned)jw_min(n, jw_pack_threads(o)), work, &r);
    jw_lock_free(r.lock);
    if (r.stop)
        *err = r.err;
    return !r.stop;
}

/* ---- of the tar ---- */

struct taking {
    struct jw_digest_state digest;
    uint64_t bytes;
};

static bool put(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct taking *t = ctx;

    (void)err;
    jw_digest_update(&t->digest, p, n);
    t->bytes += n;
    return true;
}

bool jw_pack_is_the_same(const struct jw_cache_entry *found, uint64_t sum, struct jw_err *err)
{
    return found->payload_hash == sum
           || jw_fail(err, JW_E_FORMAT, "it was written to while it was being packed");
}

static bool put_entry(struct jw_tar_writer *w, struct reader *r, const struct jw_pack_tar *t, size_t i,
                      struct jw_err *err)
{
    const struct jw_pack_entry *e = &t->entries[i];
    struct jw_pack_member member = jw_pack_member(e->name);
    struct jw_cache_entry found;
    struct jw_bytes file = { NULL, 0 };

    return read_entry(r, e, i, &file, &found, err)
           && (jw_pack_is_the_same(&found, t->sums[i], err)
               || jw_wrap(err, "%s", jw_cache_name(e->name).text))
           && jw_tar_write_member(w, member.text, file.n, err) && jw_tar_write_data(w, file.p, file.n, err);
}

bool jw_pack_digest_tar(struct jw_pack_tar *t, struct jw_err *err)
{
    struct reader r = { .from = t->from, .o = t->o };
    struct taking taking = { .bytes = 0 };
    struct jw_tar_writer w;
    bool ok;

    jw_digest_init(&taking.digest);
    ok = put(&taking, t->manifest.p, t->manifest.n, err);
    jw_tar_write_begin(&w, (struct jw_sink){ put, &taking });
    for (size_t i = 0; ok && i < t->n; i++)
        ok = put_entry(&w, &r, t, i, err);
    ok = ok && (!t->n || jw_tar_write_end(&w, err));
    if (ok) {
        jw_digest_final(&taking.digest, t->digest);
        t->bytes = taking.bytes;
    }
    jw_free(r.p);
    return ok;
}
