/* Reads the first directives of PTX text. */
#pragma once

#include "base/bytes.h"
#include "formats/arch.h"
#include "jitwarm/err.h"

struct jw_ptx {
    uint16_t major, minor; /* .version */
    struct jw_arch target;
};

/* Skips blanks and comments from `at` on, and preprocessor lines, which a driver accepts except at
 * the beginning. Returns the length of the text if a comment does not end. */
size_t jw_ptx_skip(struct jw_bytes text, size_t at);
/* The position behind this byte, or behind the comment or string that begins with it. */
size_t jw_ptx_next(struct jw_bytes text, size_t at);

/* May a file with these first bytes be PTX: comments and blank lines, then .version? */
bool jw_ptx_plausible(struct jw_bytes head);

/* Parses `.version` and `.target`, with comments before and between them. A NUL ends the text. */
bool jw_ptx_read(struct jw_bytes text, struct jw_ptx *out, struct jw_err *err);

/* Is each of its braces closed? A driver refuses a text that was cut within a function. */
bool jw_ptx_is_whole(struct jw_bytes text);

/* Is it one text and nothing else? It declares something, is no template of printf's, and has
 * neither a second head nor other words behind what it declares last. */
bool jw_ptx_is_alone(struct jw_bytes text);

/* The number of its kernels. A comment that speaks of entries may mislead it. */
uint64_t jw_ptx_kernels(struct jw_bytes text);

/* Does the text, or its beginning, call what only OptiX has? The driver refuses it. */
bool jw_ptx_is_optix(struct jw_bytes text);
