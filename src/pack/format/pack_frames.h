/*
 * Where a pack's tar is cut into zstd frames: the manifest is alone in the first; then whole members, as many as fit
 * into JW_PACK_FRAME bytes of tar; a larger member is alone. The end blocks belong to the last frame. Nothing but the
 * members' sizes decides, so that the number of threads never changes a byte.
 */
#ifndef PACK_FORMAT_PACK_FRAMES_H
#define PACK_FORMAT_PACK_FRAMES_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JW_PACK_FRAME ((uint64_t)32 << 20)

struct jw_pack_frame {
    size_t first, n; /* members */
    uint64_t bytes;  /* of tar */
};

/*
 * The frame that begins with member `first` of `n`; the next one begins with member `first + out->n`. `sizes[0]` is the
 * manifest's, the others are the entries', in their order.
 */
bool jw_pack_frame_at(const uint64_t *sizes, size_t n, size_t first, struct jw_pack_frame *out,
                      struct jw_err *err) JW_MUST;

#endif
