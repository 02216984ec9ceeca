/* The progress bar of all long work. */
#ifndef CLI_BAR_H
#define CLI_BAR_H

#include "base/buf.h"

#include <stdint.h>

/* Columns of the bar in a line of `width`, beside the longest text that follows it; 0: no bar. */
size_t jw_bar_width(size_t width, size_t text);

/* Appends "[####......] ": `width` columns and a blank. */
void jw_bar_put(struct jw_buf *out, double part, size_t width);

/* Appends a line for work in bytes: "[####......] 41 %, 108 of 266 MiB, about 12 s left". `seconds`: elapsed. */
void jw_bar_line(struct jw_buf *out, uint64_t done, uint64_t total, double seconds, unsigned columns);

#endif
