/* Random access to a deflated stream. The first pass keeps checkpoints (at most 128 of 32 KiB), from which a backward
 * read restarts, and the headers of CUDA containers (at most 4 MiB). So a scan unpacks a library once, although its
 * section table is at its end. */
#ifndef FORMATS_INFLATE_H
#define FORMATS_INFLATE_H

#include "base/source.h"

struct jw_inflate;

struct jw_inflate *jw_inflate_new(void);    /* reusable for other streams */
void jw_inflate_free(struct jw_inflate *z); /* accepts NULL */

/* Starts a stream of `plain` unpacked bytes. Copies `packed` but borrows its data. Invalidates the previous stream's
 * source. */
struct jw_source jw_inflate_source(struct jw_inflate *z, const struct jw_source *packed, uint64_t plain);

/* False: this ratio is a decompression bomb. */
bool jw_inflate_plausible(uint64_t packed, uint64_t plain, struct jw_err *err) JW_MUST;

#endif
