#include "pack/file/pack_read.h"

#include "base/limits.h"
#include "base/mem.h"
#include "pack/file/pack_first.h"
#include "pack/file/pack_unfold.h"
#include "pack/format/pack_frames.h"

#include <string.h>

struct reading {
    struct jw_arena *a;
    struct jw_pack_in *in;
    const struct jw_pack_read_options *o;
    struct jw_pack_members *members;
    struct jw_pack_visitor to;
    bool declined; /* the visitor failed */
    struct jw_digest_state digest;
    uint64_t *contents; /* of the frames behind the first */
    size_t n;
};

/* ---- the visitor: its failures are told from those of the pack ---- */

static bool on_manifest(void *ctx, const struct jw_pack_manifest *m, struct jw_err *err)
{
    struct reading *r = ctx;
    struct jw_pack_manifest *kept = jw_arena_copy(r->a, m, sizeof *m);

    r->declined = !r->to.manifest(r->to.ctx, kept, err);
    return !r->declined;
}

static bool on_entry(void *ctx, const struct jw_pack_entry *e, struct jw_err *err)
{
    struct reading *r = ctx;

    r->declined = !r->to.entry(r->to.ctx, e, err);
    return !r->declined;
}

static bool on_data(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct reading *r = ctx;

    r->declined = !r->to.data(r->to.ctx, p, n, err);
    return !r->declined;
}

static bool on_done(void *ctx, struct jw_err *err)
{
    struct reading *r = ctx;

    r->declined = !r->to.done(r->to.ctx, err);
    return !r->declined;
}

/* ---- the pack ---- */

static bool put_raw(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct reading *r = ctx;

    (void)err;
    jw_digest_update(&r->digest, p, n);
    return true;
}

/* Where a writer cuts the entries of this manifest: no other frames are taken. */
static bool plan(struct reading *r, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &r->members->manifest;
    size_t members = m->n_entries + 1, cap = 0;
    uint64_t *sizes = jw_alloc(members * sizeof *sizes);
    struct jw_pack_frame frame;
    bool ok = true;

    for (size_t i = 1; ok && i < members; i++)
        sizes[i] = jw_pack_entry_bytes(&m->entries[i - 1]);
    for (size_t first = 1; ok && first < members; first += frame.n) {
        ok = jw_pack_frame_at(sizes, members, first, &frame, err)
             && jw_grow(&r->contents, sizeof *r->contents, r->n, &cap, JW_MAX_PACK_ENTRIES, err);
        if (ok)
            r->contents[r->n++] = frame.bytes;
    }
    jw_free(sizes);
    return ok;
}

static bool read_entries(struct reading *r, uint64_t at, struct jw_err *err)
{
    struct jw_unfold u = { .bytes = &r->in->bytes,
                           .at = at,
                           .end = r->in->body,
                           .contents = r->contents,
                           .n = r->n,
                           .raw = { put_raw, r },
                           .plain = jw_pack_members_sink(r->members),
                           .threads = r->o->threads,
                           .interrupted = r->o->interrupted,
                           .progress = r->o->progress,
                           .ctx = r->o->ctx };

    return jw_unfold_run(&u, err) && jw_pack_members_end(r->members, err);
}

static bool is_what_was_checked(struct reading *r, struct jw_err *err)
{
    uint8_t digest[JW_DIGEST];

    jw_digest_final(&r->digest, digest);
    return memcmp(digest, r->in->trailer.digest, JW_DIGEST) == 0
           || jw_fail(err, JW_E_FORMAT, "pack: it was changed while it was read");
}

static bool read_all(struct reading *r, struct jw_err *err)
{
    struct jw_zstd_frame first;

    return jw_pack_first(&r->in->bytes, r->in->body, r->members, (struct jw_sink){ put_raw, r }, &first, NULL,
                         err)
           && plan(r, err) && read_entries(r, first.bytes, err) && is_what_was_checked(r, err);
}

bool jw_pack_read(struct jw_pack_in *in, struct jw_pack_visitor to, const struct jw_pack_read_options *o,
                  struct jw_arena *a, struct jw_err *err)
{
    struct jw_pack_members members;
    struct reading r = { .a = a, .in = in, .o = o, .to = to, .members = &members };
    struct jw_pack_visitor ours = { on_manifest, on_entry, on_data, on_done, &r };
    bool ok;

    if (!in->checked)
        return jw_fail(err, JW_E_USAGE, "%s: read before it was checked", in->name);
    jw_digest_init(&r.digest);
    jw_pack_members_begin(&members, ours, a);
    ok = read_all(&r, err) || jw_wrap(err, "%s", in->name);
    if (!ok && !r.declined && err->code == JW_E_LIMIT)
        err->code =
            JW_E_FORMAT; /* no pack is so large: it is the pack that is wrong, not a limit of this machine */
    jw_pack_members_free(&members);
    jw_free(r.contents);
    return ok;
}
