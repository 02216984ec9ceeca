/*
 * A deflated stream that can be read by position. The first pass leaves checkpoints (at most 128 of 32 KB), from
 * which a read further back starts again; reads that move forward cost one pass.
 */
#ifndef FORMATS_INFLATE_H
#define FORMATS_INFLATE_H

#include "base/source.h"

struct jw_inflate;

struct jw_inflate *jw_inflate_new(void);    /* for one stream after the other */
void jw_inflate_free(struct jw_inflate *z); /* accepts NULL */

/* `packed` is copied, what it reads from is borrowed. `plain` is the size that the stream is said to have. The source
 * of the stream before is gone. */
struct jw_source jw_inflate_source(struct jw_inflate *z, const struct jw_source *packed, uint64_t plain);

/* False: that much out of so little is a decompression bomb. */
bool jw_inflate_plausible(uint64_t packed, uint64_t plain, struct jw_err *err) JW_MUST;

#endif
