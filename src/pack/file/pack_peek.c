#include "pack/file/pack_read.h"

#include "base/limits.h"
#include "os/files/stdin.h"
#include "pack/file/pack_first.h"

#include <string.h>

enum { PART = 64 << 10 };
#define MOST (JW_MAX_MANIFEST + ((size_t)1 << 20)) /* of the first frame, compressed */

static bool not_here(void *ctx, const struct jw_pack_entry *e, struct jw_err *err)
{
    (void)ctx;
    (void)e;
    return jw_fail(err, JW_E_FORMAT, "pack: an entry in its first frame, which holds the manifest alone");
}

static bool no_data(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    (void)ctx;
    (void)p;
    (void)n;
    (void)err;
    return true;
}

static bool nothing(void *ctx, struct jw_err *err)
{
    (void)ctx;
    (void)err;
    return true;
}

static bool any_manifest(void *ctx, const struct jw_pack_manifest *m, struct jw_err *err)
{
    (void)ctx;
    (void)m;
    (void)err;
    return true;
}

static const struct jw_pack_visitor nobody = { any_manifest, not_here, no_data, nothing, NULL };

static bool read_first(const struct jw_source *bytes, uint64_t end, bool *cut, struct jw_arena *a,
                       struct jw_pack_peeked *out, struct jw_err *err)
{
    struct jw_pack_members members;
    struct jw_zstd_frame frame;
    bool ok;

    jw_pack_members_begin(&members, nobody, a);
    ok = jw_pack_first(bytes, end, &members, (struct jw_sink){ NULL, NULL }, &frame, cut, err)
         || jw_wrap(err, "its manifest");
    jw_pack_members_free(&members);
    if (!ok)
        return false;
    out->manifest = members.manifest;
    out->tar_bytes = frame.content + JW_TAR_END;
    for (size_t i = 0; i < out->manifest.n_entries; i++)
        out->tar_bytes += jw_tar_span(jw_pack_entry_bytes(&out->manifest.entries[i]));
    return true;
}

static void show_key(struct jw_bytes text, struct jw_pack_peeked *out)
{
    struct jw_minisign_sig sig;
    struct jw_err ignored = { 0 };

    if (jw_minisign_sig_read(text, &sig, &ignored))
        jw_minisign_show_id(out->key, sig.id);
}

/* ---- of a file ---- */

static bool look_beside(const char *path, struct jw_pack_peeked *out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_SIGNATURE), name = JW_BUF(JW_MAX_PATH);
    struct jw_err ignored = { 0 };
    bool found = false;

    jw_buf_printf(&name, "%s.minisig", path);
    if (!jw_buf_ok(&name, err)) {
        jw_buf_free(&name);
        return false;
    }
    if (jw_file_slurp(jw_buf_cstr(&name), &text, &found, &ignored) && found)
        show_key(jw_buf_bytes(&text), out);
    if (found || ignored.code != JW_OK)
        out->signature = JW_PACK_SEEN_BESIDE;
    jw_buf_free(&text);
    jw_buf_free(&name);
    return true;
}

static bool look_at_end(struct jw_pack_in *in, const char *path, struct jw_pack_peeked *out,
                        struct jw_err *err)
{
    struct jw_err ignored = { 0 };

    out->bytes = in->bytes.size;
    out->signature = JW_PACK_SEEN_NONE;
    out->whole = jw_trailer_find(&in->bytes, &in->frame, &in->trailer, &in->body, &ignored);
    if (out->whole && in->trailer.signature.n) {
        out->signature = JW_PACK_SEEN_INSIDE;
        show_key(in->trailer.signature, out);
    }
    return out->signature == JW_PACK_SEEN_INSIDE || look_beside(path, out, err);
}

static bool begins(const struct jw_source *bytes, struct jw_err *err)
{
    uint8_t head[JW_PACK_MAGIC];
    size_t n = bytes->size < sizeof head ? (size_t)bytes->size : sizeof head;

    return jw_source_read(bytes, 0, head, n, err) && jw_pack_begins((struct jw_bytes){ head, n }, err);
}

static bool peek_file(const char *path, struct jw_arena *a, struct jw_pack_peeked *out, struct jw_err *err)
{
    struct jw_pack_in in = { .name = path, .file = JW_FILE_CLOSED, .frame = JW_BUF(JW_TRAILER_MOST) };
    struct jw_file_info info;
    bool ok = jw_file_open(&in.file, path, err) && jw_file_info(&in.file, &info, err);

    if (ok) {
        in.bytes = jw_file_source(&in.file, info.size);
        ok = begins(&in.bytes, err) && read_first(&in.bytes, in.bytes.size, NULL, a, out, err)
             && look_at_end(&in, path, out, err);
    }
    jw_pack_close(&in);
    return ok || jw_wrap(err, "%s", path);
}

/* ---- of standard input ---- */

/* What there is. `*end`: there is no more. */
static bool read_more(struct jw_buf *in, const atomic_bool *interrupted, bool *end, struct jw_err *err)
{
    size_t had = in->n, got;

    if (had > MOST - PART)
        return jw_fail(err, JW_E_LIMIT, "zstd: the first frame is longer than a manifest's can be");
    jw_buf_fill(in, 0, PART);
    if (!jw_buf_ok(in, err) || !jw_stdin_read(in->p + had, PART, &got, interrupted, err))
        return false;
    in->n = had + got;
    *end = got == 0;
    return true;
}

static bool peek_stdin(const atomic_bool *interrupted, struct jw_arena *a, struct jw_pack_peeked *out,
                       struct jw_err *err)
{
    struct jw_buf in = JW_BUF(MOST);
    bool end = false, cut = true, ok = true;

    while (ok && cut && !end) {
        struct jw_err why = { 0 };

        ok = read_more(&in, interrupted, &end, err);
        if (!ok)
            break;

        struct jw_bytes bytes = jw_buf_bytes(&in);
        struct jw_source source = jw_source_memory(&bytes);

        cut = false;
        ok = ((in.n < JW_PACK_MAGIC && !end) || jw_pack_begins(bytes, &why))
             && (read_first(&source, source.size, &cut, a, out, &why) || (cut && !end));
        if (!ok)
            *err = why;
    }
    jw_buf_free(&in);
    return ok || jw_wrap(err, "standard input");
}

bool jw_pack_peek(const char *path, const atomic_bool *interrupted, struct jw_arena *a,
                  struct jw_pack_peeked *out, struct jw_err *err)
{
    bool ok;

    *out = (struct jw_pack_peeked){ .signature = JW_PACK_SEEN_NOT };
    ok = strcmp(path, "-") == 0 ? peek_stdin(interrupted, a, out, err) : peek_file(path, a, out, err);
    if (!ok && err->code == JW_E_LIMIT)
        err->code = JW_E_FORMAT;
    return ok;
}
