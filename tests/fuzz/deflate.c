#include "base/deflate.h"
#include "fuzz.h"

#include <zlib.h>

/* Deflate against zlib: what one takes the other takes, with the same bytes, in whatever steps they are asked for. */

enum { MOST = 160 * 1024, KEEP = JW_DEFLATE_WINDOW, ROOM = 3 * JW_DEFLATE_WINDOW };

static uint8_t theirs[MOST], out[ROOM + JW_DEFLATE_SLACK];
static struct jw_deflate d;

static bool by_zlib(const uint8_t *data, size_t size, size_t *n)
{
    z_stream z = {
        .next_in = (uint8_t *)(uintptr_t)data, .avail_in = (uInt)size, .next_out = theirs, .avail_out = MOST
    };

    FUZZ_CHECK(inflateInit2(&z, -MAX_WBITS) == Z_OK);
    int state = inflate(&z, Z_FINISH);
    *n = MOST - z.avail_out;
    (void)inflateEnd(&z);
    return state == Z_STREAM_END;
}

/* Where a block begins, all that follows can be unpacked from there. */
static void again(const struct jw_source *src, uint64_t bit, const uint8_t *window, size_t window_n,
                  size_t at, size_t most)
{
    static uint8_t from_there[KEEP + ROOM + JW_DEFLATE_SLACK];
    static struct jw_deflate other;
    struct jw_err err = { 0 };
    size_t n = window_n;
    enum jw_deflate_state state;

    memcpy(from_there, window, window_n);
    jw_deflate_start(&other, src, bit);
    state = jw_deflate_more(&other, from_there, &n, window_n + 1 + ROOM / 2, &err);
    if (state <= JW_DEFLATE_END && n - window_n <= most - at)
        FUZZ_CHECK(memcmp(from_there + window_n, theirs + at, n - window_n) == 0);
}

FUZZ(deflate)
{
    static const size_t steps[] = { 1, 300, 4096, ROOM };
    struct jw_bytes bytes = { data, size };
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_err err = { 0 };
    size_t theirs_n, n = 0, at = 0;
    bool sound = by_zlib(data, size, &theirs_n);
    enum jw_deflate_state state = JW_DEFLATE_MORE;

    jw_deflate_start(&d, &src, 0);
    for (unsigned i = size ? data[size - 1] : 0; state == JW_DEFLATE_MORE && at < MOST; i++) {
        uint64_t bit;

        if (n >= ROOM) {
            memmove(out, out + n - KEEP, KEEP);
            n = KEEP;
        }
        size_t before = n;
        state = jw_deflate_more(&d, out, &n, n + steps[i % 4] < ROOM ? n + steps[i % 4] : ROOM, &err);
        FUZZ_CHECK(n >= before && n <= ROOM + JW_DEFLATE_SLACK);
        size_t both = at < theirs_n ? theirs_n - at : 0;
        if (both > n - before)
            both = n - before;
        FUZZ_CHECK(memcmp(out + before, theirs + at, both) == 0);
        at += n - before;
        if (state == JW_DEFLATE_MORE && i % 8 == 0 && jw_deflate_between(&d, &bit) && at <= theirs_n)
            again(&src, bit, out + (n > KEEP ? n - KEEP : 0), n > KEEP ? KEEP : n, at, theirs_n);
    }
    if (theirs_n < MOST) {
        FUZZ_CHECK(sound == (state == JW_DEFLATE_END));
        FUZZ_CHECK(!sound || at == theirs_n);
    }
}
