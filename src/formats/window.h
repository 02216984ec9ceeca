/*
 * Reads of a few bytes at rising positions, a handful of system calls for many of them. One header and what
 * follows
 * it come with one read; nothing in between is touched, so that scanning a cold 500 MB library reads a few
 * MB.
 */
#ifndef FORMATS_WINDOW_H
#define FORMATS_WINDOW_H

#include "base/source.h"

enum { JW_WINDOW = 256 };

struct jw_window {
    const struct jw_source *src;
    uint64_t at;
    size_t n;
    uint8_t buf[JW_WINDOW];
};

/* `n` <= JW_WINDOW bytes at `at`, borrowed until the next call. */
bool jw_window_get(struct jw_window *w, uint64_t at, size_t n, struct jw_bytes *out,
                   struct jw_err *err) JW_MUST;

#endif
