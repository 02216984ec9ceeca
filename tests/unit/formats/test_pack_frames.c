#include "pack/format/pack_frames.h"

#include "check.h"
#include "pack/format/tar.h"

#include <stdlib.h>

enum { MIB = 1 << 20 };

/* "1 2 1": members of each frame. */
static const char *cut(const uint64_t *sizes, size_t n)
{
    static char text[256];
    size_t at = 0, first = 0;

    text[0] = '\0';
    while (first < n) {
        struct jw_pack_frame f;
        struct jw_err err = { 0 };

        CHECK(jw_pack_frame_at(sizes, n, first, &f, &err));
        CHECK(f.first == first && f.n > 0);
        if (!f.n)
            break;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%zu", first ? " " : "", f.n);
        first += f.n;
    }
    CHECK_NUM(first, n);
    return text;
}

TEST(the_manifest_is_alone)
{
    const uint64_t sizes[] = { 100, 1, 2, 3 };
    struct jw_pack_frame f;
    struct jw_err err = { 0 };

    CHECK_TEXT(cut(sizes, 4), "1 3");
    CHECK_TEXT(cut(sizes, 1), "1");
    CHECK(jw_pack_frame_at(sizes, 4, 0, &f, &err) && f.bytes == 1024);
    CHECK(jw_pack_frame_at(sizes, 4, 1, &f, &err) && f.bytes == 3 * 1024 + JW_TAR_END);
    CHECK(jw_pack_frame_at(sizes, 1, 0, &f, &err) && f.bytes == 1024 + JW_TAR_END);
}

TEST(frames_are_full_to_the_byte)
{
    const uint64_t half = 16 * MIB - 512;
    const uint64_t exact[] = { 1, half, half, 1 }, over[] = { 1, half, half + 1, 1 };

    CHECK_TEXT(cut(exact, 4), "1 2 1");
    CHECK_TEXT(cut(over, 4), "1 1 2");
}

TEST(a_large_member_is_alone)
{
    const uint64_t sizes[] = { 1, 5, 32 * MIB, 5, 5, 300 * MIB, 40 * MIB, 5 };

    CHECK_TEXT(cut(sizes, 8), "1 1 1 2 1 1 1");
    const uint64_t fits[] = { 1, 32 * MIB - 512, 5 };
    CHECK_TEXT(cut(fits, 3), "1 1 1");
}

/* The frames together are the tar, and none but that of one large member is over the mark. */
TEST(frames_add_up)
{
    enum { N = 3000 };
    static uint64_t sizes[N];
    uint64_t all = JW_TAR_END, sum = 0, seed = 1;
    struct jw_pack_frame f;
    struct jw_err err = { 0 };

    for (size_t i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        sizes[i] = (seed >> 33) % (i % 100 ? 300000 : 60 * MIB);
        all += jw_tar_span(sizes[i]);
    }
    for (size_t at = 0; at < N; at += f.n) {
        CHECK(jw_pack_frame_at(sizes, N, at, &f, &err));
        CHECK(f.n == 1 || f.bytes <= JW_PACK_FRAME + JW_TAR_END);
        sum += f.bytes;
    }
    CHECK_NUM(sum, all);
}

TEST(a_member_that_no_tar_holds)
{
    const uint64_t sizes[] = { 1, 1, UINT64_MAX };
    struct jw_pack_frame f;
    struct jw_err err = { 0 };

    CHECK(!jw_pack_frame_at(sizes, 3, 1, &f, &err));
    CHECK_TEXT(err.msg, "pack: member 2 of 18446744073709551615 bytes, expected at most 8589934591");
    CHECK(!jw_pack_frame_at(sizes, 3, 3, &f, &err));
    CHECK_TEXT(err.msg, "pack: a frame at member 3 of 3");
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(the_manifest_is_alone), T(frames_are_full_to_the_byte),
               T(a_large_member_is_alone), T(frames_add_up), T(a_member_that_no_tar_holds));
}
