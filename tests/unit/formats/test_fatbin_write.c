/* What the writer makes is what the toolkits make, to the byte of its headers. */
#include "formats/fatbin_write.h"
#include "scanned.h"

static const char text[] = ".version 8.4\n.target sm_75\n.address_size 64\n";

static struct gen_fat_image image(enum jw_fat_kind kind, enum gen_fat_layout layout)
{
    return (struct gen_fat_image){ .kind = kind,
                                   .target = { 75, '\0' },
                                   .layout = layout,
                                   .payload = { (const uint8_t *)text, sizeof text - 1 } };
}

/* The size of the one entry's header; its options and identifier come back as they went in. */
static uint32_t header_of(struct gen_fat_image m)
{
    struct scanned s = { .buf = GEN_BUF };

    gen_fat_images(&s.buf, &m, 1);
    scan_it(&s, "x.fatbin", false);
    CHECK(s.ok && s.image.fats.n_entries == 1 && s.image.problems.n == 0 && !s.image.fats.list[0].doubtful);
    const struct jw_fat_entry *e = entry_of(&s, 0, 0);
    uint32_t header = e->header;

    CHECK_TEXT(e->options, m.options && m.kind != JW_KIND_ELF ? m.options : "");
    scanned_free(&s);
    return header;
}

TEST(headers_without_text)
{
    CHECK_NUM(header_of(image(JW_KIND_PTX, GEN_LAYOUT_11_8)), 72);
    CHECK_NUM(header_of(image(JW_KIND_PTX, GEN_LAYOUT_12_4)), 88);
    CHECK_NUM(header_of(image(JW_KIND_ELF, GEN_LAYOUT_12_4)), 72);
    CHECK_NUM(header_of(image(JW_KIND_PTX, GEN_LAYOUT_12_5)), 80);
    CHECK_NUM(header_of(image(JW_KIND_ELF, GEN_LAYOUT_12_5)), 64);
}

TEST(headers_with_text)
{
    static const enum gen_fat_layout layouts[] = { GEN_LAYOUT_11_8, GEN_LAYOUT_12_4, GEN_LAYOUT_12_5 };

    for (size_t i = 0; i < 3; i++) {
        struct gen_fat_image m = image(JW_KIND_PTX, layouts[i]);

        m.options = "-maxrregcount=96"; /* 17 bytes with its NUL: 24 */
        CHECK_NUM(header_of(m), 64 + 8 + 24 + (layouts[i] == GEN_LAYOUT_12_4 ? 8 : 0));
        m.identifier = "k.cu";
        CHECK_NUM(header_of(m), 64 + 8 + 24 + 8);
        m.options = NULL;
        CHECK_NUM(header_of(m), 64 + 8 + 8 + (layouts[i] == GEN_LAYOUT_11_8 ? 0 : 8));
    }
    struct gen_fat_image longest = image(JW_KIND_PTX, GEN_LAYOUT_12_5);
    longest.options = " --ext-desc-file=\"/usr/local/cuda-13.1/bin/ptxExtDesc.txt\" ";
    CHECK_NUM(header_of(longest), 136);
}

/* Where the strings are: identifier first from 12.5 on, options first in 11.8. */
TEST(the_order_of_texts)
{
    struct jw_buf b = GEN_BUF;
    struct gen_fat_image m = image(JW_KIND_PTX, GEN_LAYOUT_12_5);

    m.options = "-O1";
    m.identifier = "k.cu";
    gen_fat_images(&b, &m, 1);
    CHECK_NUM(jw_le32(b.p + 16 + 0x20), 0x40); /* identifier */
    CHECK_NUM(jw_le32(b.p + 16 + 0x24), 4);
    CHECK_NUM(jw_le32(b.p + 16 + 0x14), 0x48); /* descriptor */
    CHECK_NUM(jw_le32(b.p + 16 + 0x48), 0x50);
    CHECK_NUM(jw_le32(b.p + 16 + 0x4c), 3);
    jw_buf_clear(&b);
    m.layout = GEN_LAYOUT_11_8;
    gen_fat_images(&b, &m, 1);
    CHECK_NUM(jw_le32(b.p + 16 + 0x14), 0x40);
    CHECK_NUM(jw_le32(b.p + 16 + 0x40), 0x48);
    CHECK_NUM(jw_le32(b.p + 16 + 0x20), 0x50);
    jw_buf_clear(&b);
    m = image(JW_KIND_PTX, GEN_LAYOUT_12_4);
    gen_fat_images(&b, &m, 1);
    CHECK_NUM(jw_le32(b.p + 16 + 0x20), 0);
    CHECK_NUM(jw_le32(b.p + 16 + 0x14), 0x48);
    CHECK_NUM(jw_le32(b.p + 16 + 0x48), 0x50);
    CHECK_NUM(jw_le32(b.p + 16 + 0x4c), 0);
    jw_buf_clear(&b);
    m.layout = GEN_LAYOUT_11_8;
    gen_fat_images(&b, &m, 1);
    CHECK_NUM(jw_le32(b.p + 16 + 0x14), 0x40);
    CHECK_NUM(jw_le64(b.p + 16 + 0x40), 0);
    jw_buf_free(&b);
}

TEST(a_copy_of_the_attributes)
{
    static const size_t lengths[][2] = { { 3, 80 }, { 12, 88 }, { 16, 96 }, { 28, 104 }, { 36, 112 } };
    static const uint8_t attributes[36] = { 2, 9, 1, 0, 5, 6, 7, 8 };

    for (size_t i = 0; i < JW_COUNT(lengths); i++) {
        struct jw_buf b = GEN_BUF;
        struct gen_fat_image m = image(JW_KIND_ELF, GEN_LAYOUT_12_5);

        m.target = (struct jw_arch){ 120, 'a' };
        m.compat = (struct jw_bytes){ attributes, lengths[i][0] };
        CHECK_NUM(header_of(m), lengths[i][1]);
        gen_fat_images(&b, &m, 1);
        CHECK_NUM(jw_le64(b.p + 16 + 0x28), 0x1100001);
        CHECK_NUM(jw_le32(b.p + 16 + 0x14), 0x40);
        CHECK_NUM(jw_le32(b.p + 16 + 0x40), 0x48);
        CHECK_NUM(jw_le32(b.p + 16 + 0x44), lengths[i][0]);
        CHECK(b.p[16 + 0x48] == 0 && memcmp(b.p + 16 + 0x49, attributes, lengths[i][0]) == 0);
        jw_buf_free(&b);
    }
}

TEST(fixed_fields)
{
    struct jw_buf b = GEN_BUF;
    struct gen_fat_image m = image(JW_KIND_PTX, GEN_LAYOUT_12_5);

    m.major = 9;
    m.minor = 1;
    m.target = (struct jw_arch){ 100, 'f' };
    m.flags = JW_FAT_WINDOWS;
    gen_fat_images(&b, &m, 1);
    CHECK(memcmp(b.p, JW_FAT_MAGIC_BYTES, 8) == 0);
    CHECK_NUM(jw_le64(b.p + 8), b.n - 16);
    CHECK_NUM(jw_le16(b.p + 16), 1);
    CHECK_NUM(jw_le16(b.p + 18), 0x0101);
    CHECK_NUM(jw_le64(b.p + 24), 48); /* 44 characters and a NUL, padded */
    CHECK_NUM(jw_le32(b.p + 32), 0);
    CHECK_NUM(jw_le16(b.p + 16 + 0x18), 1);
    CHECK_NUM(jw_le16(b.p + 16 + 0x1a), 9);
    CHECK_NUM(jw_le32(b.p + 16 + 0x1c), 100);
    CHECK_NUM(jw_le64(b.p + 16 + 0x28), 0x200041);
    CHECK_NUM(jw_le64(b.p + 16 + 0x30), 0);
    CHECK_NUM(jw_le64(b.p + 16 + 0x38), 0);
    CHECK_NUM(b.n, 16 + 80 + 48);
    jw_buf_free(&b);
}

/* No room: a sentence, and no container that looks whole. */
TEST(a_buffer_that_is_too_small)
{
    struct gen_fat_image m = image(JW_KIND_PTX, GEN_LAYOUT_12_5);
    struct jw_err err = { 0 };

    for (size_t max = 0; max < 16 + 80 + 48; max++) {
        struct jw_buf b = JW_BUF(max);

        CHECK(!gen_fat_write(&b, &m, 1, &err) && err.code == JW_E_LIMIT);
        CHECK_HAS(err.msg, "no room for more than");
        jw_buf_free(&b);
    }
}

TEST(what_jitwarm_writes_is_the_same)
{
    static const uint64_t packings[] = { 0, JW_FAT_LZ4, JW_FAT_ZSTD };
    static const char *const options[] = { "", "-maxrregcount=40", "1234567" };

    for (size_t i = 0; i < JW_COUNT(packings) * JW_COUNT(options); i++) {
        struct jw_buf ours = GEN_BUF, theirs = GEN_BUF;
        struct gen_fat_image m = image(JW_KIND_PTX, GEN_LAYOUT_12_5);
        struct jw_err err = { 0 };

        m.packing = packings[i % 3];
        m.options = options[i / 3];
        m.bare = i == 4;
        gen_fat_images(&theirs, &m, 1);
        CHECK_OK(jw_fat_write(&ours,
                              &(struct jw_fat_ptx){ .target = m.target,
                                                    .packing = m.packing,
                                                    .bare = m.bare,
                                                    .options = m.options,
                                                    .payload = m.payload },
                              &err),
                 err);
        CHECK(ours.n == theirs.n && memcmp(ours.p, theirs.p, ours.n) == 0);
        jw_buf_free(&ours);
        jw_buf_free(&theirs);
    }
}
