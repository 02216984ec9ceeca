/* PTX text: what its first lines say, and the names of its kernels. */
#ifndef FORMATS_PTX_H
#define FORMATS_PTX_H

#include "base/bytes.h"
#include "formats/arch.h"
#include "jitwarm/err.h"

struct jw_ptx {
    uint16_t major, minor; /* .version */
    struct jw_target target;
    unsigned address_size; /* 32 or 64; 0 when it does not say */
};

/* Could this be PTX? Comments and blank lines, then .version: told from the first bytes of a file. */
bool jw_ptx_plausible(struct jw_bytes head);

/* `.version` and `.target` must be in `text`; comments may come before and between. A NUL ends the text. */
bool jw_ptx_read(struct jw_bytes text, struct jw_ptx *out, struct jw_err *err);

/*
 * The next kernel's name after `*at` (0 to begin), borrowed from `text`; `n` is 0 at the end. Comments and
 * quoted
 * strings are passed over.
 */
struct jw_bytes jw_ptx_next_kernel(struct jw_bytes text, size_t *at);

#endif
