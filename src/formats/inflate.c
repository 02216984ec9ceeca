#include "formats/inflate.h"

#include "base/deflate.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

enum {
    KEEP = 128 * 1024, /* plain bytes kept behind the newest ones: twice what readers search at once */
    OUT = 3 * KEEP,
    HEAD = 4096,      /* made first: nine members of ten are not CUDA's business */
    STEP = 32 * 1024, /* plain bytes made at once */
    MAX_POINTS = 128,
    MIN_SPACING = 1 << 20,
    BOMB_RATIO = 200
};

#define BOMB_SIZE ((uint64_t)256 << 20)

struct point {
    uint64_t bit, out; /* of the packed stream; plain bytes made */
    uint8_t *window;
    size_t window_n;
};

struct jw_inflate {
    struct jw_deflate d;
    struct jw_source packed;
    uint64_t plain, spacing;
    bool lost;       /* a step failed: start again before anything else */
    uint64_t out_at; /* plain position behind the newest byte in `out` */
    size_t out_n;    /* plain bytes in `out`, the newest last */
    struct point points[MAX_POINTS];
    size_t n_points;
    uint8_t out[OUT + JW_DEFLATE_SLACK];
};

struct jw_inflate *jw_inflate_new(void)
{
    return jw_alloc(sizeof(struct jw_inflate));
}

static void forget(struct jw_inflate *z)
{
    while (z->n_points)
        jw_free(z->points[--z->n_points].window);
}

void jw_inflate_free(struct jw_inflate *z)
{
    if (z)
        forget(z);
    jw_free(z);
}

/* The last checkpoint at or before `at`; NULL: the start of the stream. */
static const struct point *point_before(const struct jw_inflate *z, uint64_t at)
{
    size_t n = 0;

    while (n < z->n_points && z->points[n].out <= at)
        n++;
    return n ? &z->points[n - 1] : NULL;
}

static void start_from(struct jw_inflate *z, const struct point *from)
{
    jw_deflate_start(&z->d, &z->packed, from ? from->bit : 0);
    z->lost = false;
    z->out_at = from ? from->out : 0;
    z->out_n = from ? from->window_n : 0;
    if (from)
        memcpy(z->out, from->window, from->window_n);
}

static void remember(struct jw_inflate *z)
{
    uint64_t last = z->n_points ? z->points[z->n_points - 1].out : 0, bit;

    if (z->out_at < last + z->spacing || z->n_points == MAX_POINTS || !jw_deflate_between(&z->d, &bit))
        return;
    size_t n = (size_t)jw_min(JW_DEFLATE_WINDOW, z->out_n);
    uint8_t *window = jw_alloc(n);

    memcpy(window, z->out + z->out_n - n, n);
    z->points[z->n_points++] = (struct point){ bit, z->out_at, window, n };
}

static bool failed(struct jw_inflate *z, enum jw_deflate_state state, struct jw_err *err)
{
    unsigned long long at = z->out_at, plain = z->plain;

    z->lost = true;
    switch (state) {
    case JW_DEFLATE_MORE: z->lost = false; return false;
    case JW_DEFLATE_END:
        (void)jw_fail(err, JW_E_FORMAT, "zip: the member ends at %llu, but claims %llu bytes", at, plain);
        break;
    case JW_DEFLATE_DAMAGED:
        (void)jw_fail(err, JW_E_FORMAT, "zip: the member's data is damaged near %llu", at);
        break;
    case JW_DEFLATE_CUT_OFF:
        (void)jw_fail(err, JW_E_FORMAT, "zip: the member's data ends early, at %llu of %llu bytes", at,
                      plain);
        break;
    default: break; /* said already */
    }
    return true;
}

/* Makes at least one more plain byte, or fails. */
static bool more(struct jw_inflate *z, struct jw_err *err)
{
    if (z->out_n >= OUT) {
        memmove(z->out, z->out + z->out_n - KEEP, KEEP);
        z->out_n = KEEP;
    }
    size_t before = z->out_n, until = z->out_at ? (size_t)jw_min(before + STEP, OUT) : HEAD;

    while (z->out_n == before) {
        enum jw_deflate_state state = jw_deflate_more(&z->d, z->out, &z->out_n, until, err);

        z->out_at += z->out_n - before;
        if (failed(z, state, err))
            return false;
        remember(z);
    }
    return true;
}

static bool pull(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    struct jw_inflate *z = ctx;
    uint8_t *to = dst;

    const struct point *before = point_before(z, at);
    bool behind = at < z->out_at - z->out_n, shortcut = before && before->out > z->out_at;

    if (z->lost || behind || shortcut)
        start_from(z, before);
    while (n) {
        uint64_t oldest = z->out_at - z->out_n;

        if (at < z->out_at) {
            size_t off = (size_t)(at - oldest);
            size_t take = (size_t)jw_min(n, z->out_n - off);

            memcpy(to, z->out + off, take);
            to += take;
            at += take;
            n -= take;
        } else if (!more(z, err)) {
            return false;
        }
    }
    return true;
}

struct jw_source jw_inflate_source(struct jw_inflate *z, const struct jw_source *packed, uint64_t plain)
{
    forget(z);
    z->packed = *packed;
    z->plain = plain;
    z->spacing = jw_max(MIN_SPACING, plain / (MAX_POINTS - 1));
    start_from(z, NULL);
    return (struct jw_source){ .size = plain, .pull = pull, .ctx = z };
}

bool jw_inflate_plausible(uint64_t packed, uint64_t plain, struct jw_err *err)
{
    return (plain <= JW_MAX_ZIP_MEMBER && (plain <= BOMB_SIZE || plain / BOMB_RATIO <= packed))
           || jw_fail(err, JW_E_LIMIT,
                      "zip: %llu bytes claim to unpack to %llu; looks like a decompression bomb",
                      (unsigned long long)packed, (unsigned long long)plain);
}
