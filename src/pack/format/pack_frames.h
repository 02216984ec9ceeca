/*
 * Where a pack's tar is cut into zstd frames: whole members, as many as fit into JW_PACK_FRAME bytes of tar; a larger
 * member is alone; the manifest, with the end blocks behind it, is alone in the last. Nothing but the entries' sizes
 * decides, so that the number of threads never changes a byte. Behind the last frame stands where it begins, in a frame
 * that zstd and tar skip:
 *
 *   u32 0x184D2A5B   u32 8   u64 bytes of the manifest's frame
 */
#ifndef PACK_FORMAT_PACK_FRAMES_H
#define PACK_FORMAT_PACK_FRAMES_H

#include "base/buf.h"
#include "pack/format/pack_manifest.h"

#define JW_PACK_FRAME ((uint64_t)32 << 20)

struct jw_pack_frame {
    size_t first, n; /* entries */
    uint64_t bytes;  /* of tar */
};

/* The frames of the entries of a manifest that was checked, at least one; the caller frees them. */
struct jw_pack_frame *jw_pack_cut(const struct jw_pack_entry *entries, size_t n, size_t *n_frames);

enum { JW_PACK_POINTER = 16 };

void jw_pack_pointer_put(struct jw_buf *out, uint64_t bytes);
/* False: it is none. */
bool jw_pack_pointer_read(const uint8_t p[JW_PACK_POINTER], uint64_t *bytes) JW_MUST;

#endif
