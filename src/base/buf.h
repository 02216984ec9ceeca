/*
 * A growing buffer with a maximum. An append beyond it sets `bad`, which stays set: append freely,
 * and check once at the end. A buffer with an arena keeps its bytes there, and need not be freed.
 */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "jitwarm/err.h"

struct jw_buf {
    uint8_t *p;
    size_t n, cap, max;
    bool bad;
    struct jw_arena *in; /* NULL: it has memory of its own */
};

#define JW_BUF(limit) ((struct jw_buf){.max = (limit)})
#define JW_BUF_IN(arena, limit) ((struct jw_buf){.max = (limit), .in = (arena)})
#define JW_LINE(arena) JW_BUF_IN(arena, JW_MAX_LINE)

void jw_buf_add(struct jw_buf *b, const void *p, size_t n);
void jw_buf_text(struct jw_buf *b, const char *text);
void jw_buf_printf(struct jw_buf *b, const char *fmt, ...) JW_PRINTF(2, 3);
void jw_buf_fill(struct jw_buf *b, uint8_t value, size_t n);
void jw_buf_clear(struct jw_buf *b); /* keeps the memory, resets `bad` */
void jw_buf_free(struct jw_buf *b);  /* leaves it reusable */

/* NUL-terminates the text and returns it; "" if the buffer is bad or empty. */
const char *jw_buf_cstr(struct jw_buf *b);

/* False, with an error, if the buffer is bad. */
bool jw_buf_ok(const struct jw_buf *b, struct jw_err *err);

static inline struct jw_bytes jw_buf_bytes(const struct jw_buf *b)
{
    return (struct jw_bytes){b->p, b->n};
}
