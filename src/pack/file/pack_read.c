#include "pack/file/pack_read.h"

#include "base/mem.h"
#include "base/num.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "pack/file/pack_index.h"
#include "pack/format/zstd_stream.h"

enum { MOST_THREADS = 5 };
#define MEMORY ((uint64_t)192 << 20) /* of all threads together, but for a frame that needs more alone */

struct reading {
    struct jw_pack_in *in;
    const struct jw_pack_manifest *m;
    struct jw_pack_visitor to;
    const struct jw_pack_read_options *o;
    struct jw_pack_frame *frames; /* where a writer cuts the entries of this manifest: no others are taken */
    uint64_t *at;                 /* where each begins, and the last one ends */
    size_t n;
    uint64_t total, most_raw, most_tar; /* bytes: of all frames, and of the largest */
    struct jw_lock *lock;
    /* Under the lock, and with it the reading of the file: */
    size_t next;
    uint64_t done;
    bool stop, declined; /* the visitor failed */
    struct jw_err err;
};

/* ---- before anything is decompressed ---- */

static bool measure(struct reading *r, struct jw_err *err)
{
    struct jw_zstd_frame f;

    r->frames = jw_pack_cut(r->m->entries, r->m->n_entries, &r->n);
    r->at = jw_alloc((r->n + 1) * sizeof *r->at);
    r->at[0] = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (!jw_pack_measure(&r->in->bytes, r->at[i], r->in->index, &f, err))
            return false;
        if (f.content != r->frames[i].bytes)
            return jw_fail(err, JW_E_FORMAT,
                           "zstd: the frame at 0x%llx says that it holds %llu bytes, expected %llu",
                           (unsigned long long)r->at[i], (unsigned long long)f.content,
                           (unsigned long long)r->frames[i].bytes);
        r->at[i + 1] = r->at[i] + f.bytes;
        r->total += f.content;
        r->most_raw = jw_max(r->most_raw, f.bytes);
        r->most_tar = jw_max(r->most_tar, f.content);
    }
    return r->at[r->n] == r->in->index
           || jw_fail(err, JW_E_FORMAT, "zstd: something follows the last frame of entries (0x%llx)",
                      (unsigned long long)r->at[r->n]);
}

/* ---- one frame, by its thread ---- */

struct room {
    uint8_t *raw, *tar; /* as large as the largest frame */
    struct ZSTD_DCtx_s *z;
};

/* The next frame's raw bytes; false: there is none, or they could not be read. */
static bool claim(struct reading *r, struct room *k, size_t *frame, struct jw_err *err)
{
    bool ok;

    jw_lock_take(r->lock);
    ok = !r->stop && r->next < r->n;
    if (ok) {
        *frame = r->next++;
        size_t n = (size_t)(r->at[*frame + 1] - r->at[*frame]);

        ok = (!r->o->interrupted || !atomic_load(r->o->interrupted)
              || jw_fail(err, JW_E_INTERRUPTED, "interrupted"))
             && jw_source_read(&r->in->bytes, r->at[*frame], k->raw, n, err);
    }
    jw_lock_drop(r->lock);
    return ok;
}

static bool read_frame(struct reading *r, struct room *k, size_t f, bool *declined, struct jw_err *err)
{
    size_t n = (size_t)r->frames[f].bytes;

    return jw_zstd_unpack(k->z, (struct jw_bytes){ k->raw, (size_t)(r->at[f + 1] - r->at[f]) }, k->tar, n,
                          err)
           && jw_pack_members_entries((struct jw_bytes){ k->tar, n }, r->m, &r->frames[f], r->to, declined,
                                      err);
}

static void settle(struct reading *r, uint64_t bytes, bool declined, const struct jw_err *err)
{
    jw_lock_take(r->lock);
    r->done += bytes;
    if (err->code != JW_OK && !r->stop) {
        r->err = *err;
        r->declined = declined;
    }
    r->stop |= err->code != JW_OK;
    if (!r->stop && r->o->progress)
        r->o->progress(r->o->ctx, r->done, r->total);
    jw_lock_drop(r->lock);
}

static void work(void *ctx, unsigned thread)
{
    struct reading *r = ctx;
    struct room k = { jw_alloc((size_t)r->most_raw), jw_alloc((size_t)r->most_tar), jw_zstd_unpack_new() };
    struct jw_err err = { 0 };
    bool declined = false;

    (void)thread;
    for (size_t f; err.code == JW_OK && claim(r, &k, &f, &err);)
        if (read_frame(r, &k, f, &declined, &err))
            settle(r, r->frames[f].bytes, false, &err);
    settle(r, 0, declined, &err);
    jw_zstd_unpack_free(k.z);
    jw_free(k.raw);
    jw_free(k.tar);
}

static unsigned choose_threads(const struct reading *r)
{
    unsigned n = r->o->threads ? r->o->threads : jw_cpu_count();

    n = (unsigned)jw_min(jw_min(n, MOST_THREADS), jw_min(r->n, MEMORY / (r->most_raw + r->most_tar)));
    return n ? n : 1;
}

/* ---- all of it ---- */

/* No pack is so large: it is the pack that is wrong, not a limit of this machine. */
static bool refuse(const struct jw_pack_in *in, struct jw_err *err)
{
    if (err->code == JW_E_LIMIT)
        err->code = JW_E_FORMAT;
    return jw_wrap(err, "%s", in->name);
}

bool jw_pack_manifest(struct jw_pack_in *in, struct jw_arena *a, const struct jw_pack_manifest **out,
                      struct jw_err *err)
{
    struct jw_pack_manifest *m = jw_arena_alloc(a, sizeof *m);
    uint64_t content;

    *out = m;
    if (!in->checked)
        return jw_fail(err, JW_E_USAGE, "%s: read before it was checked", in->name);
    return jw_pack_read_index(in, a, m, &content, err) || refuse(in, err);
}

bool jw_pack_read(struct jw_pack_in *in, const struct jw_pack_manifest *m, struct jw_pack_visitor to,
                  const struct jw_pack_read_options *o, struct jw_err *err)
{
    struct reading r = { .in = in, .m = m, .to = to, .o = o };

    if (!in->checked)
        return jw_fail(err, JW_E_USAGE, "%s: read before it was checked", in->name);
    if (measure(&r, &r.err)) {
        r.lock = jw_lock_new();
        jw_parallel(choose_threads(&r), work, &r);
        jw_lock_free(r.lock);
    }
    jw_free(r.frames);
    jw_free(r.at);
    if (r.err.code == JW_OK)
        return true;
    *err = r.err;
    return r.declined ? false : refuse(in, err);
}
