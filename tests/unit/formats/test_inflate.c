/* A deflated stream read by position: anywhere, in any order, against the plain bytes. */
#include "formats/inflate.h"
#include "gen/sources.h"
#include "scanned.h"

#include <zlib.h>

enum { SIZE = 8 << 20 };

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

/* Stretches that repeat, stretches of zeros, stretches of noise. */
static void make_plain(struct jw_buf *b, size_t size)
{
    uint32_t seed = 42;

    while (b->n < size) {
        size_t n = 1 + next(&seed) % 50000;

        switch (next(&seed) % 3) {
        case 0: jw_buf_fill(b, 0, n); break;
        case 1:
            for (size_t i = 0; i < n / 8; i++)
                jw_buf_printf(b, "%u, ", next(&seed) % 1000);
            break;
        default:
            for (size_t i = 0; i < n / 8; i++) {
                uint32_t noise = next(&seed);

                jw_buf_add(b, &noise, 3);
            }
        }
    }
    gen_check(b);
}

/* The first bytes of what is made once. */
static void fill_plain(struct jw_buf *b, size_t size)
{
    static struct jw_buf longest;

    if (!longest.n) {
        longest = GEN_BUF;
        make_plain(&longest, SIZE);
    }
    CHECK(size <= longest.n);
    jw_buf_add(b, longest.p, size);
    gen_check(b);
}

static uint32_t crc_of(const uint8_t *p, size_t n) { return (uint32_t)crc32(0, p, (uInt)n); }

struct stream {
    struct jw_buf plain, packed;
    struct gen_sparse file;
    struct jw_source packed_src, src;
    struct jw_zip_member member;
    struct jw_inflate *z;
    struct jw_err err;
};

static void stream_open(struct stream *s, size_t size, int level)
{
    *s = (struct stream){.plain = JW_BUF((size_t)256 << 20), .packed = JW_BUF((size_t)256 << 20)};
    while (s->plain.n < size)
        fill_plain(&s->plain, size - s->plain.n < SIZE ? size - s->plain.n : SIZE);
    gen_deflate(&s->packed, jw_buf_bytes(&s->plain), level);
    s->file = (struct gen_sparse){.size = s->packed.n, .n = 1};
    s->file.piece[0].data = jw_buf_bytes(&s->packed);
    s->packed_src = gen_source(&s->file);
    s->member = (struct jw_zip_member){.at = 0x40, .plain = size, .crc = crc_of(s->plain.p, size)};
    s->z = jw_inflate_new();
    s->src = jw_inflate_source(s->z, &s->packed_src, &s->member);
}

static void stream_close(struct stream *s)
{
    jw_inflate_free(s->z);
    jw_buf_free(&s->plain);
    jw_buf_free(&s->packed);
}

static uint8_t got[300000];

static bool same(struct stream *s, uint64_t at, size_t n)
{
    memset(got, 0xcc, n);
    return jw_source_read(&s->src, at, got, n, &s->err) && memcmp(got, s->plain.p + at, n) == 0;
}

#define TEST_STREAM(id) TEST_WITH(id, struct stream, s, (void), stream_close)

TEST_STREAM(forward_in_one_pass)
{
    stream_open(s, SIZE, 6);
    for (size_t at = 0; at < SIZE; at += 65536)
        CHECK(same(s, at, SIZE - at < 65536 ? SIZE - at : 65536));
    CHECK(s->file.bytes <= s->packed.n);
    CHECK(same(s, SIZE - 1, 1));
    CHECK(!same(s, SIZE, 1)); /* past the end */
    CHECK_NUM(s->src.size, SIZE);
}

static void random_reads(int level, size_t size, unsigned times)
{
    struct stream s;
    uint32_t seed = 1;
    unsigned wrong = 0;

    stream_open(&s, size, level);
    for (unsigned i = 0; i < times; i++) {
        size_t at = next(&seed) * 7919ULL % size, n = next(&seed) % (i % 10 ? 400 : sizeof got);

        wrong += !same(&s, at, n < size - at ? n : size - at);
    }
    CHECK_NUM(wrong, 0);
    stream_close(&s);
}

TEST(anywhere_in_any_order)
{
    random_reads(6, SIZE, 200);
    random_reads(1, SIZE, 60);
    random_reads(0, SIZE, 60); /* stored blocks */
    random_reads(9, 3000, 2000);
    random_reads(6, (1 << 20) + 1, 500);
}

/* What is far behind and was not announced is unpacked again, and is the same. */
TEST_STREAM(a_member_that_is_larger_than_what_is_kept)
{
    enum { LARGE = JW_INFLATE_ROOM + (8 << 20) };
    uint64_t once;

    stream_open(s, LARGE, 0);
    CHECK(same(s, LARGE - 1000, 1000));
    jw_source_prefetch(&s->src, LARGE - 200000, 100000);
    jw_source_prefetch(&s->src, 1 << 20, 100000);
    CHECK(same(s, LARGE - 16 * sizeof got, sizeof got));
    once = s->file.bytes;
    CHECK_NUM(once, s->packed.n);
    for (size_t at = 0; at < LARGE; at += sizeof got)
        CHECK(same(s, at, LARGE - at < sizeof got ? LARGE - at : sizeof got));
    CHECK_NUM(s->file.bytes, 2 * once);
    CHECK(same(s, (1 << 20) + 10, 99990) && same(s, LARGE - 200000, 100000));
    CHECK_NUM(s->file.bytes, 2 * once);
    CHECK(same(s, (1 << 20) + 10, 99991) && s->file.bytes > 2 * once);
    CHECK(!same(s, LARGE, 1));
}

/* Each read of the packed bytes fails once: an error, and after it all is read again. */
TEST(a_read_that_fails_does_no_harm)
{
    for (unsigned nth = 1;; nth++) {
        struct stream s;

        stream_open(&s, 1 << 20, 6);
        s.file.fail_at = nth;
        bool failed = !jw_source_read(&s.src, 500000, got, 1000, &s.err);

        if (failed)
            CHECK_TEXT(s.err.msg, "input/output error");
        s.file.fail_at = 0;
        CHECK(same(&s, 500000, 1000) && same(&s, 0, 1000));
        stream_close(&s);
        if (!failed)
            break;
        CHECK(nth < 1000);
    }
}

/* Highly packed: the last bytes of input hold thousands of bytes of output. */
TEST(output_may_be_pending_when_the_input_has_ended)
{
    static const size_t sizes[] = {1,     100,    32767,  32768,   32769,
                                   65536, 131072, 300000, 1000000, 5000000};

    for (size_t i = 0; i < JW_COUNT(sizes); i++) {
        FREED(jw_buf) plain = GEN_BUF, packed = GEN_BUF;
        struct jw_inflate *z = jw_inflate_new();
        uint8_t last = 1;

        err = (struct jw_err){0};
        jw_buf_fill(&plain, 0, sizes[i]);
        gen_deflate(&packed, jw_buf_bytes(&plain), 9);
        struct jw_source src = jw_source_memory(&(struct jw_bytes){packed.p, packed.n});
        const struct jw_zip_member m = {.plain = sizes[i], .crc = crc_of(plain.p, sizes[i])};
        src = jw_inflate_source(z, &src, &m);
        CHECK(jw_source_read(&src, sizes[i] - 1, &last, 1, &err) && last == 0);
        jw_inflate_free(z);
    }
}

TEST(damaged_and_cut_streams)
{
    struct stream s;
    size_t size = 3 << 20;
    uint32_t seed = 9;

    stream_open(&s, size, 6);
    s.file.size = s.packed_src.size = s.packed.n / 2;
    s.src = jw_inflate_source(s.z, &s.packed_src, &s.member);
    CHECK(!same(&s, size - 1, 1) && s.err.code == JW_E_FORMAT);
    CHECK_HAS(s.err.msg, "zip: the member's data ends early, at ");
    CHECK_HAS(s.err.msg, " of 3145728 bytes");
    CHECK(same(&s, 1000, 1000)); /* the first half is good */
    CHECK(!same(&s, size - 1, 1));
    stream_close(&s);

    stream_open(&s, size, 6);
    for (size_t i = s.packed.n / 2; i < s.packed.n; i++)
        s.packed.p[i] = (uint8_t)next(&seed);
    CHECK(!jw_source_read(&s.src, size - 1, got, 1, &s.err) && s.err.code == JW_E_FORMAT);
    CHECK_HAS(s.err.msg, "zip: the member's data is damaged near ");
    CHECK(same(&s, 1000, 1000));
    stream_close(&s);
}

/* A reader of the first bytes alone learns by the check what is wrong with the rest, each time. */
TEST_STREAM(a_wrong_crc)
{
    size_t size = 3 << 20;

    stream_open(s, size, 6);
    CHECK(jw_source_check(&s->src, &s->err));
    s->member.crc ^= 1;
    s->src = jw_inflate_source(s->z, &s->packed_src, &s->member);
    CHECK(same(s, 0, 64));
    for (int i = 0; i < 3; i++) {
        s->err = (struct jw_err){0};
        CHECK(!jw_source_check(&s->src, &s->err) && s->err.code == JW_E_FORMAT);
        CHECK_HAS(s->err.msg, "zip: the member at 0x40 is damaged: its CRC-32 is 0x");
        CHECK(!same(s, size - 1, 1));
        CHECK(!same(s, size / 3, 1000));
        CHECK(same(s, 100, 1000));
    }
}

/* The check reads no byte twice, and nothing after it was all read. */
TEST_STREAM(the_check_unpacks_the_rest)
{
    stream_open(s, 6 << 20, 6);
    CHECK(same(s, 3 << 20, 1000));
    CHECK(jw_source_check(&s->src, &s->err));
    CHECK_NUM(s->file.bytes, s->packed.n);
    CHECK(same(s, 1000, 1000));
    uint64_t bytes = s->file.bytes;
    CHECK(jw_source_check(&s->src, &s->err));
    CHECK_NUM(s->file.bytes, bytes);
}
