/* A deflated stream read by position: anywhere, in any order, against the plain bytes. */
#include "formats/inflate.h"
#include "gen/sources.h"
#include "scanned.h"

enum { SIZE = 20 << 20 };

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

/* Stretches that repeat, stretches of zeros, stretches of noise. */
static void fill_plain(struct jw_buf *b, size_t size)
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
    b->n = size;
    gen_check(b);
}

struct stream {
    struct jw_buf plain, packed;
    struct gen_sparse file;
    struct jw_source packed_src, src;
    struct jw_inflate *z;
    struct jw_err err;
};

static void stream_open(struct stream *s, size_t size, int level)
{
    *s = (struct stream){ .plain = GEN_BUF, .packed = GEN_BUF };
    fill_plain(&s->plain, size);
    gen_deflate(&s->packed, jw_buf_bytes(&s->plain), level);
    s->file = (struct gen_sparse){ .size = s->packed.n, .n = 1 };
    s->file.piece[0].data = jw_buf_bytes(&s->packed);
    s->packed_src = gen_source(&s->file);
    s->z = jw_inflate_new();
    s->src = jw_inflate_source(s->z, &s->packed_src, size);
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

TEST(forward_in_one_pass)
{
    struct stream s;

    stream_open(&s, SIZE, 6);
    for (size_t at = 0; at < SIZE; at += 65536)
        CHECK(same(&s, at, SIZE - at < 65536 ? SIZE - at : 65536));
    CHECK(s.file.bytes <= s.packed.n);
    CHECK(same(&s, SIZE - 1, 1));
    CHECK(!same(&s, SIZE, 1)); /* past the end */
    CHECK_NUM(s.src.size, SIZE);
    stream_close(&s);
}

/* As readers search: 64 KiB, and then again from somewhere inside of it. */
TEST(a_step_back_within_what_was_just_read_costs_nothing)
{
    struct stream s;

    stream_open(&s, 4 << 20, 6);
    for (size_t at = 0; at + 140000 < 4U << 20; at += 1000) {
        CHECK(same(&s, at, 65536));
        CHECK(same(&s, at, 100));
    }
    CHECK(s.file.bytes <= s.packed.n);
    stream_close(&s);
}

/* Containers in three sections, noise around and between them; the section table stands at the end. */
static void fill_library(struct jw_buf *out)
{
    static const char *const words[] = { "P75:s E86", "E90a:l", "", "S80 E75:z B90", "P80 P90:L" };
    struct jw_buf noise = GEN_BUF, fat = GEN_BUF, data = GEN_BUF;

    fill_plain(&noise, 3 << 20);
    for (size_t i = 0; i < 400; i++)
        gen_fat(&fat, words[i % JW_COUNT(words)]);
    for (size_t i = 0; i < 60; i++) {
        jw_buf_add(&data, noise.p + i * 40000, i % 7 ? 8 * i : 400000);
        gen_fat(&data, words[i % JW_COUNT(words)]);
    }
    struct gen_section sections[] = {
        { .name = ".rodata", .data = jw_buf_bytes(&noise) },
        { .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) },
        { .name = ".cask_resource", .data = jw_buf_bytes(&data) },
        { .name = ".ldata", .data = jw_buf_bytes(&data) },
        { .name = ".text", .data = jw_buf_bytes(&noise) },
    };

    (void)gen_elf(out, (struct gen_elf){ 0 }, sections, JW_COUNT(sections));
    jw_buf_free(&noise);
    jw_buf_free(&fat);
    jw_buf_free(&data);
    gen_check(out);
}

static bool same_code(const struct jw_fats *a, const struct jw_fats *b)
{
    bool same = a->n == b->n && a->n_entries == b->n_entries;

    for (size_t i = 0; same && i < a->n; i++)
        same = a->list[i].at == b->list[i].at && a->list[i].size == b->list[i].size
               && a->list[i].n == b->list[i].n && a->list[i].kernels == b->list[i].kernels
               && strcmp(a->list[i].section, b->list[i].section) == 0;
    for (size_t i = 0; same && i < a->n_entries; i++)
        same = a->entries[i].at == b->entries[i].at && a->entries[i].kind == b->entries[i].kind
               && a->entries[i].flags == b->entries[i].flags && a->entries[i].stored == b->entries[i].stored
               && strcmp(a->entries[i].options, b->entries[i].options) == 0
               && strcmp(a->entries[i].identifier, b->entries[i].identifier) == 0;
    return same;
}

TEST(a_library_is_unpacked_once)
{
    struct stream s = { .plain = GEN_BUF, .packed = GEN_BUF };
    struct scanned whole = { .buf = GEN_BUF };
    struct jw_image image;

    fill_library(&whole.buf);
    scan_it(&whole, "libx.so", false);
    CHECK(whole.ok && whole.image.fats.n > 400);
    s.plain = whole.buf;
    gen_deflate(&s.packed, whole.bytes, 6);
    s.file = (struct gen_sparse){ .size = s.packed.n, .n = 1 };
    s.file.piece[0].data = jw_buf_bytes(&s.packed);
    s.packed_src = gen_source(&s.file);
    s.z = jw_inflate_new();
    s.src = jw_inflate_source(s.z, &s.packed_src, whole.bytes.n);
    CHECK(jw_image_scan(&s.src, "libx.so", (struct jw_image_options){ 0 }, &image, &s.err));
    CHECK(same_code(&image.fats, &whole.image.fats));
    CHECK(s.file.bytes < s.packed.n + s.packed.n / 4); /* the starts of two sections are read again */
    jw_image_free(&image);
    jw_inflate_free(s.z);
    jw_buf_free(&s.packed);
    scanned_free(&whole);
}

/* What was passed is known: where containers begin, in any part of it. */
TEST(containers_that_were_passed_are_found_without_reading)
{
    struct stream s;
    const char magic[] = JW_FAT_MAGIC_BYTES;
    size_t places[] = { 0, 70001, 70009, 1 << 20, (2 << 20) - 8 }, size = 2 << 20;
    uint64_t found = 0;

    stream_open(&s, size, 6);
    for (size_t i = 0; i < JW_COUNT(places); i++)
        memcpy(s.plain.p + places[i], magic, 8);
    jw_buf_clear(&s.packed);
    gen_deflate(&s.packed, jw_buf_bytes(&s.plain), 6);
    s.file.piece[0].data = jw_buf_bytes(&s.packed);
    s.file.size = s.packed_src.size = s.packed.n;
    s.src = jw_inflate_source(s.z, &s.packed_src, size);
    CHECK(!jw_source_find(&s.src, 0, size, &found));
    CHECK(same(&s, size - 1, 1));
    unsigned long reads = s.file.reads;
    for (size_t i = 0; i + 1 < JW_COUNT(places); i++) {
        CHECK(jw_source_find(&s.src, places[i], size, &found) && found == places[i]);
        CHECK(jw_source_find(&s.src, places[i] + 1, size, &found) && found == places[i + 1]);
        CHECK(jw_source_find(&s.src, places[i] + 1, places[i + 1] + 7, &found) && found == places[i + 1] + 7);
    }
    CHECK_NUM(s.file.reads, reads);
    stream_close(&s);
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
    random_reads(0, SIZE, 60); /* stored blocks: checkpoints on whole bytes */
    random_reads(9, 3000, 2000);
    random_reads(6, (1 << 20) + 1, 500);
}

/* After a whole pass a read far back starts at a checkpoint, not at the beginning. */
TEST(checkpoints_spare_the_way)
{
    struct stream s;

    stream_open(&s, SIZE, 6);
    CHECK(same(&s, SIZE - 10, 10));
    uint64_t whole = s.file.bytes;
    CHECK(same(&s, SIZE / 2, 10));
    CHECK(s.file.bytes - whole < s.packed.n / 4);
    uint64_t half = s.file.bytes;
    CHECK(same(&s, SIZE - 100000, 10)); /* and forward again */
    CHECK(s.file.bytes - half < s.packed.n / 4);
    stream_close(&s);
}

/* Each read of the packed bytes fails once: an error, and after it everything is as before. */
TEST(a_read_that_fails_does_no_harm)
{
    struct stream s;
    uint32_t seed = 5;
    unsigned failed = 0;

    stream_open(&s, 6 << 20, 6);
    CHECK(same(&s, (6 << 20) - 1, 1));
    for (unsigned i = 0; i < 600; i++) {
        size_t at = next(&seed) * 7919ULL % ((6 << 20) - 1000);

        s.file.reads = 0;
        s.file.fail_at = 1 + i % 4;
        if (!jw_source_read(&s.src, at, got, 1000, &s.err)) {
            failed++;
            CHECK_TEXT(s.err.msg, "input/output error");
        }
        s.file.fail_at = 0;
        CHECK(same(&s, at, 1000));
        CHECK(same(&s, at > 70000 ? at - 70000 : 0, 1000));
    }
    CHECK(failed > 100);
    stream_close(&s);
}

/* Highly packed: the last bytes of input hold thousands of bytes of output. */
TEST(output_may_be_pending_when_the_input_has_ended)
{
    static const size_t sizes[] = { 1, 100, 32767, 32768, 32769, 65536, 131072, 300000, 1000000, 5000000 };

    for (size_t i = 0; i < JW_COUNT(sizes); i++) {
        struct jw_buf plain = GEN_BUF, packed = GEN_BUF;
        struct jw_inflate *z = jw_inflate_new();
        struct jw_err err = { 0 };
        uint8_t last = 1;

        jw_buf_fill(&plain, 0, sizes[i]);
        gen_deflate(&packed, jw_buf_bytes(&plain), 9);
        struct jw_bytes bytes = jw_buf_bytes(&packed);
        struct jw_source src = jw_source_memory(&bytes);
        src = jw_inflate_source(z, &src, sizes[i]);
        CHECK(jw_source_read(&src, sizes[i] - 1, &last, 1, &err) && last == 0);
        jw_inflate_free(z);
        jw_buf_free(&plain);
        jw_buf_free(&packed);
    }
}

TEST(damaged_and_cut_streams)
{
    struct stream s;
    size_t size = 3 << 20;
    uint32_t seed = 9;

    stream_open(&s, size, 6);
    s.file.size = s.packed_src.size = s.packed.n / 2;
    s.src = jw_inflate_source(s.z, &s.packed_src, size);
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

TEST(a_stream_that_is_shorter_than_it_claims)
{
    struct stream s;

    stream_open(&s, 100000, 6);
    s.src = jw_inflate_source(s.z, &s.packed_src, 100001);
    CHECK(same(&s, 0, 100000));
    CHECK(!jw_source_read(&s.src, 100000, got, 1, &s.err));
    CHECK_TEXT(s.err.msg, "zip: the member ends at 100000, but claims 100001 bytes");
    stream_close(&s);
}

TEST(bombs)
{
    struct jw_err err = { 0 };

    CHECK(!jw_inflate_plausible(2000000, (uint64_t)1 << 37, &err) && err.code == JW_E_LIMIT);
    CHECK(!jw_inflate_plausible(2000000, 500000000, &err) && err.code == JW_E_LIMIT);
    CHECK_TEXT(err.msg, "zip: 2000000 bytes claim to unpack to 500000000; looks like a decompression bomb");
    CHECK(jw_inflate_plausible(2000000, 399999999, &err));
    jw_inflate_free(NULL);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(forward_in_one_pass), T(a_step_back_within_what_was_just_read_costs_nothing),
               T(a_library_is_unpacked_once), T(containers_that_were_passed_are_found_without_reading),
               T(anywhere_in_any_order), T(checkpoints_spare_the_way), T(a_read_that_fails_does_no_harm),
               T(output_may_be_pending_when_the_input_has_ended), T(damaged_and_cut_streams),
               T(a_stream_that_is_shorter_than_it_claims), T(bombs));
}
