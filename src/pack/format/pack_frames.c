#include "pack/format/pack_frames.h"

#include "base/fields.h"
#include "base/mem.h"
#include "pack/format/tar.h"

#define ZSTD_SKIPPABLE 0x184D2A5BU /* one of the sixteen numbers that zstd skips; the trailer has another */

enum { LENGTH = 8 };

struct jw_pack_frame *jw_pack_cut(const struct jw_pack_entry *entries, size_t n, size_t *n_frames)
{
    struct jw_pack_frame *frames = jw_alloc((n + 1) * sizeof *frames), *f = frames;

    for (size_t i = 0; i < n; i++) {
        uint64_t span = jw_tar_span(jw_pack_entry_bytes(&entries[i]));

        if (f->n && (f->bytes > JW_PACK_FRAME || span > JW_PACK_FRAME - f->bytes))
            *++f = (struct jw_pack_frame){ .first = i };
        f->n++;
        f->bytes += span;
    }
    *n_frames = n ? (size_t)(f - frames) + 1 : 0;
    return frames;
}

void jw_pack_pointer_put(struct jw_buf *out, uint64_t bytes)
{
    jw_field32(out, ZSTD_SKIPPABLE);
    jw_field32(out, LENGTH);
    jw_field64(out, bytes);
}

bool jw_pack_pointer_read(const uint8_t p[JW_PACK_POINTER], uint64_t *bytes)
{
    *bytes = jw_le64(p + 8);
    return jw_le32(p) == ZSTD_SKIPPABLE && jw_le32(p + 4) == LENGTH;
}
