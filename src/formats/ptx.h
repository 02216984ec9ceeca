/* Reads PTX text: its first directives and the names of its kernels. */
#ifndef FORMATS_PTX_H
#define FORMATS_PTX_H

#include "base/bytes.h"
#include "formats/arch.h"
#include "jitwarm/err.h"

struct jw_ptx {
    uint16_t major, minor; /* .version */
    struct jw_arch target;
};

/* Tells whether a file with these first bytes may be PTX: comments and blank lines, then .version. */
bool jw_ptx_plausible(struct jw_bytes head);

/* Parses `.version` and `.target`, with comments before and between them. A NUL ends the text. */
bool jw_ptx_read(struct jw_bytes text, struct jw_ptx *out, struct jw_err *err);

/* The name of the next kernel after `*at` (start with 0), borrowed from `text`; `n` is 0 at the end. Skips comments and
 * quoted strings. */
struct jw_bytes jw_ptx_next_kernel(struct jw_bytes text, size_t *at);

#endif
