/*
 * Bytes that can be read by position: a file, a member of an archive, a deflated member of a wheel, memory.
 * Parsers see nothing else. A read gives all `n` bytes or fails with a sentence; reading past `size` is an
 * error
 * of the caller's bytes (JW_E_FORMAT), a file that became shorter is JW_E_IO.
 */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

struct jw_source {
    uint64_t size;
    bool (*pull)(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err);
    void *ctx;
    uint64_t base; /* added to every position: makes a window of another source */
};

bool jw_source_read(const struct jw_source *s, uint64_t at, void *dst, size_t n, struct jw_err *err) JW_MUST;

/* [at, at + size) of `s`, which must outlive it. The range must lie inside. */
bool jw_source_window(const struct jw_source *s, uint64_t at, uint64_t size, struct jw_source *out,
                      struct jw_err *err) JW_MUST;

/* `bytes` is borrowed, and so is the struct that holds it. */
struct jw_source jw_source_memory(const struct jw_bytes *bytes);

/* Where bytes go when there may be many of them. False stops the producer, with `err` set. */
struct jw_sink {
    bool (*put)(void *ctx, const void *p, size_t n, struct jw_err *err);
    void *ctx;
};

struct jw_buf;
struct jw_sink jw_sink_buf(struct jw_buf *b);

#endif
