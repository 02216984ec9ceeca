/* The first frame of a pack, which holds the manifest and nothing else. */
#ifndef PACK_FILE_PACK_FIRST_H
#define PACK_FILE_PACK_FIRST_H

#include "pack/format/pack_members.h"
#include "pack/format/zstd_frame.h"

enum { JW_PACK_MAGIC = 4 };

/* Its first `n` bytes, of which JW_PACK_MAGIC are enough: does it begin with a frame of zstd? */
bool jw_pack_begins(struct jw_bytes head, struct jw_err *err) JW_MUST;

/*
 * At 0 of `bytes`, and before `end`. What it holds goes to `to`, its raw bytes to `raw` (put NULL: nobody). `*cut` (may be
 * NULL): it goes on where the bytes end, and nothing was given to anybody.
 */
bool jw_pack_first(const struct jw_source *bytes, uint64_t end, struct jw_pack_members *to,
                   struct jw_sink raw, struct jw_zstd_frame *out, bool *cut, struct jw_err *err) JW_MUST;

#endif
