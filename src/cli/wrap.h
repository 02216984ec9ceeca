/* Text between words, at a width. */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include "base/buf.h"

/* Appends `text`, wrapped at `width`: its first line goes on at column `at`, the others begin at `indent`. An empty line in the text
 * stays. A longer word is not broken. Ends with a line break. */
void jw_wrap_text(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width);

#endif
