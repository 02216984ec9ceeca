/* The end of a pack's body: the manifest's frame, and where that begins. */
#ifndef PACK_FILE_PACK_INDEX_H
#define PACK_FILE_PACK_INDEX_H

#include "base/limits.h"
#include "pack/file/pack_read.h"
#include "pack/format/zstd_frame.h"

enum { JW_PACK_MAGIC = 4 };

#define JW_PACK_INDEX_MOST (JW_MAX_MANIFEST + ((size_t)1 << 20)) /* of both, compressed */

/* Its first `n` bytes, of which JW_PACK_MAGIC are enough: does it begin with a frame of zstd? */
bool jw_pack_begins(struct jw_bytes head, struct jw_err *err) JW_MUST;

/* Of in->bytes, in->body. */
bool jw_pack_find_index(struct jw_pack_in *in, struct jw_err *err) JW_MUST;

/* What is there, appended to in->manifest, and still says so. */
bool jw_pack_take_index(struct jw_pack_in *in, struct jw_err *err) JW_MUST;

/* Decompressed out of in->manifest. `*content`: bytes of tar. */
bool jw_pack_read_index(const struct jw_pack_in *in, struct jw_arena *a, struct jw_pack_manifest *out,
                        uint64_t *content, struct jw_err *err) JW_MUST;

/* The frame at `at`, before `end`, as a pack has them: measured, with a checksum, a window that any decoder takes. */
bool jw_pack_measure(const struct jw_source *bytes, uint64_t at, uint64_t end, struct jw_zstd_frame *out,
                     struct jw_err *err) JW_MUST;

#endif
