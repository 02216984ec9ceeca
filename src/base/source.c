#include "base/source.h"

#include "base/buf.h"
#include "base/num.h"

#include <string.h>

bool jw_source_read(const struct jw_source *s, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    if (!jw_within(at, n, s->size))
        return jw_fail(err, JW_E_FORMAT, "%zu bytes at 0x%llx run past the end (0x%llx)", n,
                       (unsigned long long)at, (unsigned long long)s->size);
    return n == 0
           || (jw_not_interrupted(s->interrupted, err)
               && s->pull(s->ctx, s->base + at, dst, n, err));
}

void jw_source_prefetch(const struct jw_source *s, uint64_t at, uint64_t n)
{
    if (s->prefetch && at < s->size)
        s->prefetch(s->ctx, s->base + at, jw_min(n, s->size - at));
}

bool jw_source_check(const struct jw_source *s, struct jw_err *err)
{
    return !s->check || s->check(s->ctx, err);
}

bool jw_source_window(const struct jw_source *s, uint64_t at, uint64_t size, struct jw_source *out,
                      struct jw_err *err)
{
    if (!jw_within(at, size, s->size))
        return jw_fail(err, JW_E_FORMAT, "0x%llx bytes at 0x%llx run past the end (0x%llx)",
                       (unsigned long long)size, (unsigned long long)at,
                       (unsigned long long)s->size);
    *out = *s;
    out->base = s->base + at;
    out->size = size;
    return true;
}

enum { PAGE = 4096, FAR = 256, NEAR = 2048 };

/* The end of a read from `at` on: a little where headers are far apart, more where they are close.
 * A page is not begun for less than what is asked for. */
static uint64_t window_end(const struct jw_window *w, uint64_t at, size_t n)
{
    bool near = w->n && at >= w->at && at - w->at < w->n + NEAR;
    uint64_t base = w->src->base;
    uint64_t end = base + at + (near ? JW_WINDOW : FAR);

    if (end / PAGE > (base + at + n - 1) / PAGE)
        end -= end % PAGE;
    return jw_min(end - base, w->src->size);
}

bool jw_window_get(struct jw_window *w, uint64_t at, size_t n, struct jw_bytes *out,
                   struct jw_err *err)
{
    if (at < w->at || !jw_within(at - w->at, n, w->n)) {
        size_t want =
            jw_within(at, n, w->src->size) ? (size_t)jw_max(n, window_end(w, at, n) - at) : n;
        w->n = 0;
        if (!jw_source_read(w->src, at, w->buf, want, err))
            return false;
        w->at = at;
        w->n = want;
    }
    *out = (struct jw_bytes){w->buf + (at - w->at), n};
    return true;
}

static bool pull_memory(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    const struct jw_bytes *bytes = ctx;
    struct jw_bytes part;

    if (!jw_slice(*bytes, at, n, &part))
        return jw_fail(err, JW_E_FORMAT, "read past the end");
    if (part.n)
        memcpy(dst, part.p, part.n);
    return true;
}

struct jw_source jw_source_memory(const struct jw_bytes *bytes)
{
    union {
        const void *in;
        void *out;
    } borrowed = {.in = bytes};

    return (struct jw_source){
        .size = bytes->n, .pull = pull_memory, .ctx = borrowed.out, .memory = bytes};
}

static bool put_buf(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct jw_buf *b = ctx;

    jw_buf_add(b, p, n);
    return jw_buf_ok(b, err);
}

struct jw_sink jw_sink_buf(struct jw_buf *b) { return (struct jw_sink){put_buf, b}; }
