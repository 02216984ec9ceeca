/* A deflated member of a wheel as a source, through ISA-L. Its first bytes alone cost little: nine
 * of ten members have no CUDA code, and their first bytes say so. The first read behind them
 * unpacks the whole member once, and checks its size and its CRC-32: a member that is damaged
 * anywhere gives nothing but its first bytes, which are unproven.
 *
 * The last JW_INFLATE_ROOM bytes before the place that was read last are in memory, and so are
 * ranges of up to 2 MiB that were announced (prefetch of a source). All else of a larger member is
 * unpacked again from its start: readers go from front to back. */
#pragma once

#include "formats/zip.h"

enum { JW_INFLATE_ROOM = 192 << 20 };

struct jw_inflate;

struct jw_inflate *jw_inflate_new(void);    /* reusable for other streams */
void jw_inflate_free(struct jw_inflate *z); /* accepts NULL */

/* Starts the stream of `m`, and ends the last one. Copies `packed` but borrows its data. */
struct jw_source jw_inflate_source(struct jw_inflate *z, const struct jw_source *packed,
                                   const struct jw_zip_member *m);
