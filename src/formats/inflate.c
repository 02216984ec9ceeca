#include "formats/inflate.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>
#include <zlib.h>

enum {
    IN = 32 * 1024,
    DICTIONARY = 32 * 1024, /* what deflate may refer back to */
    KEEP = 128 * 1024,      /* plain bytes kept behind the newest ones: twice what readers search at once */
    OUT = 2 * KEEP,
    STEP = 32 * 1024, /* plain bytes made at once */
    MAX_STALLS = 8, /* zlib holds up to 32 bits of input: a few empty blocks that it passes without a byte */
    MAX_POINTS = 128,
    MIN_SPACING = 1 << 20,
    BOMB_RATIO = 200
};

#define BOMB_SIZE ((uint64_t)256 << 20)

struct point {
    uint64_t in, out; /* compressed bytes consumed, plain bytes made */
    int bits;         /* of the last consumed byte that are still to come */
    uint8_t *dictionary;
    size_t dictionary_n;
};

struct jw_inflate {
    struct jw_source packed;
    uint64_t plain, spacing;
    z_stream z;
    bool open, ended;
    bool lost;       /* a restart failed half-way: start again before anything else */
    uint64_t in_at;  /* next compressed byte to fetch */
    uint64_t out_at; /* plain position behind the newest byte in `out` */
    size_t out_n;    /* plain bytes in `out`, the newest last */
    struct point points[MAX_POINTS];
    size_t n_points;
    uint8_t in[IN], out[OUT];
};

bool jw_inflate_open(struct jw_inflate **out, const struct jw_source *packed, uint64_t plain,
                     struct jw_err *err)
{
    if (plain > JW_MAX_ZIP_MEMBER || (plain > BOMB_SIZE && plain / BOMB_RATIO > packed->size))
        return jw_fail(err, JW_E_LIMIT,
                       "zip: %llu bytes claim to unpack to %llu; looks like a decompression bomb",
                       (unsigned long long)packed->size, (unsigned long long)plain);
    struct jw_inflate *z = jw_alloc(sizeof *z);
    z->packed = *packed;
    z->plain = plain;
    z->spacing = jw_max(MIN_SPACING, plain / (MAX_POINTS - 1));
    if (inflateInit2(&z->z, -15) != Z_OK)
        jw_out_of_memory(sizeof *z);
    z->open = true;
    *out = z;
    return true;
}

void jw_inflate_close(struct jw_inflate *z)
{
    if (!z)
        return;
    if (z->open)
        (void)inflateEnd(&z->z);
    for (size_t i = 0; i < z->n_points; i++)
        jw_free(z->points[i].dictionary);
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

static bool start_from(struct jw_inflate *z, const struct point *from, struct jw_err *err)
{
    bool ok = inflateReset2(&z->z, -15) == Z_OK;

    z->lost = true;
    z->z.avail_in = 0;
    z->ended = false;
    z->in_at = from ? from->in : 0;
    z->out_at = from ? from->out : 0;
    z->out_n = 0;
    if (from && from->bits) {
        uint8_t last;

        if (!jw_source_read(&z->packed, from->in - 1, &last, 1, err))
            return false;
        ok = ok && inflatePrime(&z->z, from->bits, last >> (8 - from->bits)) == Z_OK;
    }
    if (from) {
        ok = ok && inflateSetDictionary(&z->z, from->dictionary, (uInt)from->dictionary_n) == Z_OK;
        memcpy(z->out, from->dictionary, from->dictionary_n);
        z->out_n = from->dictionary_n;
    }
    z->lost = !ok;
    return ok || jw_fail(err, JW_E_FORMAT, "zlib: cannot start again");
}

/* Called between two deflate blocks. */
static void remember(struct jw_inflate *z)
{
    uint64_t last = z->n_points ? z->points[z->n_points - 1].out : 0;

    if (z->out_at < last + z->spacing || z->n_points == MAX_POINTS)
        return;
    size_t n = (size_t)jw_min(DICTIONARY, z->out_n);
    uint8_t *dictionary = jw_alloc(n);

    memcpy(dictionary, z->out + z->out_n - n, n);
    z->points[z->n_points++] =
        (struct point){ z->in_at - z->z.avail_in, z->out_at, z->z.data_type & 7, dictionary, n };
}

static bool feed(struct jw_inflate *z, struct jw_err *err)
{
    size_t n = (size_t)jw_min(IN, z->packed.size - z->in_at);

    if (!jw_source_read(&z->packed, z->in_at, z->in, n, err))
        return false;
    z->in_at += n;
    z->z.next_in = z->in;
    z->z.avail_in = (uInt)n;
    return true;
}

/* Makes at least one more plain byte, or fails. */
static bool more(struct jw_inflate *z, struct jw_err *err)
{
    if (z->out_n == OUT) {
        memmove(z->out, z->out + OUT - KEEP, KEEP);
        z->out_n = KEEP;
    }
    size_t before = z->out_n;
    unsigned stalls = 0;

    while (z->out_n == before) {
        if (z->ended)
            return jw_fail(err, JW_E_FORMAT, "zip: the member ends at %llu, but claims %llu bytes",
                           (unsigned long long)z->out_at, (unsigned long long)z->plain);
        if (z->z.avail_in == 0 && z->in_at < z->packed.size && !feed(z, err))
            return false;
        z->z.next_out = z->out + z->out_n;
        size_t room = (size_t)jw_min(STEP, OUT - z->out_n);

        z->z.avail_out = (uInt)room;
        int state = inflate(&z->z, Z_BLOCK);
        size_t made = room - z->z.avail_out;

        z->out_n += made;
        z->out_at += made;
        if (state == Z_STREAM_END)
            z->ended = true;
        else if (state != Z_OK && state != Z_BUF_ERROR)
            return jw_fail(err, JW_E_FORMAT, "zip: the member's data is damaged near %llu",
                           (unsigned long long)z->out_at);
        else if ((z->z.data_type & 128) && !(z->z.data_type & 64))
            remember(z);
        if (state == Z_BUF_ERROR && ++stalls > MAX_STALLS)
            return jw_fail(err, JW_E_FORMAT, "zip: the member's data ends early, at %llu of %llu bytes",
                           (unsigned long long)z->out_at, (unsigned long long)z->plain);
    }
    return true;
}

static bool pull(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    struct jw_inflate *z = ctx;
    uint8_t *to = dst;

    const struct point *before = point_before(z, at);
    bool behind = at < z->out_at - z->out_n, shortcut = before && before->out > z->out_at;

    if ((z->lost || behind || shortcut) && !start_from(z, before, err))
        return false;
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

struct jw_source jw_inflate_source(struct jw_inflate *z)
{
    return (struct jw_source){ .size = z->plain, .pull = pull, .ctx = z };
}

bool jw_inflate_head(const struct jw_source *packed, uint8_t *dst, size_t n, struct jw_err *err)
{
    uint8_t in[4096 + 512];
    z_stream z = { .next_in = in, .next_out = dst, .avail_out = (uInt)n };

    z.avail_in = (uInt)jw_min(sizeof in, packed->size);
    if (!jw_source_read(packed, 0, in, z.avail_in, err))
        return false;
    if (inflateInit2(&z, -15) != Z_OK)
        jw_out_of_memory(sizeof z);
    int state = inflate(&z, Z_SYNC_FLUSH);
    bool ok = z.avail_out == 0;

    (void)inflateEnd(&z);
    return ok
           || jw_fail(err, JW_E_FORMAT, "zip: the member's data is %s",
                      state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR ? "cut off" : "damaged");
}
