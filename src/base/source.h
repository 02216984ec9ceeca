/* The input of all parsers: bytes that can be read by position, from a file, a member of a wheel,
 * or memory. A read returns all `n` bytes or fails. A read past `size` is JW_E_FORMAT; a file that
 * became shorter is JW_E_IO. */
#pragma once

#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

struct jw_source {
    uint64_t size;
    bool (*pull)(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err);
    void *ctx;
    uint64_t base; /* added to every position, for windows of another source */
    /* Tells that these bytes will be read soon, so that a file begins to fetch them; or NULL. */
    void (*prefetch)(void *ctx, uint64_t at, uint64_t n);
    /* Compares all bytes, whether or not they were read, with a checksum. NULL: there is none. */
    bool (*check)(void *ctx, struct jw_err *err);
    const atomic_bool *interrupted; /* asked at each read; NULL: never */
    const struct jw_bytes *memory;  /* what it borrows, whatever the window; NULL: another source */
};

bool jw_source_read(const struct jw_source *s, uint64_t at, void *dst, size_t n,
                    struct jw_err *err) JW_MUST;

/* As `prefetch` above, for as much of it as there is. */
void jw_source_prefetch(const struct jw_source *s, uint64_t at, uint64_t n);

/* As `check` above; true for a source without it. Call it before you conclude anything. */
bool jw_source_check(const struct jw_source *s, struct jw_err *err) JW_MUST;

/* The part [at, at + size) of `s`, which must outlive it. */
bool jw_source_window(const struct jw_source *s, uint64_t at, uint64_t size, struct jw_source *out,
                      struct jw_err *err) JW_MUST;

/* A window on a source: one read fetches a header and some bytes behind it. */
enum { JW_WINDOW = 8192 };

struct jw_window {
    const struct jw_source *src;
    uint64_t at;
    size_t n;
    uint8_t buf[JW_WINDOW];
};

/* Returns `n` <= JW_WINDOW bytes from `at`, borrowed until the next call. */
bool jw_window_get(struct jw_window *w, uint64_t at, size_t n, struct jw_bytes *out,
                   struct jw_err *err) JW_MUST;

/* Borrows `bytes` and the struct itself. */
struct jw_source jw_source_memory(const struct jw_bytes *bytes);

/* A consumer of bytes. False stops the producer; `err` is set. */
struct jw_sink {
    bool (*put)(void *ctx, const void *p, size_t n, struct jw_err *err);
    void *ctx;
};

struct jw_buf;
struct jw_sink jw_sink_buf(struct jw_buf *b);
