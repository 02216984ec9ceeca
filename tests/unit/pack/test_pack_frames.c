#include "pack/format/pack_frames.h"

#include "base/mem.h"
#include "check.h"
#include "pack/format/tar.h"

enum { MIB = 1 << 20, KEY = 100 };

/* Entries of these sizes, all in all. */
static struct jw_pack_entry *entries_of(const uint64_t *sizes, size_t n)
{
    struct jw_pack_entry *e = jw_alloc((n + 1) * sizeof *e);

    for (size_t i = 0; i < n; i++) {
        e[i].key_bytes = KEY;
        e[i].payload_bytes = sizes[i] - KEY - JW_CACHE_HEADER;
    }
    return e;
}

/* "2 1": members of each frame. */
static const char *cut(const uint64_t *sizes, size_t n)
{
    static char text[256];
    struct jw_pack_entry *e = entries_of(sizes, n);
    size_t at = 0, all = 0, frames;
    struct jw_pack_frame *f = jw_pack_cut(e, n, &frames);

    text[0] = '\0';
    for (size_t i = 0; i < frames; all += f[i++].n) {
        CHECK(f[i].first == all && f[i].n > 0);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%zu", i ? " " : "", f[i].n);
    }
    CHECK_NUM(all, n);
    jw_free(f);
    jw_free(e);
    return text;
}

TEST(frames_are_full_to_the_byte)
{
    const uint64_t half = 16 * MIB - 512;
    const uint64_t exact[] = { half, half, 200 }, over[] = { half, half + 1, 200 };

    CHECK_TEXT(cut(exact, 3), "2 1");
    CHECK_TEXT(cut(over, 3), "1 2");
    CHECK_TEXT(cut(over, 1), "1");
    CHECK_TEXT(cut(over, 0), "");
}

TEST(a_large_member_is_alone)
{
    const uint64_t sizes[] = { 500, 32 * MIB, 500, 500, 300 * MIB, 40 * MIB, 500 };

    CHECK_TEXT(cut(sizes, 7), "1 1 2 1 1 1");
    const uint64_t fits[] = { 32 * MIB - 512, 500 };
    CHECK_TEXT(cut(fits, 2), "1 1");
}

/* The frames together are the tar, and none but that of one large member is over the mark. */
TEST(frames_add_up)
{
    enum { N = 3000 };
    static uint64_t sizes[N];
    uint64_t all = 0, sum = 0, seed = 1;
    size_t frames;

    for (size_t i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        sizes[i] = 200 + (seed >> 33) % (i % 100 ? 300000 : 60 * MIB);
        all += jw_tar_span(sizes[i]);
    }
    struct jw_pack_entry *e = entries_of(sizes, N);
    struct jw_pack_frame *f = jw_pack_cut(e, N, &frames);

    for (size_t i = 0; i < frames; i++) {
        CHECK(f[i].n == 1 || f[i].bytes <= JW_PACK_FRAME);
        sum += f[i].bytes;
    }
    CHECK_NUM(sum, all);
    jw_free(f);
    jw_free(e);
}

TEST(a_pointer)
{
    struct jw_buf b = JW_BUF(64);
    uint64_t n;

    jw_pack_pointer_put(&b, 0x123456789abcdef0);
    CHECK_NUM(b.n, JW_PACK_POINTER);
    CHECK(jw_pack_pointer_read(b.p, &n) && n == 0x123456789abcdef0);
    for (size_t i = 0; i < 8; i++) {
        b.p[i] ^= 1;
        CHECK(!jw_pack_pointer_read(b.p, &n));
        b.p[i] ^= 1;
    }
    jw_buf_free(&b);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(frames_are_full_to_the_byte), T(a_large_member_is_alone), T(frames_add_up),
               T(a_pointer));
}
