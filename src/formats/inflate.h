/*
 * Random access to a deflated member of a wheel, through ISA-L. The first pass keeps checkpoints (at most 128
 * of 88 KiB), from which a backward read restarts, and the headers of CUDA containers (at most 4 MiB). So a
 * scan unpacks a library once, although its section table is at its end.
 *
 * Its size and CRC-32 are checked on the first pass: the read that reaches the last byte fails where they are
 * wrong, and so does jw_source_check, which unpacks the bytes that nobody read. Until then bytes are
 * unproven. A caller that uses a member runs the check first; one that only looks at its first bytes and
 * skips it (nine of ten members have no CUDA code) need not. A stored member has no such check, as a file on
 * disk has none: it is read in parts, and never whole.
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

/* False: this ratio is a decompression bomb. */
bool jw_inflate_plausible(uint64_t packed, uint64_t plain, struct jw_err *err) JW_MUST;

#endif
