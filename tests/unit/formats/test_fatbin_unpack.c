/* Payloads come out as they went in, or with a sentence. */
#include "base/limits.h"
#include "formats/fatbin_unpack.h"
#include "gen/sources.h"
#include "scanned.h"

static const uint64_t packings[] = {0, JW_FAT_LZ4, JW_FAT_ZSTD};

/* Like PTX: much that repeats, much that does not. */
static void fill_text(struct jw_buf *b, size_t n)
{
    uint32_t seed = 7;

    while (b->n < n) {
        seed = seed * 1103515245U + 12345U;
        if (seed >> 28 < 12)
            jw_buf_printf(b, "\tld.param.u64 %%rd%u, [k_param_%u];\n", seed >> 20 & 63,
                          seed >> 16 & 3);
        else
            jw_buf_add(b, &seed, sizeof seed);
    }
    b->n = n;
    gen_check(b);
}

static void trip(size_t n, uint64_t packing, enum jw_fat_kind kind, enum gen_fat_layout layout)
{
    FREED(jw_buf) plain = GEN_BUF, out = GEN_BUF;
    FREED(scanned) s = {.buf = GEN_BUF};
    struct jw_err err = {0};

    fill_text(&plain, n);
    struct gen_fat_image m = {.kind = kind,
                              .target = {86, '\0'},
                              .packing = packing,
                              .pack = gen_pack,
                              .layout = layout,
                              .options = "-O2",
                              .payload = jw_buf_bytes(&plain)};
    gen_fat_images(&s.buf, &m, 1);
    scan_it(&s, "x.fatbin", false);
    const struct jw_fat_entry *e = entry_of(&s, 0, 0);
    CHECK(s.ok && e->stored % 8 == 0);
    bool ok = jw_fat_unpack(&s.src, e, jw_sink_buf(&out), &err);
    CHECK(ok);
    if (!ok)
        printf("  %s\n", err.msg);
    CHECK_NUM(out.n, jw_fat_plain(e));
    CHECK(out.n >= n && memcmp(out.p, plain.p, n) == 0);
    if (packing)
        CHECK_NUM(out.n, n + (kind == JW_KIND_PTX)); /* exactly one NUL */
    for (size_t i = n; i < out.n; i++)
        CHECK_NUM(out.p[i], 0);
}

TEST(round_trips)
{
    static const size_t sizes[] = {1,     7,      8,      9,      100,    65535,   65536,
                                   65537, 131071, 131072, 131073, 262144, 1000001, 2100001};

    for (size_t p = 0; p < JW_COUNT(packings); p++)
        for (size_t i = 0; i < JW_COUNT(sizes); i++)
            for (int layout = 0; layout < 3; layout++) {
                if (sizes[i] > 200000 && layout)
                    continue;
                trip(sizes[i], packings[p], JW_KIND_PTX, (enum gen_fat_layout)layout);
                trip(sizes[i], packings[p], JW_KIND_ELF, (enum gen_fat_layout)layout);
            }
}

/* An entry of 1,000 bytes, packed. */
static void packed(struct scanned *s, uint64_t packing)
{
    FREED(jw_buf) plain = GEN_BUF;

    fill_text(&plain, 1000);
    struct gen_fat_image m = {.kind = JW_KIND_ELF,
                              .target = {86, '\0'},
                              .packing = packing,
                              .pack = gen_pack,
                              .payload = jw_buf_bytes(&plain)};
    *s = (struct scanned){.buf = GEN_BUF};
    gen_fat_images(&s->buf, &m, 1);
    scan_it(s, "x.fatbin", false);
}

/* The sentence that unpacking `e` ends with; "" when it does not fail. */
static const char *complaint(struct scanned *s, const struct jw_fat_entry *e)
{
    FREED(jw_buf) out = JW_BUF(1 << 20);

    s->err.msg[0] = '\0';
    bool ok = jw_fat_unpack(&s->src, e, jw_sink_buf(&out), &s->err);

    CHECK(ok || s->err.msg[0]);
    return s->err.msg;
}

TEST(claims_of_the_wrong_size)
{
    for (size_t p = 1; p < JW_COUNT(packings); p++) {
        FREED(scanned) s;
        bool block = packings[p] == JW_FAT_LZ4;

        packed(&s, packings[p]);
        struct jw_fat_entry e = *entry_of(&s, 0, 0);
        e.unpacked = 999;
        CHECK_TEXT(
            complaint(&s, &e),
            block ? "fatbin: entry at 0x10: lz4: the block is damaged"
                  : "fatbin: entry at 0x10: unpacks to more than the 999 bytes that it claims");
        e.unpacked = 1001;
        CHECK_TEXT(complaint(&s, &e),
                   "fatbin: entry at 0x10: unpacks to 1000 bytes, but claims 1001");
        e.unpacked = JW_MAX_PLAIN + 1;
        CHECK_TEXT(complaint(&s, &e),
                   "fatbin: entry at 0x10: claims to unpack to 536870913 bytes (at most 512 MiB)");
        CHECK_NUM(s.err.code, JW_E_LIMIT);
        e.unpacked = 1000;
        e.packed = (uint32_t)e.stored + 1;
        CHECK_TEXT(complaint(&s, &e),
                   "fatbin: entry at 0x10: has a compressed size larger than its payload");
    }
}

TEST(cut_off_anywhere)
{
    static const char *const says[] = {"", "lz4: the block is damaged",
                                       "zstd: the stream is cut off"};

    for (size_t p = 1; p < JW_COUNT(packings); p++) {
        FREED(scanned) s;

        packed(&s, packings[p]);
        struct jw_fat_entry e = *entry_of(&s, 0, 0);
        for (uint32_t n = 1, whole = e.packed; n < whole; n++) {
            e.packed = n;
            const char *said = complaint(&s, &e);

            CHECK(said[0]);
            if (packings[p] != JW_FAT_LZ4)
                CHECK_HAS(said, says[p]);
        }
        e.packed = (uint32_t)e.stored; /* with its padding */
        CHECK(e.packed % 8 == 0 && complaint(&s, &e)[0]);
    }
}

/* Any one byte damaged: an error or other bytes, and never more than was claimed. */
TEST(damaged_anywhere)
{
    for (size_t p = 1; p < JW_COUNT(packings); p++) {
        FREED(scanned) s;

        packed(&s, packings[p]);
        const struct jw_fat_entry e = *entry_of(&s, 0, 0);
        uint8_t *payload = s.buf.p + e.at + e.header;

        for (uint32_t i = 0; i < e.packed; i++) {
            payload[i] ^= 0x55;
            (void)complaint(&s, &e);
            payload[i] ^= 0x55;
        }
        CHECK_TEXT(complaint(&s, &e), "");
    }
}

TEST(what_cannot_be_unpacked_says_why)
{
    FREED(scanned) s;

    packed(&s, JW_FAT_ZSTD);
    struct jw_fat_entry e = *entry_of(&s, 0, 0);
    e.flags &= ~(uint64_t)JW_FAT_PACKED;
    CHECK_TEXT(complaint(&s, &e), "fatbin: entry at 0x10: has an unknown compression");
    e.flags |= JW_FAT_OBFUSCATED;
    CHECK_TEXT(complaint(&s, &e), "fatbin: entry at 0x10: is obfuscated, as all NVVM code is");
    e.flags = JW_FAT_64BIT | JW_FAT_LZ4;
    e.unpacked = 500 << 20;
    CHECK_HAS(complaint(&s, &e), "bytes cannot unpack to the 524288000 that it claims");
}

TEST(a_sink_that_stops_and_a_file_that_shrinks)
{
    for (size_t p = 0; p < JW_COUNT(packings); p++) {
        FREED(scanned) s;
        FREED(jw_buf) little = JW_BUF(10);

        err = (struct jw_err){0};
        packed(&s, packings[p]);
        const struct jw_fat_entry *e = entry_of(&s, 0, 0);
        CHECK_SAYS(jw_fat_unpack(&s.src, e, jw_sink_buf(&little), &err), err,
                   "fatbin: entry at 0x10: no room for more than 10 bytes");
        struct gen_sparse file = {.size = s.buf.n, .n = 1, .shrunk = s.buf.n - 8};
        file.piece[0].data = s.bytes;
        struct jw_source src = gen_source(&file);
        FREED(jw_buf) out = GEN_BUF;
        bool ok = jw_fat_unpack(&src, e, jw_sink_buf(&out), &err);
        CHECK(!ok && err.code == JW_E_IO);
        CHECK_TEXT(err.msg, "fatbin: entry at 0x10: the file shrank while it was read");
    }
}

/* Raw, so that the test can write into it. */
static const char *doubt(const char *text, size_t n, enum jw_fat_kind kind, unsigned sm)
{
    static struct jw_err err;
    FREED(scanned) s = {.buf = GEN_BUF};
    struct gen_fat_image m = {
        .kind = kind, .target = {(uint16_t)sm, '\0'}, .payload = {(const uint8_t *)text, n}};

    err = (struct jw_err){0};
    gen_fat_images(&s.buf, &m, 1);
    scan_it(&s, "x.fatbin", false);
    struct jw_fat_entry e = *entry_of(&s, 0, 0);

    CHECK(jw_fat_check(&s.src, &e, &err) == !err.msg[0]);
    return err.msg;
}

TEST(what_is_decoded_is_what_its_header_says)
{
    static const char text[] =
        ".version 8.4\n.target sm_52\n//}\n.pragma \"}\";\n.entry k(){}\0\0\0",
                      cut[] = ".version 8.4\n.target sm_52\n\0x";
    FREED(jw_buf) cubin = GEN_BUF;

    CHECK_TEXT(doubt(text, sizeof text, JW_KIND_PTX, 52), "");
    CHECK_TEXT(doubt(text, sizeof text, JW_KIND_PTX, 75),
               "fatbin: entry at 0x10: holds code for sm_52, but claims sm_75");
    CHECK_TEXT(doubt(text, sizeof text - 5, JW_KIND_PTX, 52),
               "fatbin: entry at 0x10: ptx: the text is cut off");
    CHECK_TEXT(doubt(cut, sizeof cut, JW_KIND_PTX, 52),
               "fatbin: entry at 0x10: ptx: the text has a NUL at 0x1b");
    CHECK_TEXT(doubt(text, sizeof text, JW_KIND_ELF, 52),
               "fatbin: entry at 0x10: is no machine code of a GPU");
    gen_cubin(&cubin, (struct gen_cubin){.target = {86, '\0'}});
    CHECK_TEXT(doubt((const char *)cubin.p, cubin.n, JW_KIND_ELF, 86), "");
    CHECK_HAS(doubt((const char *)cubin.p, cubin.n, JW_KIND_ELF, 90),
              "holds code for sm_86, but claims sm_90");
}
