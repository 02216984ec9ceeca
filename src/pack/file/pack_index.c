#include "pack/file/pack_index.h"

#include "base/mem.h"
#include "base/num.h"
#include "pack/format/pack_frames.h"
#include "pack/format/tar.h"
#include "pack/format/zstd_stream.h"

#include <string.h>

bool jw_pack_begins(struct jw_bytes head, struct jw_err *err)
{
    static const uint8_t zstd[JW_PACK_MAGIC] = { 0x28, 0xb5, 0x2f, 0xfd };

    if (!head.n)
        return jw_fail(err, JW_E_FORMAT, "it is empty");
    return (head.n >= sizeof zstd && memcmp(head.p, zstd, sizeof zstd) == 0)
           || jw_fail(err, JW_E_FORMAT, "it is no pack: it does not begin with a frame of zstd");
}

bool jw_pack_find_index(struct jw_pack_in *in, struct jw_err *err)
{
    uint8_t pointer[JW_PACK_POINTER] = { 0 };
    uint64_t n, end = in->body - jw_min(in->body, sizeof pointer);

    if (!jw_source_read(&in->bytes, end, pointer, (size_t)(in->body - end), err))
        return false;
    if (!jw_pack_pointer_read(pointer, &n))
        return jw_fail(err, JW_E_FORMAT, "pack: it does not say where its manifest is (0x%llx)",
                       (unsigned long long)end);
    in->index = end - n;
    return (n <= end && n <= JW_PACK_INDEX_MOST - sizeof pointer)
           || jw_fail(err, JW_E_FORMAT,
                      "pack: it says that its manifest has %llu bytes, packed, before 0x%llx",
                      (unsigned long long)n, (unsigned long long)end);
}

bool jw_pack_take_index(struct jw_pack_in *in, struct jw_err *err)
{
    struct jw_buf *kept = &in->manifest;
    size_t n = (size_t)(in->body - in->index);
    uint64_t said;

    jw_buf_fill(kept, 0, n);
    if (!jw_buf_ok(kept, err) || !jw_source_read(&in->bytes, in->index, kept->p, n, err))
        return false;
    return (jw_pack_pointer_read(kept->p + n - JW_PACK_POINTER, &said) && said == n - JW_PACK_POINTER)
           || jw_fail(err, JW_E_FORMAT, "it was changed while it was read");
}

bool jw_pack_measure(const struct jw_source *bytes, uint64_t at, uint64_t end, struct jw_zstd_frame *out,
                     struct jw_err *err)
{
    if (!jw_zstd_frame_measure(bytes, at, end, out, err))
        return false;
    if (!out->checksum)
        return jw_fail(err, JW_E_FORMAT, "zstd: the frame at 0x%llx has no checksum, as a pack's have",
                       (unsigned long long)at);
    return out->window <= JW_ZSTD_WINDOW
           || jw_fail(
               err, JW_E_LIMIT, "zstd: the frame at 0x%llx looks back %llu bytes, expected at most %llu",
               (unsigned long long)at, (unsigned long long)out->window, (unsigned long long)JW_ZSTD_WINDOW);
}

static bool measure(struct jw_bytes index, struct jw_zstd_frame *out, struct jw_err *err)
{
    struct jw_source bytes = jw_source_memory(&index);
    uint64_t most = jw_tar_span(JW_MAX_MANIFEST) + JW_TAR_END, end = index.n - JW_PACK_POINTER;

    if (!jw_pack_measure(&bytes, 0, end, out, err))
        return false;
    if (out->content > most)
        return jw_fail(err, JW_E_LIMIT,
                       "zstd: the last frame says that it holds %llu bytes, a manifest has at most %llu",
                       (unsigned long long)out->content, (unsigned long long)most);
    return out->bytes == end || jw_fail(err, JW_E_FORMAT, "zstd: something follows the last frame");
}

bool jw_pack_read_index(const struct jw_pack_in *in, struct jw_arena *a, struct jw_pack_manifest *out,
                        uint64_t *content, struct jw_err *err)
{
    struct jw_bytes index = jw_buf_bytes(&in->manifest);
    struct jw_zstd_frame frame;
    uint8_t *tar;
    bool ok = measure(index, &frame, err);

    if (!ok)
        return jw_wrap(err, "its manifest");
    *content = frame.content;
    tar = jw_alloc((size_t)frame.content);
    struct ZSTD_DCtx_s *z = jw_zstd_unpack_new();

    ok = jw_zstd_unpack(z, (struct jw_bytes){ index.p, (size_t)frame.bytes }, tar, (size_t)frame.content, err)
         && jw_pack_members_manifest((struct jw_bytes){ tar, (size_t)frame.content }, a, out, err);
    jw_zstd_unpack_free(z);
    jw_free(tar);
    return ok;
}
