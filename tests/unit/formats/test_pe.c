#include "formats/pe.h"
#include "scanned.h"

static void fat_of(struct jw_buf *fat, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        gen_pad(fat, 16); /* Windows toolchains start them on 16 bytes */
        gen_fat(fat, "P75:s E86");
    }
}

TEST(a_library)
{
    FREED(jw_buf) fat = GEN_BUF, wrappers = GEN_BUF;
    FREED(scanned) s = {.buf = GEN_BUF};
    uint64_t at[2];

    fat_of(&fat, 1);
    at[0] = 0;
    gen_pad(&fat, 16);
    at[1] = fat.n;
    fat_of(&fat, 1);
    gen_wrappers(&wrappers, 1, GEN_IMAGE_BASE + 0x10000, at, 2);
    const struct gen_section sections[] = {
        {.name = ".text", .data = JW_BYTES("code")},
        {.name = ".nv_fatbin", .data = jw_buf_bytes(&fat), .addr = GEN_IMAGE_BASE + 0x10000},
        {.name = ".nvFatBinSegment", .data = jw_buf_bytes(&wrappers)}};
    struct gen_host h = gen_pe(&s.buf, sections, 3);
    scan_it(&s, "ggml-cuda.dll", false);
    CHECK(s.ok && s.image.format == JW_FORMAT_PE && s.image.fats.n == 2 && s.image.problems.n == 0);
    for (size_t i = 0; i < s.image.fats.n; i++) {
        const struct jw_fat *fat_i = &s.image.fats.list[i];

        CHECK_NUM(fat_i->at, h.at[1] + at[i]);
        CHECK_NUM(fat_i->at % 16, 0);
        CHECK_NUM(fat_i->wrapper, 1);
        CHECK_NUM(fat_i->role, JW_ROLE_CODE);
    }
}

TEST(names_are_cut_to_eight_characters)
{
    FREED(jw_buf) fat = GEN_BUF;
    FREED(scanned) s = {.buf = GEN_BUF};

    fat_of(&fat, 1);
    const struct gen_section sections[] = {{.name = "__nv_relfatbin", .data = jw_buf_bytes(&fat)},
                                           {.name = ".nv_fatbin", .data = jw_buf_bytes(&fat)}};
    (void)gen_pe(&s.buf, sections, 2);
    scan_it(&s, "x.dll", false);
    CHECK(s.ok && s.image.fats.n == 2);
    CHECK_NUM(s.image.fats.list[0].role, JW_ROLE_RDC);
    CHECK_NUM(s.image.fats.list[1].role, JW_ROLE_CODE);
}

/* The bytes of a section end where the smaller of its two sizes says. */
TEST(the_smaller_of_two_sizes)
{
    static const uint32_t vsizes[] = {1, 100, 512, 600, 100000, 0};

    for (size_t i = 0; i < JW_COUNT(vsizes); i++) {
        FREED(jw_buf) b = GEN_BUF;
        static uint8_t data[600];
        const struct gen_section section = {.name = ".nv_fatb", .data = {data, sizeof data}};
        struct gen_host h = gen_pe(&b, &section, 1);
        struct jw_sections out = {0};
        FREED(jw_arena) arena = {0};
        bool ours;

        err = (struct jw_err){0};
        gen_set32(&b, h.table + 8, vsizes[i]);
        struct jw_source src = jw_source_memory(&(struct jw_bytes){b.p, b.n});
        CHECK(jw_pe_sections(&src, &arena, &out, &ours, &err) && ours && out.n == 1);
        CHECK_NUM(out.list[0].size, vsizes[i] && vsizes[i] < 1024 ? vsizes[i] : 1024);
        CHECK_NUM(out.list[0].addr, GEN_IMAGE_BASE + 0x1000);
    }
}
