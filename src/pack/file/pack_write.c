#include "pack/file/pack_write.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "os/machine/env.h"
#include "pack/file/pack_spool.h"
#include "pack/format/pack_trailer.h"
#include "pack/format/tar.h"
#include "pack/format/zstd_stream.h"

#include <string.h>

enum { COPY = 256 << 10 };

/* The sink, and the digests of what goes through it. */
struct outlet {
    struct jw_sink to;
    struct jw_digest_state digest, digest512;
    bool sign;
    uint64_t bytes;
};

static bool put_bytes(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct outlet *o = ctx;

    jw_digest_update(&o->digest, p, n);
    if (o->sign)
        jw_digest_update(&o->digest512, p, n);
    o->bytes += n;
    return o->to.put(o->to.ctx, p, n, err);
}

static void outlet_begin(struct outlet *o, struct jw_sink to, bool sign)
{
    *o = (struct outlet){ .to = to, .sign = sign };
    jw_digest_init(&o->digest);
    jw_digest512_init(&o->digest512);
}

/* ---- the manifest's frame ---- */

static bool tar_of_manifest(const struct jw_pack_manifest *m, struct jw_buf *tar, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    struct jw_tar_writer w;
    bool ok = jw_pack_manifest_write(&text, m, err);

    jw_tar_write_begin(&w, jw_sink_buf(tar));
    ok = ok && jw_tar_write_member(&w, JW_PACK_MANIFEST_NAME, text.n, err)
         && jw_tar_write_data(&w, text.p, text.n, err);
    jw_buf_free(&text);
    return ok;
}

static bool put_manifest(struct outlet *out, struct jw_bytes tar, int level, struct jw_err *err)
{
    struct jw_zstd_pack z = { 0 };
    bool ok = jw_zstd_pack_open(&z, level, err)
              && jw_zstd_pack_begin(&z, tar.n, (struct jw_sink){ put_bytes, out }, err)
              && jw_zstd_pack_put(&z, tar.p, tar.n, err) && jw_zstd_pack_end(&z, err);

    jw_zstd_pack_close(&z);
    return ok;
}

/* ---- the entries' ---- */

static bool put_entries(struct outlet *out, struct jw_spool *s, const struct jw_pack_write_options *o,
                        struct jw_err *err)
{
    struct jw_source frames = jw_spool_source(s);
    uint8_t *part = jw_alloc(COPY);
    bool ok = true;

    for (uint64_t at = 0; ok && at < frames.size; at += COPY) {
        size_t n = (size_t)jw_min(COPY, frames.size - at);

        ok = !jw_pack_interrupted(o, err) && jw_source_read(&frames, at, part, n, err)
             && put_bytes(out, part, n, err);
    }
    jw_free(part);
    return ok;
}

/* ---- the trailer ---- */

static bool say_what_for(struct jw_buf *out, const struct jw_pack_manifest *m, const char *comment,
                         struct jw_err *err)
{
    if (comment)
        jw_buf_text(out, comment);
    else
        jw_buf_printf(out, "jitwarm pack for sm_%u, libcuda of %.11s %s, %zu %s", m->sm, m->stamp,
                      m->stamp + 11, m->n_entries, m->n_entries == 1 ? "entry" : "entries");
    return jw_buf_ok(out, err);
}

static bool sign(struct jw_buf *out, const uint8_t digest[JW_DIGEST512], const struct jw_pack_manifest *m,
                 const struct jw_minisign_secret *key, const char *comment, struct jw_err *err)
{
    struct jw_buf said = JW_BUF(JW_MAX_MINISIGN_TRUSTED + 1);
    bool ok = say_what_for(&said, m, comment, err)
              && jw_minisign_sign(out, key, digest, NULL, jw_buf_cstr(&said), err);

    jw_buf_free(&said);
    return ok;
}

static bool put_trailer(struct outlet *out, const struct jw_pack_manifest *m,
                        const struct jw_pack_write_options *o, uint8_t digest_out[JW_DIGEST],
                        struct jw_err *err)
{
    struct jw_buf signature = JW_BUF(JW_MAX_SIGNATURE), frame = JW_BUF(JW_TRAILER_MOST);
    struct jw_digest_state digest = out->digest, digest512 = out->digest512;
    struct jw_trailer t = { 0 };
    uint8_t body[JW_DIGEST512];
    bool ok;

    jw_digest_final(&digest, t.digest);
    memcpy(digest_out, t.digest, JW_DIGEST);
    jw_digest512_final(&digest512, body);
    ok = !o->key || sign(&signature, body, m, o->key, o->comment, err);
    t.signature = jw_buf_bytes(&signature);
    ok = ok && jw_trailer_write(&frame, &t, err) && put_bytes(out, frame.p, frame.n, err);
    jw_buf_free(&signature);
    jw_buf_free(&frame);
    return ok;
}

/* ---- all of it ---- */

unsigned jw_pack_threads(const struct jw_pack_write_options *o)
{
    return (unsigned)jw_min(o->threads ? o->threads : jw_cpu_count(), JW_PACK_THREADS);
}

static bool write_out(struct jw_sink to, const struct jw_pack_manifest *m, const struct jw_pack_tar *tar,
                      struct jw_spool *s, struct jw_pack_written *w, struct jw_err *err)
{
    const struct jw_pack_write_options *o = tar->o;
    struct outlet out;
    uint8_t body[JW_DIGEST];

    outlet_begin(&out, to, o->key != NULL);
    if (!put_manifest(&out, tar->manifest, o->level ? o->level : JW_PACK_LEVEL, err)
        || !put_entries(&out, s, o, err) || !put_trailer(&out, m, o, body, err))
        return false;
    *w = (struct jw_pack_written){ .bytes = out.bytes, .tar_bytes = tar->bytes };
    memcpy(w->body, body, sizeof w->body);
    memcpy(w->tar_digest, tar->digest, sizeof w->tar_digest);
    jw_digest_final(&out.digest, w->digest);
    if (out.sign)
        jw_digest512_final(&out.digest512, w->digest512);
    return true;
}

bool jw_pack_write(struct jw_sink out, struct jw_pack_manifest *m, struct jw_pack_entry *entries,
                   struct jw_pack_source from, const struct jw_pack_write_options *o,
                   struct jw_pack_written *w, struct jw_err *err)
{
    struct jw_buf manifest = JW_BUF(JW_MAX_MANIFEST + 2 * JW_TAR_BLOCK);
    struct jw_pack_tar tar = { .entries = entries, .n = m->n_entries, .from = from, .o = o };
    struct jw_spool s = { 0 };
    uint64_t *sums;
    bool ok;

    m->entries = entries;
    if (o->level < 0 || o->level > JW_PACK_LEVEL_MOST)
        return jw_fail(err, JW_E_USAGE, "pack: level %d, expected 1 to %d", o->level, JW_PACK_LEVEL_MOST);
    if (!jw_pack_manifest_check(m, err))
        return false;
    sums = jw_alloc((tar.n + 1) * sizeof *sums);
    tar.sums = sums;
    ok = jw_pack_digest_entries(entries, sums, tar.n, from, o, err) && tar_of_manifest(m, &manifest, err);
    tar.manifest = jw_buf_bytes(&manifest);
    ok = ok && jw_spool_fill(&s, &tar, o, err) && write_out(out, m, &tar, &s, w, err);
    jw_spool_close(&s);
    jw_buf_free(&manifest);
    jw_free(sums);
    return ok;
}

bool jw_pack_minisig(struct jw_buf *out, const struct jw_pack_written *w, const struct jw_pack_manifest *m,
                     const struct jw_minisign_secret *key, const char *comment, struct jw_err *err)
{
    return sign(out, w->digest512, m, key, comment, err);
}
