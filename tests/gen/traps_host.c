#include "gen/traps_make.h"

/* A library with one container; `h` says where things are. */
static struct gen_host library(struct jw_buf *b)
{
    struct jw_buf fat = GEN_BUF;

    gen_small(&fat, 80);
    struct gen_host h = gen_library(b, jw_buf_bytes(&fat), true);
    jw_buf_free(&fat);
    return h;
}

/* The header of a section as gen_library numbers them: 1 .text, 2 .nv_fatbin, 3 .nvFatBinSegment, 4 names. */
static uint64_t section(const struct gen_host *h, unsigned i)
{
    return h->table + 64 * i;
}

MAKE(elf_sections_past_the_end)
{
    (void)library(b);
    gen_set64(b, 0x28, 0x7fffffff);
}

MAKE(elf_sections_overflow)
{
    (void)library(b);
    gen_set64(b, 0x28, UINT64_MAX - 15);
}

MAKE(elf_small_section_headers)
{
    (void)library(b);
    gen_set16(b, 0x3a, 40);
}

MAKE(elf_section_count_lies)
{
    (void)library(b);
    gen_set16(b, 0x3c, 0xff00);
}

MAKE(elf_extended_count_lies)
{
    struct gen_host h = library(b);

    gen_set16(b, 0x3c, 0);
    gen_set64(b, h.table + 32, (uint64_t)1 << 40);
}

MAKE(elf_extended_table_past_the_end)
{
    (void)library(b);
    gen_set16(b, 0x3c, 0);
    gen_set64(b, 0x28, 0x7fffffff);
}

MAKE(elf_name_section_lies)
{
    (void)library(b);
    gen_set16(b, 0x3e, 99);
}

MAKE(elf_names_without_bytes)
{
    struct gen_host h = library(b);

    gen_set32(b, section(&h, 4) + 4, GEN_NOBITS);
}

MAKE(elf_names_past_the_end)
{
    struct gen_host h = library(b);

    gen_set64(b, section(&h, 4) + 24, 0x1000000);
}

MAKE(elf_names_too_large)
{
    struct gen_host h = library(b);

    gen_set64(b, section(&h, 4) + 32, (uint64_t)1 << 32);
}

MAKE(elf_name_past_the_names)
{
    struct gen_host h = library(b);

    gen_set32(b, section(&h, 1), UINT32_MAX);
}

/* The last name runs to the end of the table: it is the names' own, and nothing of jitwarm's. */
MAKE(elf_names_without_nul)
{
    struct gen_host h = library(b);

    gen_set64(b, section(&h, 4) + 32, jw_le64(b->p + section(&h, 4) + 32) - 1);
}

MAKE(elf_nobits_fatbin)
{
    struct gen_host h = library(b);

    gen_set32(b, section(&h, 2) + 4, GEN_NOBITS);
}

MAKE(elf_fatbin_past_the_end)
{
    struct gen_host h = library(b);

    gen_set64(b, section(&h, 2) + 32, 0x100000);
}

MAKE(elf_other_section_past_the_end)
{
    struct gen_host h = library(b);

    gen_set64(b, section(&h, 1) + 32, 0x100000);
}

MAKE(elf_sections_overlap)
{
    struct jw_buf fat = GEN_BUF;
    struct gen_host h;

    gen_small(&fat, 75);
    gen_small(&fat, 80);
    gen_small(&fat, 90);
    const struct gen_section s[] = { { .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) },
                                     { .name = "__nv_relfatbin", .data = JW_BYTES("12345678") } };
    h = gen_elf(b, (struct gen_elf){ 0 }, s, 2);
    gen_set64(b, section(&h, 2) + 24, 0x110);
    gen_set64(b, section(&h, 2) + 32, h.at[0] + fat.n - 0x110);
    jw_buf_free(&fat);
}

MAKE(elf_wrappers_lie)
{
    struct gen_host h = library(b);

    gen_set64(b, h.at[2] + 8, UINT64_MAX - 3);
}

MAKE(elf_big_endian)
{
    (void)library(b);
    b->p[5] = 2;
}

MAKE(elf_32_bit)
{
    (void)library(b);
    b->p[4] = 1;
}

MAKE(elf_core_dump)
{
    (void)library(b);
    gen_set16(b, 16, 4);
}

/* Without a section table. */
static void bare(struct jw_buf *b, struct jw_bytes fat)
{
    const struct gen_section s[] = { { .name = ".text", .data = JW_BYTES("text") },
                                     { .name = ".nv_fatbin", .data = fat } };

    (void)gen_elf(b, (struct gen_elf){ .bare = true }, s, 2);
}

static void bare_small(struct jw_buf *b)
{
    struct jw_buf fat = GEN_BUF;

    gen_small(&fat, 80);
    bare(b, jw_buf_bytes(&fat));
    jw_buf_free(&fat);
}

MAKE(elf_segment_past_the_end)
{
    bare_small(b);
    gen_set64(b, 64 + 56 + 8, 0x7fffffff);
}

MAKE(elf_program_headers_past_the_end)
{
    bare_small(b);
    gen_set64(b, 0x20, 0x7fffffff);
}

MAKE(elf_program_headers_overflow)
{
    bare_small(b);
    gen_set16(b, 0x36, 0xffff);
    gen_set16(b, 0x38, 2);
    gen_set64(b, 0x20, UINT64_MAX - 0xfffe);
}

MAKE(elf_segments_overlap)
{
    struct jw_buf fat = GEN_BUF;

    gen_small(&fat, 75);
    gen_small(&fat, 80);
    gen_small(&fat, 90);
    bare(b, jw_buf_bytes(&fat));
    gen_set64(b, 64 + 8, 0);
    gen_set64(b, 64 + 32, b->n);
    jw_buf_free(&fat);
}

MAKE(elf_no_names)
{
    (void)library(b);
    gen_set16(b, 0x3e, 0);
}

MAKE(elf_no_sections)
{
    (void)library(b);
    gen_set16(b, 0x3c, 0);
    gen_set16(b, 0x3e, 0);
}

MAKE(elf_garbage_container)
{
    struct jw_buf fat = GEN_BUF;

    gen_small(&fat, 75);
    gen_small(&fat, 80);
    gen_small(&fat, 90);
    struct gen_host h = gen_library(b, jw_buf_bytes(&fat), true);
    gen_set32(b, h.at[1] + 16 + 4, 0);
    jw_buf_free(&fat);
}

/* A Windows library with .text and a container. */
static struct gen_host windows(struct jw_buf *b)
{
    struct jw_buf fat = GEN_BUF;
    struct gen_host h;

    gen_small(&fat, 80);
    const struct gen_section s[] = { { .name = ".text", .data = JW_BYTES("text") },
                                     { .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) } };
    h = gen_pe(b, s, 2);
    jw_buf_free(&fat);
    return h;
}

MAKE(pe_header_out_of_range)
{
    (void)windows(b);
    gen_set32(b, 0x3c, 0x7fffffff);
}

MAKE(pe_header_cut_off)
{
    (void)windows(b);
    b->n = 70;
}

MAKE(pe_32_bit)
{
    struct gen_host h = windows(b);

    gen_set16(b, h.header + 24, 0x10b);
}

MAKE(pe_section_count_lies)
{
    struct gen_host h = windows(b);

    gen_set16(b, h.header + 6, 0xffff);
}

MAKE(pe_fatbin_past_the_end)
{
    struct gen_host h = windows(b);

    gen_set32(b, h.table + 40 + 20, 0x7fffffff);
}

MAKE(pe_other_section_past_the_end)
{
    struct gen_host h = windows(b);

    gen_set32(b, h.table + 20, 0x7fffffff);
}

MAKE(pe_virtual_size_too_large)
{
    struct gen_host h = windows(b);

    gen_set32(b, h.table + 40 + 8, 0x100000);
}

MAKE(pe_virtual_size_too_small)
{
    struct jw_buf fat = GEN_BUF;

    gen_small(&fat, 75);
    gen_small(&fat, 80);
    gen_small(&fat, 90);
    gen_small(&fat, 86);
    const struct gen_section s[] = { { .name = ".nv_fatb", .data = jw_buf_bytes(&fat), .size = 0x1c0 } };
    (void)gen_pe(b, s, 1);
    jw_buf_free(&fat);
}
