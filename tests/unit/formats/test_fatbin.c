/* Containers, as their headers describe them. */
#include "base/limits.h"
#include "scanned.h"

#include <time.h>

TEST(headers_are_read_whole)
{
    FREED(scanned) s = {.buf = GEN_BUF};
    struct gen_fat_image m = {.kind = JW_KIND_PTX,
                              .target = {90, 'a'},
                              .major = 8,
                              .minor = 4,
                              .flags = JW_FAT_LINUX,
                              .packing = JW_FAT_ZSTD,
                              .options = "-maxrregcount=96 --fmad false",
                              .identifier = "k.cu",
                              .payload = JW_BYTES("0123456789012345678901234567890123456789")};

    gen_fat_images(&s.buf, &m, 1);
    scan_it(&s, "x.fatbin", false);
    CHECK(s.ok && s.image.fats.n == 1 && s.image.fats.n_entries == 1);
    const struct jw_fat *fat = &s.image.fats.list[0];
    const struct jw_fat_entry *e = entry_of(&s, 0, 0);

    CHECK_NUM(fat->at, 0);
    CHECK_NUM(fat->size, s.buf.n);
    CHECK_NUM(fat->n, 1);
    CHECK(!fat->doubtful && fat->role == JW_ROLE_CODE);
    CHECK_NUM(e->at, 16);
    CHECK_NUM(e->header, 64 + 8 + 8 + 32); /* identifier, descriptor, options */
    CHECK_NUM(e->kind, JW_KIND_PTX);
    CHECK_NUM(e->major, 8);
    CHECK_NUM(e->minor, 4);
    CHECK_NUM(e->unpacked, 41);
    CHECK(e->packed > 0 && e->stored == (e->packed + 7U) / 8 * 8);
    CHECK_NUM(e->flags, JW_FAT_64BIT | JW_FAT_LINUX | JW_FAT_ZSTD | JW_FAT_A);
    CHECK_TEXT(e->options, "-maxrregcount=96 --fmad false");
    CHECK_TEXT(jw_fat_arch_name(e).text, "compute_90a");
    CHECK_NUM(jw_fat_code_kind(e->kind), JW_CODE_PTX);
    CHECK_NUM(jw_fat_plain(e), 41);
    CHECK(jw_fat_why_unsafe(e) == NULL);
}

TEST(names_of_kinds_and_architectures)
{
    struct jw_fat_entry e = {.kind = JW_KIND_NVVM, .target = {75, '\0'}};

    CHECK_TEXT(jw_fat_arch_name(&e).text, "lto_75");
    CHECK_NUM(jw_fat_code_kind(JW_KIND_ELF), JW_CODE_MACHINE);
    CHECK_NUM(jw_fat_code_kind(JW_KIND_NVVM), JW_CODE_NVVM);
    CHECK_NUM(jw_fat_code_kind(0x10), JW_CODE_UNKNOWN);
}

/* Every header size that real files have, and more: the payload begins where the header says. */
TEST(header_sizes)
{
    for (uint32_t header = 64; header <= 1024; header += 8) {
        FREED(jw_buf) fat = GEN_BUF;
        FREED(scanned) s = {.buf = GEN_BUF};

        gen_fat(&fat, "E86 P75");
        size_t second = 16 + 64 + (size_t)jw_le64(fat.p + 16 + 8);
        jw_buf_add(&s.buf, fat.p, 16 + 64);
        jw_buf_fill(&s.buf, 0xee, header - 64);
        jw_buf_add(&s.buf, fat.p + 80, fat.n - 80);
        gen_set32(&s.buf, 20, header);
        gen_set64(&s.buf, 8, s.buf.n - 16);
        scan_it(&s, "x.fatbin", false);
        CHECK(s.ok && s.image.fats.n_entries == 2 && s.image.problems.n == 0);
        CHECK_NUM(entry_of(&s, 0, 0)->header, header);
        CHECK_NUM(entry_of(&s, 0, 1)->at, second + header - 64);
        CHECK_TEXT(jw_fat_arch_name(entry_of(&s, 0, 1)).text, "compute_75");
    }
}

TEST(long_options_are_read_and_an_entry_with_absurd_ones_is_refused)
{
    static const size_t lengths[] = {1, 8, 255, 256, 257, 1000, 4095, 4096, 4097, 60000};
    static char options[60001];

    for (size_t i = 0; i < JW_COUNT(lengths); i++) {
        FREED(scanned) s = {.buf = GEN_BUF};
        struct gen_fat_image m = {.kind = JW_KIND_PTX,
                                  .target = {75, '\0'},
                                  .options = options,
                                  .payload = JW_BYTES("text")};

        memset(options, 'o', lengths[i]);
        gen_fat_images(&s.buf, &m, 1);
        scan_it(&s, "x.fatbin", false);
        CHECK(s.ok && s.image.fats.n == 1);
        CHECK_NUM(strlen(entry_of(&s, 0, 0)->options), lengths[i] <= 4096 ? lengths[i] : 0);
        CHECK((jw_fat_why_unsafe(entry_of(&s, 0, 0)) == NULL) == (lengths[i] <= 4096));
    }
}

TEST(too_many_option_strings_end_the_file)
{
    static char options[2][4001];
    struct gen_fat_image m[2] = {{.kind = JW_KIND_PTX,
                                  .target = {75, '\0'},
                                  .options = options[0],
                                  .payload = JW_BYTES("a")},
                                 {.kind = JW_KIND_PTX,
                                  .target = {75, '\0'},
                                  .options = options[1],
                                  .payload = JW_BYTES("b")}};
    FREED(scanned) s = {.buf = JW_BUF((size_t)96 << 20)};

    memset(options[0], 'x', 4000);
    memset(options[1], 'y', 4000);
    for (unsigned i = 0; i < 7000; i++)
        gen_fat_images(&s.buf, m, 2);
    scan_it(&s, "x.fatbin", false);
    CHECK(!s.ok && s.err.code == JW_E_LIMIT);
    CHECK_TEXT(s.err.msg, "fatbin: entry at 0x828010: too many option strings to keep");
}

/* Entries of 72 bytes: the ceiling is reached in a file of 19 MB. */
static void many_entries(struct jw_buf *out, size_t n)
{
    uint8_t raw[16 + 72] = {0};

    jw_put64(raw, 0x00100001BA55ED50U);
    jw_put64(raw + 8, 72 * n);
    jw_put16(raw + 16, JW_KIND_ELF);
    jw_put32(raw + 16 + 4, 64);
    jw_put64(raw + 16 + 8, 8);
    jw_put32(raw + 16 + 0x1c, 86);
    jw_put64(raw + 16 + 0x28, JW_FAT_64BIT);
    jw_buf_add(out, raw, 16);
    for (size_t i = 0; i < n; i++)
        jw_buf_add(out, raw + 16, 72);
    gen_check(out);
}

TEST(the_ceiling_of_entries)
{
    struct scanned s = {.buf = GEN_BUF};

    many_entries(&s.buf, JW_MAX_FAT_ENTRIES);
    scan_it(&s, "x.fatbin", false);
    CHECK(s.ok);
    CHECK_NUM(s.image.fats.n_entries, JW_MAX_FAT_ENTRIES);
    scanned_free(&s);

    s.buf = GEN_BUF;
    many_entries(&s.buf, JW_MAX_FAT_ENTRIES + 1);
    scan_it(&s, "x.fatbin", false);
    CHECK(!s.ok && s.err.code == JW_E_LIMIT);
    CHECK_TEXT(s.err.msg, "fatbin: entry at 0x1200010: more than 262144 items");
    scanned_free(&s);
}

TEST(the_ceiling_of_containers)
{
    for (size_t n = JW_MAX_FATS; n <= JW_MAX_FATS + 1; n++) {
        FREED(scanned) s = {.buf = GEN_BUF};

        for (size_t i = 0; i < n; i++)
            many_entries(&s.buf, 1);
        scan_it(&s, "x.fatbin", false);
        CHECK(s.ok == (n == JW_MAX_FATS));
        CHECK_NUM(s.image.fats.n, JW_MAX_FATS);
        if (!s.ok)
            CHECK_TEXT(s.err.msg, "fatbin: container at 0x580000: more than 65536 items");
    }
}

/* Thousands of containers, each of which claims all that follow as its entries. The last entry is
 * damaged, so that every walk fails at its very end: n containers of n entries each. */
TEST(nested_headers_that_share_their_entries_end_quickly)
{
    enum { N = 8000, STRIDE = 16 + 72 };
    FREED(scanned) s = {.buf = GEN_BUF};
    clock_t start = clock();

    for (size_t i = 0; i < N; i++) {
        uint8_t raw[STRIDE] = {0};
        size_t left = (size_t)(N - i) * STRIDE - 16;

        jw_put64(raw, 0x00100001BA55ED50U);
        jw_put64(raw + 8, left);
        jw_put16(raw + 16, JW_KIND_ELF);
        jw_put32(raw + 16 + 4, 64);
        jw_put64(raw + 16 + 8,
                 i + 1 < N ? 24 : 0); /* over the next container's header to its entry */
        jw_put32(raw + 16 + 0x1c, 86);
        jw_put64(raw + 16 + 0x28, JW_FAT_64BIT);
        jw_buf_add(&s.buf, raw, sizeof raw);
    }
    scan_it(&s, "x.fatbin", false);
    CHECK(!s.ok && s.err.code == JW_E_LIMIT);
    CHECK_TEXT(
        s.err.msg,
        "fatbin: more than 1048576 headers looked at; the file is damaged or made to be slow");
    CHECK((clock() - start) / CLOCKS_PER_SEC < 10);
}

/* The same of container headers alone, at odd distances so that each one must be searched for. */
TEST(headers_without_entries_end_quickly)
{
    enum { N = 1 << 20, STRIDE = 13 };
    FREED(scanned) s = {.buf = GEN_BUF};
    clock_t start = clock();

    for (size_t i = 0; i <= N; i++) {
        jw_buf_add(&s.buf, JW_FAT_MAGIC_BYTES, 8);
        jw_buf_fill(&s.buf, 0xff, STRIDE - 8);
    }
    scan_it(&s, "x.fatbin", false);
    CHECK(!s.ok && s.err.code == JW_E_LIMIT);
    CHECK_HAS(s.err.msg, "headers looked at");
    CHECK_NUM(s.image.problems.n, JW_MAX_PROBLEMS);
    CHECK((clock() - start) / CLOCKS_PER_SEC < 20);
}
