#include "gen/sources.h"

#include "base/num.h"

#include <string.h>

static bool pull(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    struct gen_sparse *s = ctx;

    s->bytes += n;
    if (++s->reads == s->fail_at)
        return jw_fail(err, JW_E_IO, "input/output error");
    if (s->shrunk && !jw_within(at, n, s->shrunk))
        return jw_fail(err, JW_E_IO, "the file shrank while it was read");
    memset(dst, 0, n);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t from = jw_max(at, s->piece[i].at),
                 to = jw_min(at + n, s->piece[i].at + s->piece[i].data.n);

        if (from < to)
            memcpy((uint8_t *)dst + (from - at), s->piece[i].data.p + (from - s->piece[i].at),
                   (size_t)(to - from));
    }
    return true;
}

static void note_prefetch(void *ctx, uint64_t at, uint64_t n)
{
    struct gen_sparse *s = ctx;

    (void)at;
    s->prefetched += n;
}

struct jw_source gen_source(struct gen_sparse *s)
{
    return (struct jw_source){.size = s->size, .pull = pull, .ctx = s, .prefetch = note_prefetch};
}
