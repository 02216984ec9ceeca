/* How a pack is laid out around its manifest. Its tar is cut into zstd frames: whole members, as
 * many as fit into JW_PACK_FRAME bytes of tar; a larger member is alone; the manifest, with the end
 * blocks behind it, is alone in the last. Nothing but the entries' sizes decides, so that the
 * number of threads never changes a byte. Three frames that zstd and tar skip stand before the
 * manifest's, behind it, and at the end: the list of the frames, a pointer, and the trailer.
 *
 *   u32 0x184D2A59   u32 n   then n bytes: BLAKE2b-256 of each frame of entries, compressed
 *   u32 0x184D2A5B   u32 8   u64 bytes of list and manifest
 *   u32 0x184D2A5A   u32 n   then n bytes: 8 "jitwarm5"   32 digest of all bytes before the trailer
 *                            signature   u32 n, once more   8 "jitwend5"
 *
 * The digest is the first half of their BLAKE2b-512; the signature is minisign's text, of the whole
 * BLAKE2b-512, or nothing. The repeated length is how a reader finds the trailer from the end of a
 * file; nothing may follow it. */
#pragma once

#include "base/buf.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/source.h"
#include "pack/format/pack_manifest.h"

#define JW_PACK_FRAME ((uint64_t)32 << 20)

struct jw_pack_frame {
    size_t first, n; /* entries */
    uint64_t bytes;  /* of tar */
};

/* The frames of the entries of a manifest that was checked; the caller frees them. */
struct jw_pack_frame *jw_pack_split_frames(const struct jw_pack_entry *entries, size_t n,
                                           size_t *n_frames);

void jw_pack_list_put(struct jw_buf *out, struct jw_bytes digests);
/* Cuts the list from the front of `ending`, which `digests` borrows from. False: there is none. */
bool jw_pack_list_take(struct jw_bytes *ending, struct jw_bytes *digests) JW_MUST;

enum { JW_PACK_POINTER = 16 };

void jw_pack_pointer_put(struct jw_buf *out, uint64_t bytes);
/* False: these bytes are no pointer. */
bool jw_pack_pointer_read(const uint8_t p[JW_PACK_POINTER], uint64_t *bytes) JW_MUST;

/* The manifest and the end of the tar, and nothing else. Everything in `out` lives in `a`. */
bool jw_pack_members_manifest(struct jw_bytes tar, struct jw_arena *a, struct jw_pack_manifest *out,
                              struct jw_err *err) JW_MUST;

/* Exactly these entries, in their order; their `files` are borrowed. */
bool jw_pack_members_entries(struct jw_bytes tar, const struct jw_pack_entry *entries, size_t n,
                             struct jw_bytes *files, struct jw_err *err) JW_MUST;

enum {
    JW_TRAILER_HEAD = 8 + 8 + JW_DIGEST,
    JW_TRAILER_TAIL = 4 + 8,
    JW_MAX_TRAILER = JW_TRAILER_HEAD + JW_MAX_SIGNATURE + JW_TRAILER_TAIL
};

struct jw_trailer {
    uint8_t digest[JW_DIGEST]; /* the first half of BLAKE2b-512 */
    struct jw_bytes signature; /* borrowed; empty: not signed */
};

/* Appends the frame. */
bool jw_trailer_write(struct jw_buf *out, const struct jw_trailer *trailer,
                      struct jw_err *err) JW_MUST;

/* `frame` is the trailer and nothing else. */
bool jw_trailer_read(struct jw_bytes frame, struct jw_trailer *out, struct jw_err *err) JW_MUST;

/* Reads the last bytes of a whole file into `frame`, which `out` borrows from. `*at`: the start of
 * the trailer. The caller compares the digest when it reads the bytes before it. */
bool jw_trailer_find(const struct jw_source *file, struct jw_buf *frame, struct jw_trailer *out,
                     uint64_t *at, struct jw_err *err) JW_MUST;
