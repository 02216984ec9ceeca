#include "base/buf.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint8_t *moved(const struct jw_buf *b, size_t size)
{
    uint8_t *p = jw_arena_alloc(b->in, size);

    if (b->n)
        memcpy(p, b->p, b->n);
    return p;
}

/* Room for `extra` more bytes and a NUL. */
static bool reserve(struct jw_buf *b, size_t extra)
{
    if (b->bad)
        return false;
    if (extra > b->max || b->n > b->max - extra) {
        b->bad = true;
        return false;
    }
    if (b->n + extra + 1 <= b->cap)
        return true;

    size_t want = b->cap ? b->cap : 64;

    while (want < b->n + extra + 1)
        want = want > b->max / 2 ? b->max + 1 : want * 2;
    b->p = b->in ? moved(b, want) : jw_realloc(b->p, want);
    b->cap = want;
    return true;
}

void jw_buf_add(struct jw_buf *b, const void *p, size_t n)
{
    if (!n || !reserve(b, n))
        return;
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void jw_buf_text(struct jw_buf *b, const char *text) { jw_buf_add(b, text, strlen(text)); }

void jw_buf_fill(struct jw_buf *b, uint8_t value, size_t n)
{
    if (!n || !reserve(b, n))
        return;
    memset(b->p + b->n, value, n);
    b->n += n;
}

void jw_buf_printf(struct jw_buf *b, const char *fmt, ...)
{
    size_t room = b->bad ? 0 : b->cap - b->n; /* mostly enough */
    va_list args, again;

    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(room ? (char *)b->p + b->n : NULL, room, fmt, args);
    va_end(args);
    if (n < 0)
        b->bad = true;
    else if (reserve(b, (size_t)n)) {
        if ((size_t)n >= room)
            (void)vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void jw_buf_clear(struct jw_buf *b)
{
    b->n = 0;
    b->bad = false;
}

void jw_buf_free(struct jw_buf *b)
{
    if (!b->in)
        jw_free(b->p);
    *b = JW_BUF_IN(b->in, b->max);
}

const char *jw_buf_cstr(struct jw_buf *b)
{
    if (!reserve(b, 0))
        return "";
    b->p[b->n] = '\0';
    return (const char *)b->p;
}

bool jw_buf_ok(const struct jw_buf *b, struct jw_err *err)
{
    return !b->bad || jw_fail(err, JW_E_LIMIT, "no room for more than %zu bytes", b->max);
}
