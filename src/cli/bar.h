/* A bar of progress: the part of a line that all long work shares. */
#ifndef CLI_BAR_H
#define CLI_BAR_H

#include "base/buf.h"

#include <stdint.h>

/* Columns of the bar in a line of `width`; 0: none. The width alone decides, so that the bar stands still while what is said
 * behind it grows and shrinks. */
size_t jw_bar_width(size_t width);

/* "[####......] ", `width` columns and a blank. */
void jw_bar_put(struct jw_buf *out, double part, size_t width);

/* A whole line for work that is measured in bytes: "[####......] 41 %, 108 of 266 MiB, about 12 s left". `seconds`: it has
 * taken. */
void jw_bar_line(struct jw_buf *out, uint64_t done, uint64_t total, double seconds, unsigned columns);

#endif
