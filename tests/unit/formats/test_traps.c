/* Every way in which a file can lie, with the whole sentence that it gets and what is found all the
 * same: traps.def. */
#include "check.h"
#include "formats/image.h"
#include "formats/inflate.h"
#include "formats/zip.h"
#include "gen/samples.h"

#include <stdlib.h>

enum outcome {
    ERROR,   /* the file is skipped with this reason */
    PROBLEM, /* the file is reported, with this one problem */
    DOUBT,   /* the same, and the container is kept but marked as not to be given to a driver */
    QUIET    /* nothing is said */
};

struct trap {
    const char *file;
    enum outcome outcome;
    size_t containers;
    const char *says;
};

/* Where things are in the three containers of `three`. */
enum { BAD = 0x80, FIRST = 0x90, SECOND = 0x100, LAST = 0x170 };

/* Where things came to lie in the file that is made. */
static struct gen_host h;
static struct gen_box box;

/* Containers with one entry of raw PTX, whose header has 80, and of exactly 0x80 bytes; or one with
 * all entries. The last of `sms` is 0. */
static void small(struct jw_buf *b, const unsigned *sms, bool together)
{
    char text[4][40];
    struct gen_fat_image m[4];
    size_t n = 0;

    for (; sms[n]; n++) {
        (void)snprintf(text[n], sizeof text[n], ".version 8.4\n.target sm_%u\n", sms[n]);
        m[n] = (struct gen_fat_image){.kind = JW_KIND_PTX,
                                      .target = {(uint16_t)sms[n], '\0'},
                                      .major = 8,
                                      .minor = 4,
                                      .flags = JW_FAT_LINUX,
                                      .payload = {(const uint8_t *)text[n], strlen(text[n])}};
    }
    for (size_t i = 0; i < (together ? 1 : n); i++)
        gen_fat_images(b, &m[i], together ? n : 1);
}
#define SMALL(b, ...) small(b, (const unsigned[]){__VA_ARGS__, 0}, false)

/* A sound container, one at BAD with two entries that is to be damaged, a sound one at LAST. */
static void three(struct jw_buf *b)
{
    SMALL(b, 80);
    small(b, (const unsigned[]){75, 86, 0}, true);
    SMALL(b, 90);
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

static void make_other_bytes_between_containers(struct jw_buf *b)
{
    SMALL(b, 80);
    jw_buf_text(b, "something");
    SMALL(b, 75);
    jw_buf_fill(b, 0, 24);
    jw_buf_text(b, "\x50\xed\x55");
    SMALL(b, 90);
}

static void make_nested_container_in_a_payload(struct jw_buf *b)
{
    FREED(jw_buf) inner = GEN_BUF;

    SMALL(&inner, 52);
    struct gen_fat_image m = {
        .kind = JW_KIND_ELF, .target = {75, '\0'}, .payload = jw_buf_bytes(&inner)};
    SMALL(b, 80);
    gen_fat_images(b, &m, 1);
    SMALL(b, 90);
}

static void make_container_header_of_24(struct jw_buf *b)
{
    FREED(jw_buf) all = GEN_BUF;

    three(&all);
    jw_buf_add(b, all.p, FIRST);
    jw_buf_fill(b, 0, 8);
    jw_buf_add(b, all.p + FIRST, all.n - FIRST);
    gen_set16(b, BAD + 6, 24);
}

/* The header of a section as gen_library numbers them: 1 .text, 2 .nv_fatbin, 3 .nvFatBinSegment, 4
 * names. */
static uint64_t section(unsigned i) { return h.table + 64 * i; }

/* A library with one container. */
static void library(struct jw_buf *b)
{
    FREED(jw_buf) fat = GEN_BUF;

    SMALL(&fat, 80);
    h = gen_library(b, jw_buf_bytes(&fat), true);
}

static void make_elf_garbage_container(struct jw_buf *b)
{
    FREED(jw_buf) fat = GEN_BUF;

    SMALL(&fat, 75, 80, 90);
    h = gen_library(b, jw_buf_bytes(&fat), true);
    gen_set32(b, h.at[1] + 16 + 4, 0);
}

static void make_elf_sections_overlap(struct jw_buf *b)
{
    FREED(jw_buf) fat = GEN_BUF;

    SMALL(&fat, 75, 80, 90);
    const struct gen_section s[] = {{.name = ".nv_fatbin", .data = jw_buf_bytes(&fat)},
                                    {.name = "__nv_relfatbin", .data = JW_BYTES("12345678")}};
    h = gen_elf(b, (struct gen_elf){0}, s, 2);
    gen_set64(b, section(2) + 24, 0x110);
    gen_set64(b, section(2) + 32, h.at[0] + fat.n - 0x110);
}

/* Without a section table. */
static void bare(struct jw_buf *b)
{
    FREED(jw_buf) fat = GEN_BUF;

    SMALL(&fat, 75, 80, 90);
    const struct gen_section s[] = {{.name = ".text", .data = JW_BYTES("text")},
                                    {.name = ".nv_fatbin", .data = jw_buf_bytes(&fat)}};
    (void)gen_elf(b, (struct gen_elf){.bare = true}, s, 2);
}

/* A Windows library with .text and a container. */
static void windows(struct jw_buf *b)
{
    FREED(jw_buf) fat = GEN_BUF;

    SMALL(&fat, 80);
    const struct gen_section s[] = {{.name = ".text", .data = JW_BYTES("text")},
                                    {.name = ".nv_fatbin", .data = jw_buf_bytes(&fat)}};
    h = gen_pe(b, s, 2);
}

static void make_pe_virtual_size_too_small(struct jw_buf *b)
{
    FREED(jw_buf) fat = GEN_BUF;

    SMALL(&fat, 75, 80, 90, 86);
    const struct gen_section s = {.name = ".nv_fatb", .data = jw_buf_bytes(&fat), .size = 0x1c0};
    (void)gen_pe(b, &s, 1);
}

/* A sized attribute that claims more bytes than there are hides what would follow. */
static void make_cubin_compat_cut_off(struct jw_buf *b)
{
    gen_cubin(b, (struct gen_cubin){.target = {100, 'a'}, .cuda13 = true});
    size_t at =
        jw_find(jw_buf_bytes(b), (struct jw_bytes){(const uint8_t *)"\2\10\1\0\2\11\1\0", 8});

    if (at < b->n)
        memcpy(b->p + at, "\4\10\377\377", 4);
}

/* Two members: stored, then one of 800 bytes as `last` says. */
static void wheel(struct jw_buf *b, struct gen_member last)
{
    static uint8_t text[800];
    struct gen_member m[2] = {{.name = "pkg/METADATA", .data = JW_BYTES("Name: pkg\n")}, last};

    memset(text, 'x', sizeof text);
    m[1].name = "pkg/lib.so";
    m[1].data = (struct jw_bytes){text, sizeof text};
    box = gen_zip(b, m, 2, "");
}

static const struct gen_member deflated = {.deflated = true}, zip64 = {.zip64 = true};

static size_t doubtful(const struct jw_image *image)
{
    size_t n = 0;

    for (size_t i = 0; i < image->fats.n; i++)
        n += image->fats.list[i].doubtful;
    return n;
}

static void scan(const struct trap *trap, struct jw_bytes bytes)
{
    struct jw_source src = jw_source_memory(&bytes);
    FREED(jw_image) image;
    struct jw_err err = {0};
    bool ok = jw_image_scan(&src, trap->file, false, &image, &err);

    CHECK(ok == (trap->outcome != ERROR));
    if (!ok)
        CHECK_TEXT(err.msg, trap->says);
    CHECK_NUM(image.fats.n, trap->containers);
    CHECK_NUM(doubtful(&image), trap->outcome == DOUBT);
    if (ok) {
        CHECK_NUM(image.problems.n, trap->says[0] != '\0');
        if (image.problems.n)
            CHECK_TEXT(image.problems.text[0], trap->says);
    }
}

/* All of a member's bytes. */
static bool read_member(const struct jw_source *src, const struct jw_zip_member *m,
                        struct jw_err *err)
{
    struct jw_source data;
    struct jw_inflate *z = NULL;
    uint8_t byte[64];

    if (!jw_zip_data(src, m, &data, err))
        return false;
    if (m->method == JW_ZIP_DEFLATED) {
        z = jw_inflate_new();
        data = jw_inflate_source(z, &data, m);
    }
    bool ok = true;
    for (uint64_t at = 0; ok && at < data.size; at += sizeof byte)
        ok = jw_source_read(&data, at, byte,
                            data.size - at < sizeof byte ? (size_t)(data.size - at) : sizeof byte,
                            err);
    ok = ok && jw_source_check(&data, err);
    jw_inflate_free(z);
    return ok;
}

static void unzip(const struct trap *trap, struct jw_bytes bytes)
{
    struct jw_source src = jw_source_memory(&bytes);
    FREED(jw_arena) arena = {0};
    struct jw_zip zip;
    struct jw_err err = {0};
    bool ok = jw_zip_open(&zip, &src, &arena, &err);

    CHECK_NUM(zip.n, trap->containers);
    for (size_t i = 0; ok && i < zip.n; i++) {
        ok = read_member(&src, &zip.list[i], &err);
        CHECK(ok || i + 1 == zip.n);
    }
    CHECK(ok == (trap->outcome == QUIET));
    if (!ok)
        CHECK_TEXT(err.msg, trap->says);
}

/* On the heap and of exactly its size, so that a sanitizer sees one byte too many. */
static void run(struct trap trap, struct jw_buf *b)
{
    uint8_t *exact = malloc(b->n);

    if (!exact)
        abort();
    memcpy(exact, b->p, b->n);
    (strcmp(trap.file, "x.whl") == 0 ? unzip : scan)(&trap, (struct jw_bytes){exact, b->n});
    free(exact);
    jw_buf_free(b);
}

#define TRAP(name, file, outcome, containers, damage, says)                                        \
    TEST(name)                                                                                     \
    {                                                                                              \
        struct jw_buf made = GEN_BUF, *b = &made;                                                  \
                                                                                                   \
        damage;                                                                                    \
        run((struct trap){file, outcome, containers, says}, b);                                    \
    }
#include "unit/formats/traps.def"
#undef TRAP
