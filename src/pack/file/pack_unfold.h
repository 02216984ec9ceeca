/*
 * Frames of a pack, back to back, decompressed by several threads and given in order: each thread fills a window of its
 * own, and the caller's thread empties them one frame after the other. How much memory they take together does not
 * depend on what is in the frames.
 */
#ifndef PACK_FILE_PACK_UNFOLD_H
#define PACK_FILE_PACK_UNFOLD_H

#include "base/source.h"
#include "pack/format/zstd_frame.h"

#include <stdatomic.h>

struct jw_unfold {
    const struct jw_source *bytes; /* one thread at a time reads it */
    uint64_t at, end;              /* where the frames lie in it: all of this, and nothing else */
    const uint64_t *contents;      /* what each must hold, in bytes */
    size_t n;
    struct jw_sink raw;             /* every byte that was read, in order, from one thread at a time */
    struct jw_sink plain;           /* what they hold, in order, from the caller's thread */
    unsigned threads;               /* that decompress; 0: one for each processor */
    const atomic_bool *interrupted; /* NULL: never */
    void (*progress)(void *ctx, uint64_t done, uint64_t total); /* bytes of content, the caller's thread */
    void *ctx;
};

bool jw_unfold_run(const struct jw_unfold *u, struct jw_err *err) JW_MUST;

/* A frame as a pack has them: measured, with a checksum, a window that any decoder takes, and this content. */
bool jw_unfold_measure(const struct jw_source *bytes, uint64_t at, uint64_t end, uint64_t content,
                       struct jw_zstd_frame *out, bool *cut, struct jw_err *err) JW_MUST;

#endif
