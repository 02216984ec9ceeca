/*
 * A deflated stream that can be read by position. The first pass leaves checkpoints (at most 128 of 32 KB),
 * from
 * which a read further back starts again; reads that move forward cost one pass.
 */
#ifndef FORMATS_INFLATE_H
#define FORMATS_INFLATE_H

#include "base/source.h"

struct jw_inflate;

/* `packed` is copied, what it reads from is borrowed. `plain` is the size that the stream is said to have. */
bool jw_inflate_open(struct jw_inflate **out, const struct jw_source *packed, uint64_t plain,
                     struct jw_err *err) JW_MUST;
struct jw_source jw_inflate_source(struct jw_inflate *z);
void jw_inflate_close(struct jw_inflate *z); /* accepts NULL */

/* The first `n` plain bytes (at most 4096), without all that. */
bool jw_inflate_head(const struct jw_source *packed, uint8_t *dst, size_t n, struct jw_err *err) JW_MUST;

#endif
