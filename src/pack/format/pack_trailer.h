/*
 * The last bytes of a pack: a zstd skippable frame, which zstd and tar read over.
 *
 *   u32 0x184D2A5A   u32 n   then n bytes:
 *   8 "jitwarm1"   32 BLAKE2b-256 of all bytes before the frame   signature   u32 n, once more   8 "jitwend1"
 *
 * The signature is minisign's text over the same bytes, or nothing; here it is bytes. The repeated end is what finds the
 * frame from the end of a file; nothing may follow it.
 */
#ifndef PACK_FORMAT_PACK_TRAILER_H
#define PACK_FORMAT_PACK_TRAILER_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/source.h"

enum {
    JW_TRAILER_HEAD = 8 + 8 + JW_DIGEST,
    JW_TRAILER_TAIL = 4 + 8,
    JW_TRAILER_MOST = JW_TRAILER_HEAD + JW_MAX_SIGNATURE + JW_TRAILER_TAIL
};

struct jw_trailer {
    uint8_t digest[JW_DIGEST];
    struct jw_bytes signature; /* borrowed; empty: not signed */
};

/* Appends the frame. */
bool jw_trailer_write(struct jw_buf *out, const struct jw_trailer *trailer, struct jw_err *err) JW_MUST;

/* `frame` is the trailer and nothing else. */
bool jw_trailer_read(struct jw_bytes frame, struct jw_trailer *out, struct jw_err *err) JW_MUST;

/*
 * Of a whole file: reads its last bytes into `frame`, which `out` borrows from. `*at`: where the trailer begins. Whether
 * the digest is that of the bytes before it, the caller sees when it reads them.
 */
bool jw_trailer_find(const struct jw_source *file, struct jw_buf *frame, struct jw_trailer *out, uint64_t *at,
                     struct jw_err *err) JW_MUST;

#endif
