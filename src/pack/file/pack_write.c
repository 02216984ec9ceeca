#include "pack/file/pack_write.h"

#include "base/mem.h"
#include "base/num.h"
#include "machine/run.h"
#include "os/machine/env.h"
#include "pack/file/frames.h"
#include "pack/format/tar.h"
#include "pack/format/zstd.h"

#include <string.h>

/* Of all threads; one thread may use more for a large frame. */
#define MEMORY ((uint64_t)384 << 20)

struct pack_writer {
    struct jw_sink to;
    struct jw_digest_state digest; /* of the bytes that went there */
    uint64_t bytes;                /* so many */
    const struct jw_pack_manifest *m;
    struct jw_pack_content from;
    const struct jw_pack_write_options *o;
    struct frames frames;
    uint8_t *digests; /* of them, compressed */
};

static bool put_bytes(struct pack_writer *r, const void *p, size_t n, struct jw_err *err)
{
    jw_digest_update(&r->digest, p, n);
    r->bytes += n;
    return r->to.put(r->to.ctx, p, n, err);
}

/* Each where it lies in the tar, its header before it and zeros behind it. */
static bool read_entries(const struct pack_writer *r, uint8_t *at, const struct jw_pack_frame *f,
                         struct jw_cache_checked *list, struct jw_err *err)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct jw_pack_entry *e = &r->m->entries[f->first + i];
        size_t bytes = (size_t)jw_pack_entry_bytes(e);
        uint8_t *data = at + JW_TAR_BLOCK;

        jw_tar_header(at, jw_pack_member(e->name).text, bytes);
        memset(data + bytes, 0, jw_tar_padding(bytes));
        at += jw_tar_span(bytes);
        if (!jw_run_goes_on(r->o->run, err))
            return false;
        if (!r->from.read(r->from.ctx, f->first + i, data, bytes, err))
            return jw_wrap(err, "%s", jw_cache_name(e->name).text);
        list[i] = (struct jw_cache_checked){
            .file = {data, bytes}, .name = e->name, .key_size = e->key_bytes};
    }
    return true;
}

static bool pack_frame(void *ctx, struct frame *k, struct jw_err *err)
{
    struct pack_writer *r = ctx;
    const struct jw_pack_frame *f = &r->frames.v[k->at];
    struct jw_cache_checked *list = jw_alloc(f->n * sizeof *list);
    size_t bad;
    bool ok = read_entries(r, k->tar, f, list, err)
              && (jw_cache_entries_check(list, f->n, &bad, err)
                  || jw_wrap(err, "%s", jw_cache_name(list[bad].name).text))
              && jw_zstd_pack((struct jw_bytes){k->tar, (size_t)f->bytes}, k->packed, &k->n, err);

    if (ok)
        jw_digest(r->digests + k->at * JW_DIGEST, k->packed, k->n);
    jw_free(list);
    return ok;
}

static bool put_frame_of(void *ctx, struct frame *k, struct jw_err *err)
{
    return put_bytes(ctx, k->packed, k->n, err);
}

static bool put_entries(struct pack_writer *r, struct jw_err *err)
{
    struct frames *f = &r->frames;

    *f = (struct frames){.run = r->o->run,
                         .what = "packing",
                         .work = pack_frame,
                         .put = put_frame_of,
                         .ctx = r,
                         .threads = (unsigned)jw_min(r->o->threads ? r->o->threads : jw_cpu_count(),
                                                     JW_PACK_THREADS),
                         .memory = MEMORY,
                         .more = JW_ZSTD_PACK_MEMORY};
    frames_split(f, r->m);
    f->packed = jw_zstd_room(f->largest);
    r->digests = jw_alloc(f->n * JW_DIGEST);
    bool ok = frames_run(f, err);

    jw_free(f->v);
    return ok;
}

static bool put_frame(struct pack_writer *r, struct jw_bytes tar, struct jw_err *err)
{
    uint8_t *packed = jw_realloc(NULL, jw_zstd_room(tar.n));
    size_t n = 0;
    bool ok = jw_zstd_pack(tar, packed, &n, err) && put_bytes(r, packed, n, err);

    jw_free(packed);
    return ok;
}

static bool tar_of_manifest(struct jw_buf *tar, const struct jw_pack_manifest *m,
                            struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    bool ok = jw_pack_manifest_write(&text, m, err);

    if (ok)
        jw_tar_put(tar, JW_PACK_MANIFEST_NAME, jw_buf_bytes(&text));
    jw_buf_fill(tar, 0, JW_TAR_END);
    jw_buf_free(&text);
    return ok && jw_buf_ok(tar, err);
}

/* The list of the frames before it, the manifest's frame, and the pointer to both. */
static bool put_ending(struct pack_writer *r, struct jw_err *err)
{
    struct jw_buf list = JW_BUF(JW_MAX_PACK_LIST);
    struct jw_buf tar = JW_BUF(JW_MAX_MANIFEST + 4 * JW_TAR_BLOCK);
    struct jw_buf pointer = JW_BUF(JW_PACK_POINTER);
    uint64_t began = r->bytes;

    jw_pack_list_put(&list, (struct jw_bytes){r->digests, r->frames.n * JW_DIGEST});
    bool ok = jw_buf_ok(&list, err) && put_bytes(r, list.p, list.n, err)
              && tar_of_manifest(&tar, r->m, err) && put_frame(r, jw_buf_bytes(&tar), err);

    jw_pack_pointer_put(&pointer, r->bytes - began);
    ok = ok && put_bytes(r, pointer.p, pointer.n, err);
    jw_buf_free(&pointer);
    jw_buf_free(&tar);
    jw_buf_free(&list);
    return ok;
}

static bool sign(struct jw_buf *out, const uint8_t digest[JW_DIGEST512],
                 const struct jw_pack_manifest *m, const struct jw_minisign_secret *key,
                 struct jw_err *err)
{
    struct jw_buf comment = JW_BUF(JW_MAX_MINISIGN_TRUSTED + 1);

    jw_buf_printf(&comment, "jitwarm pack for sm_%u, libcuda of %s, %zu %s", m->sm,
                  jw_stamp_text(m->stamp).text, m->n_entries,
                  m->n_entries == 1 ? "entry" : "entries");
    bool ok = jw_minisign_sign(out, key, digest, jw_buf_cstr(&comment), err);

    jw_buf_free(&comment);
    return ok;
}

/* The signature is of the whole digest, and the trailer has its first half. */
static bool put_trailer(struct pack_writer *r, struct jw_err *err)
{
    struct jw_buf signature = JW_BUF(JW_MAX_SIGNATURE);
    struct jw_buf frame = JW_BUF(JW_MAX_TRAILER);
    struct jw_digest_state digest = r->digest;
    struct jw_trailer t = {0};
    uint8_t body[JW_DIGEST512];
    bool ok;

    jw_digest_final(&digest, body);
    memcpy(t.digest, body, JW_DIGEST);
    ok = !r->o->key || sign(&signature, body, r->m, r->o->key, err);
    t.signature = jw_buf_bytes(&signature);
    ok = ok && jw_trailer_write(&frame, &t, err) && put_bytes(r, frame.p, frame.n, err);
    jw_buf_free(&signature);
    jw_buf_free(&frame);
    return ok;
}

bool jw_pack_write(struct jw_sink to, const struct jw_pack_manifest *m, struct jw_pack_content from,
                   const struct jw_pack_write_options *o, uint64_t *bytes, struct jw_err *err)
{
    struct pack_writer run = {.to = to, .m = m, .from = from, .o = o};

    jw_digest512_init(&run.digest);
    bool ok = jw_pack_manifest_check(m, err) && put_entries(&run, err) && put_ending(&run, err)
              && put_trailer(&run, err);

    jw_free(run.digests);
    *bytes = run.bytes;
    return ok;
}
