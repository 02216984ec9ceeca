#include "pack/format/pack_frames.h"

#include "pack/format/tar.h"

static bool span_of(const uint64_t *sizes, size_t i, uint64_t *out, struct jw_err *err)
{
    if (sizes[i] > JW_TAR_MOST)
        return jw_fail(err, JW_E_LIMIT, "pack: member %zu of %llu bytes, expected at most %llu", i,
                       (unsigned long long)sizes[i], (unsigned long long)JW_TAR_MOST);
    *out = jw_tar_span(sizes[i]);
    return true;
}

bool jw_pack_frame_at(const uint64_t *sizes, size_t n, size_t first, struct jw_pack_frame *out,
                      struct jw_err *err)
{
    size_t end = first ? n : 1;
    uint64_t span;

    *out = (struct jw_pack_frame){ .first = first };
    if (first >= n)
        return jw_fail(err, JW_E_USAGE, "pack: a frame at member %zu of %zu", first, n);
    for (size_t i = first; i < end; i++) {
        if (!span_of(sizes, i, &span, err))
            return false;
        if (out->n && (out->bytes > JW_PACK_FRAME || span > JW_PACK_FRAME - out->bytes))
            return true;
        out->n++;
        out->bytes += span;
    }
    if (end == n)
        out->bytes += JW_TAR_END;
    return true;
}
