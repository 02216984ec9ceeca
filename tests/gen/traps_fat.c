#include "gen/traps_make.h"

#include <stdio.h>
#include <string.h>

/* Where things are in the three containers of `three`. */
enum { BAD = 0x80, FIRST = 0x90, SECOND = 0x100, LAST = 0x170 };

struct gen_fat_image gen_small_image(unsigned sm, char text[40])
{
    (void)snprintf(text, 40, ".version 8.4\n.target sm_%u\n", sm);
    return (struct gen_fat_image){ .kind = JW_KIND_PTX,
                                   .target = { (uint16_t)sm, '\0' },
                                   .major = 8,
                                   .minor = 4,
                                   .flags = JW_FAT_LINUX,
                                   .payload = { (const uint8_t *)text, strlen(text) } };
}

void gen_small(struct jw_buf *b, unsigned sm)
{
    char text[40];
    struct gen_fat_image m = gen_small_image(sm, text);

    gen_fat_images(b, &m, 1);
}

/* A sound container, one at BAD with two entries that is to be damaged, a sound one at LAST. */
static void three(struct jw_buf *b)
{
    char text[2][40];
    struct gen_fat_image m[2] = { gen_small_image(75, text[0]), gen_small_image(86, text[1]) };

    gen_small(b, 80);
    gen_fat_images(b, m, 2);
    gen_small(b, 90);
}

static void set_flags(struct jw_buf *b, uint64_t more, uint32_t packed, uint64_t unpacked)
{
    three(b);
    gen_set64(b, FIRST + 0x28, JW_FAT_64BIT | JW_FAT_LINUX | more);
    gen_set32(b, FIRST + 0x10, packed);
    gen_set64(b, FIRST + 0x38, unpacked);
}

static void set_entry(struct jw_buf *b, uint64_t entry, uint32_t header, uint64_t stored)
{
    three(b);
    gen_set32(b, entry + 4, header);
    gen_set64(b, entry + 8, stored);
}

static void set_size(struct jw_buf *b, uint64_t size)
{
    three(b);
    gen_set64(b, BAD + 8, size);
}

static void set_text(struct jw_buf *b, uint32_t descriptor, uint32_t off, uint32_t length)
{
    three(b);
    gen_set32(b, FIRST + 0x14, descriptor);
    gen_set32(b, FIRST + 0x40, off);
    gen_set32(b, FIRST + 0x44, length);
}

MAKE(zero_stride)
{
    set_entry(b, FIRST, 0, 0);
}
MAKE(header_of_zero)
{
    set_entry(b, FIRST, 0, 112);
}
MAKE(header_below_64)
{
    set_entry(b, FIRST, 56, 56);
}
MAKE(header_not_a_multiple_of_8)
{
    set_entry(b, FIRST, 68, 44);
}
MAKE(header_too_large)
{
    set_entry(b, FIRST, 65544, 8);
}
MAKE(payload_of_zero)
{
    set_entry(b, SECOND, 112, 0);
}
MAKE(payload_overflows)
{
    set_entry(b, SECOND, 80, UINT64_MAX - 79);
}
MAKE(payload_past_the_end)
{
    set_entry(b, SECOND, 80, 40);
}
MAKE(payload_not_a_multiple_of_8)
{
    set_entry(b, FIRST, 80, 31);
}
MAKE(fat_size_past_the_end)
{
    set_size(b, 1 << 20);
}
MAKE(fat_size_overflows)
{
    set_size(b, UINT64_MAX - 7);
}
MAKE(fat_size_of_2_gib)
{
    set_size(b, 0x80000000);
}
MAKE(fat_size_not_a_multiple_of_8)
{
    set_size(b, 0xe4);
}
MAKE(fat_size_of_zero)
{
    set_size(b, 0);
}
MAKE(partial_entry_at_the_end)
{
    set_size(b, 0xe0 + 0x20);
}

MAKE(container_of_version_2)
{
    three(b);
    gen_set16(b, BAD + 4, 2);
}

MAKE(container_header_of_8)
{
    three(b);
    gen_set16(b, BAD + 6, 8);
}

MAKE(container_header_of_20)
{
    three(b);
    gen_set16(b, BAD + 6, 20);
}

MAKE(container_cut_off_in_its_header)
{
    three(b);
    b->n = LAST + 8;
}

MAKE(other_bytes_between_containers)
{
    gen_small(b, 80);
    jw_buf_text(b, "something");
    gen_small(b, 75);
    jw_buf_fill(b, 0, 24);
    jw_buf_text(b, "\x50\xed\x55");
    gen_small(b, 90);
}

MAKE(nested_container_in_a_payload)
{
    struct jw_buf inner = GEN_BUF;

    gen_small(&inner, 52);
    struct gen_fat_image m = { .kind = JW_KIND_ELF, .target = { 75, '\0' }, .payload = jw_buf_bytes(&inner) };
    gen_small(b, 80);
    gen_fat_images(b, &m, 1);
    gen_small(b, 90);
    jw_buf_free(&inner);
}

MAKE(container_header_of_24)
{
    struct jw_buf all = GEN_BUF;

    three(&all);
    jw_buf_add(b, all.p, FIRST);
    jw_buf_fill(b, 0, 8);
    jw_buf_add(b, all.p + FIRST, all.n - FIRST);
    gen_set16(b, BAD + 6, 24);
    jw_buf_free(&all);
}

MAKE(packed_larger_than_its_payload)
{
    set_flags(b, JW_FAT_ZSTD, 40, 100);
}
MAKE(packed_to_nothing)
{
    set_flags(b, JW_FAT_ZSTD, 30, 0);
}
MAKE(packed_from_nothing)
{
    set_flags(b, JW_FAT_ZSTD, 0, 100);
}
MAKE(packed_without_a_flag)
{
    set_flags(b, 0, 30, 100);
}
MAKE(packed_twice)
{
    set_flags(b, JW_FAT_ZSTD | JW_FAT_LZ4, 30, 100);
}
MAKE(decompression_bomb)
{
    set_flags(b, JW_FAT_ZSTD, 30, (uint64_t)1 << 40);
}
MAKE(both_a_and_f)
{
    set_flags(b, JW_FAT_A | JW_FAT_F, 0, 0);
}

static void set_arch(struct jw_buf *b, uint32_t sm)
{
    three(b);
    gen_set32(b, FIRST + 0x1c, sm);
}

MAKE(arch_of_zero)
{
    set_arch(b, 0);
}
MAKE(arch_of_1000)
{
    set_arch(b, 1000);
}
MAKE(arch_that_fits_in_16_bits_only)
{
    set_arch(b, 0x10000 + 86);
}

MAKE(code_of_32_bits)
{
    three(b);
    gen_set64(b, FIRST + 0x28, JW_FAT_LINUX);
}

MAKE(options_descriptor_outside)
{
    set_text(b, 76, 72, 8);
}
MAKE(options_outside)
{
    set_text(b, 64, 80, 8);
}
MAKE(options_in_the_fixed_part)
{
    set_text(b, 64, 32, 8);
}
MAKE(options_length_overflows)
{
    set_text(b, 64, 72, UINT32_MAX - 8);
}

MAKE(identifier_outside)
{
    three(b);
    gen_set32(b, FIRST + 0x20, 72);
    gen_set32(b, FIRST + 0x24, 9);
}

static void set_kind(struct jw_buf *b, uint16_t kind)
{
    three(b);
    gen_set16(b, FIRST, kind);
}

MAKE(kind_mercury)
{
    set_kind(b, 0x10);
}
MAKE(kind_unknown)
{
    set_kind(b, 0x4000);
}
