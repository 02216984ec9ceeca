/*
 * A deflated stream that can be read by position. The first pass keeps checkpoints (at most 128 of 32 KB), from which
 * a read further back starts again, and the headers of the CUDA containers that it passes (at most 4 MB). So a scan
 * unpacks a library once, although the table that says where its containers are stands at the end.
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
