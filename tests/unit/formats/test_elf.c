#include "base/limits.h"
#include "formats/elf.h"
#include "gen/sources.h"
#include "scanned.h"

struct read {
    struct jw_arena arena;
    struct jw_sections sections;
    struct jw_elf elf;
    struct jw_err err;
    bool ok;
};

static void read_source(struct read *r, const struct jw_source *src)
{
    uint8_t head[JW_ELF_HEADER] = {0};

    *r = (struct read){0};
    if (!jw_source_read(src, 0, head, sizeof head, &r->err))
        return;
    r->elf = jw_elf_header((struct jw_bytes){head, sizeof head});
    r->ok = jw_elf_sections(src, &r->elf, &r->arena, &r->sections, &r->err);
}

TEST(the_header)
{
    FREED(jw_buf) b = GEN_BUF;
    const struct gen_section s = {.name = ".text", .data = JW_BYTES("code")};

    (void)gen_elf(
        &b, (struct gen_elf){.type = 2, .machine = JW_EM_CUDA, .os_abi = 0x41, .flags = 0x06006402},
        &s, 1);
    struct jw_elf e = jw_elf_header(jw_buf_bytes(&b));
    CHECK(e.ours && e.type == 2 && e.machine == 190 && e.os_abi == 0x41 && e.flags == 0x06006402);
    CHECK_NUM(e.phnum, 1);
    CHECK_NUM(e.phoff, 64);
    CHECK_NUM(e.shnum, 3);
    for (size_t n = 0; n < 64; n++)
        CHECK(!jw_elf_header((struct jw_bytes){b.p, n}).ours);
    b.p[4] = 1;
    CHECK(!jw_elf_header(jw_buf_bytes(&b)).ours);
}

/* As in mxnet-cu100 1.5.1: no count of sections, and in their place packed bytes. */
TEST(a_file_packed_with_upx_is_named_so)
{
    FREED(jw_buf) b = GEN_BUF;
    const struct gen_section s = {.name = ".text", .data = JW_BYTES("code")};

    (void)gen_elf(&b, (struct gen_elf){0}, &s, 1);
    gen_set16(&b, 0x3c, 0);
    jw_buf_fill(&b, 'x', 64);
    jw_buf_text(&b, "UPX!");
    jw_buf_fill(&b, '\0', 32);
    struct jw_source src = jw_source_memory(&(struct jw_bytes){b.p, b.n});
    struct read r;

    read_source(&r, &src);
    CHECK(!r.ok);
    CHECK_NUM(r.err.code, JW_E_FORMAT);
    CHECK_HAS(r.err.msg, "packed with UPX");
    jw_arena_free(&r.arena);
}

TEST(sections_by_name_place_and_address)
{
    FREED(jw_buf) b = GEN_BUF;
    const struct gen_section s[] = {
        {.name = ".text", .data = JW_BYTES("code"), .addr = 0x1000},
        {.name = ".empty", .addr = 0x2000},
        {.name = ".bss", .type = GEN_NOBITS, .size = 1 << 20, .addr = 0x3000},
        {.name = ".nv_fatbin", .data = JW_BYTES("after the bss"), .addr = 0x200000},
        {.name = ".comment", .data = JW_BYTES("not loaded"), .unloaded = true},
        {.name = ".mine", .data = JW_BYTES("a note's type"), .type = 7},
        {.name = ".debug_str", .data = JW_BYTES("names"), .unloaded = true}};
    struct gen_host h = gen_elf(&b, (struct gen_elf){0}, s, JW_COUNT(s));
    struct jw_source src = jw_source_memory(&(struct jw_bytes){b.p, b.n});
    struct read r;
    uint64_t at = 0;

    read_source(&r, &src);
    CHECK(r.ok);
    CHECK_NUM(r.sections.n, 6); /* with .shstrtab; without .empty and .bss */
    CHECK(jw_section_named(&r.sections, ".text")->skipped
          && !jw_section_named(&r.sections, ".mine")->skipped);
    const struct jw_section *fat = jw_section_named(&r.sections, ".nv_fatbin");
    CHECK(fat && fat->at == h.at[3] && fat->size == 13 && fat->addr == 0x200000);
    CHECK(!jw_section_named(&r.sections, ".bss") && !jw_section_named(&r.sections, ".empty"));
    CHECK(jw_section_named(&r.sections, ".comment")->addr == 0);
    CHECK(jw_section_named(&r.sections, ".debug_str")->skipped);
    CHECK(jw_section_translate(&r.sections, 0x200004, &at) && at == h.at[3] + 4);
    CHECK(!jw_section_translate(&r.sections, 0x20000d, &at)
          && !jw_section_translate(&r.sections, 0x3000, &at));
    CHECK(!jw_section_translate(&r.sections, 0, &at));
    jw_arena_free(&r.arena);
}

/* Appends section 1 once more to a table at the end of the file. */
static void repeat_section(struct jw_buf *b, uint64_t table)
{
    uint8_t raw[64];

    memcpy(raw, b->p + table + 64, sizeof raw);
    jw_buf_add(b, raw, sizeof raw);
}

/* More than e_shnum can say: the count and the index of the names are in section 0. */
TEST(as_many_sections_as_there_may_be)
{
    for (uint64_t n = JW_MAX_SECTIONS; n <= JW_MAX_SECTIONS + 1; n++) {
        FREED(jw_buf) b = GEN_BUF;
        const struct gen_section s = {.name = ".text", .data = JW_BYTES("code")};
        struct gen_host h = gen_elf(&b, (struct gen_elf){.extended = true}, &s, 1);
        struct read r;

        for (uint64_t i = 3; i < n; i++)
            repeat_section(&b, h.table);
        gen_check(&b);
        gen_set64(&b, h.table + 32, n);
        struct jw_source src = jw_source_memory(&(struct jw_bytes){b.p, b.n});
        read_source(&r, &src);
        CHECK(r.ok == (n == JW_MAX_SECTIONS));
        if (r.ok)
            CHECK_NUM(r.sections.n, n - 1);
        else
            CHECK_TEXT(r.err.msg, "elf: 262145 sections (at most 262144 are looked at)");
        jw_arena_free(&r.arena);
    }
}

/* A library of 5 GiB of instructions, with its .nv_fatbin and its section table behind them. */
TEST(beyond_4_gib)
{
    FREED(jw_buf) fat = GEN_BUF, head = GEN_BUF;
    const uint64_t far = (uint64_t)5 << 30, table = far + 8192;
    struct read r;

    gen_fat(&fat, "P75 E86");
    const struct gen_section sections[] = {{.name = ".nv_fatbin", .data = JW_BYTES("elsewhere")},
                                           {.name = ".text", .data = JW_BYTES("code")}};
    struct gen_host h = gen_elf(&head, (struct gen_elf){0}, sections, 2);
    gen_set64(&head, 0x28, table);
    gen_set64(&head, h.table + 64 + 24, far);
    gen_set64(&head, h.table + 64 + 32, fat.n);
    gen_set64(&head, h.table + 128 + 32, far - h.at[1]);
    struct gen_sparse file = {.size = table + 4 * 64, .n = 3};
    file.piece[0].data = jw_buf_bytes(&head);
    file.piece[1].at = far;
    file.piece[1].data = jw_buf_bytes(&fat);
    file.piece[2].at = table;
    file.piece[2].data = (struct jw_bytes){head.p + h.table, 4 * 64};
    struct jw_source src = gen_source(&file);
    FREED(jw_image) image;

    CHECK(jw_image_scan(&src, "x.so", false, &image, &err));
    CHECK(image.fats.n == 1 && image.fats.list[0].at == far && image.problems.n == 0);
    CHECK(file.bytes < 100000);
    read_source(&r, &src);
    CHECK(r.ok && r.sections.n == 3);
    CHECK_NUM(jw_section_named(&r.sections, ".nv_fatbin")->at, far);
    jw_arena_free(&r.arena);
}

/* Tens of thousands of sections that all cover the whole file cost no more than one. */
TEST(sections_that_all_overlap_are_read_once)
{
    FREED(jw_buf) b = GEN_BUF;
    struct scanned s;
    const struct gen_section sections[] = {{.name = ".nv_fatbin", .data = JW_BYTES("code")}};
    struct gen_host h = gen_elf(&b, (struct gen_elf){.extended = true}, sections, 1);
    enum { N = 60000 };

    for (size_t i = 3; i < N; i++)
        repeat_section(&b, h.table);
    gen_set64(&b, h.table + 32, N);
    for (size_t i = 0; i < N; i++)
        if (i != 2) {
            gen_set64(&b, h.table + 64 * i + 24, 64);
            gen_set64(&b, h.table + 64 * i + 32, i ? b.n - 64 : N);
        }
    struct gen_sparse file = {.size = b.n, .n = 1};
    file.piece[0].data = jw_buf_bytes(&b);
    struct jw_source src = gen_source(&file);

    CHECK(jw_image_scan(&src, "x.so", false, &s.image, &err));
    CHECK(file.bytes < b.n * 4);
    jw_image_free(&s.image);
}
