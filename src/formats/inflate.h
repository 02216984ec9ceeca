/*
 * A deflated member of a wheel as a source, through ISA-L. Its first bytes alone cost little: nine of ten members have no CUDA code,
 * and their first bytes say so. The first read behind them unpacks the whole member into memory, once, and checks its size and its
 * CRC-32: a member that is damaged anywhere gives nothing but its first bytes, which are unproven.
 */
#ifndef FORMATS_INFLATE_H
#define FORMATS_INFLATE_H

#include "formats/zip.h"

struct jw_inflate;

struct jw_inflate *jw_inflate_new(void);    /* reusable for other streams */
void jw_inflate_free(struct jw_inflate *z); /* accepts NULL */

/* Starts the stream of `m`. Copies `packed` but borrows its data. Invalidates the previous stream's source. */
struct jw_source jw_inflate_source(struct jw_inflate *z, const struct jw_source *packed,
                                   const struct jw_zip_member *m);

/* False: this ratio is a decompression bomb, or it is too large to be unpacked into memory. */
bool jw_inflate_plausible(uint64_t packed, uint64_t plain, struct jw_err *err) JW_MUST;

#endif
