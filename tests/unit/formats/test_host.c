/* Containers among data: which sections are searched, wherever one is, and at which cost. */
#include "check.h"
#include "formats/host.h"
#include "formats/image.h"
#include "gen/samples.h"
#include "gen/sources.h"

enum { MIB = 1 << 20, START = 0x5010, SIZE = 16 * MIB + 500000 };

/* A file of sections over zeros. Section 0 is .ldata, of SIZE bytes at START. */
struct library {
    struct gen_sparse file;
    struct jw_section list[4];
    struct jw_sections sections;
    struct jw_source src;
    struct jw_arena arena;
    struct jw_fats fats;
    struct jw_problems problems;
    struct jw_err err;
    bool embedded;
    struct jw_buf fat;
};

static void begin(struct library *l)
{
    *l = (struct library){ .fat = GEN_BUF };
    gen_fat(&l->fat, "P75 E86");
    l->file.size = 40 * MIB;
    l->list[0] = (struct jw_section){ ".ldata", START, SIZE, 0, true };
    l->sections = (struct jw_sections){ .list = l->list, .n = 1 };
    l->src = gen_source(&l->file);
}

static void put(struct library *l, uint64_t at, struct jw_bytes bytes)
{
    l->file.piece[l->file.n].at = at;
    l->file.piece[l->file.n++].data = bytes;
}

/* The number of containers. */
static size_t count(struct library *l)
{
    jw_fats_free(&l->fats);
    l->fats.arena = l->problems.arena = &l->arena;
    l->file.bytes = l->file.reads = 0;
    CHECK(jw_host_find(&(struct jw_host){ .src = &l->src,
                                          .sections = &l->sections,
                                          .fats = &l->fats,
                                          .problems = &l->problems,
                                          .embedded = l->embedded },
                       &l->err));
    return l->fats.n;
}

static void end(struct library *l)
{
    jw_fats_free(&l->fats);
    jw_arena_free(&l->arena);
    jw_buf_free(&l->fat);
}

TEST(a_container_is_found_wherever_it_begins)
{
    static const uint64_t places[] = { 0, 1, (64 << 10) - 7, MIB + MIB / 2, 7 * MIB + 3, SIZE - 4096 };

    for (size_t i = 0; i < JW_COUNT(places); i++) {
        struct library l;

        begin(&l);
        put(&l, START + places[i], jw_buf_bytes(&l.fat));
        CHECK_NUM(count(&l), 1);
        CHECK_NUM(l.fats.list[0].at, START + places[i]);
        end(&l);
    }
}

/* A file with containers in one section of data may have them in another. */
TEST(a_container_in_one_section_makes_all_of_them_be_searched)
{
    static const char *const names[] = { ".data", ".lrodata", ".rodata" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct library l;

        begin(&l);
        l.list[1] = (struct jw_section){ names[i], 20 * MIB, i ? 8 * MIB : 4096, 0, true };
        l.sections.n = 2;
        put(&l, START + MIB + MIB / 2, jw_buf_bytes(&l.fat));
        put(&l, 20 * MIB + 64, jw_buf_bytes(&l.fat));
        CHECK_NUM(count(&l), 2);
        l.list[0].name = ".bss";
        CHECK_NUM(count(&l), i == 2 ? 0 : 1); /* every program has constants */
        end(&l);
    }
}

/* A program that was named loads itself what is among its data: constants, data, a section of its own; never instructions. */
TEST(what_a_program_embeds)
{
    static const struct {
        const char *section;
        bool data, registers;
        size_t n;
        enum jw_role role;
    } rows[] = {
        { ".rodata", true, false, 1, JW_ROLE_CODE },  { ".rdata", true, false, 1, JW_ROLE_CODE },
        { ".data", true, false, 1, JW_ROLE_CODE },    { "kernels", true, false, 1, JW_ROLE_CODE },
        { "kernels", false, false, 0, JW_ROLE_CODE }, { ".rodata", true, true, 2, JW_ROLE_CODE },
        { "kernels", true, true, 2, JW_ROLE_CODE },   { ".data", true, true, 2, JW_ROLE_LAZY },
        { ".ldata", true, false, 1, JW_ROLE_LAZY },   { ".lrodata", true, false, 1, JW_ROLE_LAZY },
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        struct library l;

        begin(&l);
        l.embedded = true;
        l.list[0] = (struct jw_section){ rows[i].section, START, 2 * MIB, 0, rows[i].data };
        l.list[1] =
            (struct jw_section){ rows[i].registers ? ".nv_fatbin" : ".bss", 20 * MIB, 4096, 0, false };
        l.sections.n = 2;
        put(&l, START + MIB, jw_buf_bytes(&l.fat));
        put(&l, 20 * MIB, jw_buf_bytes(&l.fat));
        CHECK_NUM(count(&l), rows[i].n);
        if (l.fats.n)
            CHECK_NUM(l.fats.list[l.fats.n - 1].role, rows[i].role);
        end(&l);
    }
}

TEST(each_byte_of_data_is_read_once)
{
    struct library l;

    begin(&l);
    l.list[0].size = (uint64_t)1 << 30;
    l.file.size = (uint64_t)2 << 30;
    l.src = gen_source(&l.file);
    CHECK_NUM(count(&l), 0);
    CHECK(l.file.bytes >= ((uint64_t)1 << 30) && l.file.bytes < ((uint64_t)1 << 30) + 8192);
    end(&l);
}

/* A container without an entry is 16 bytes of a program that makes containers: they do not make its constants be searched. */
TEST(what_only_looks_like_a_container_is_no_sign)
{
    struct library l;

    begin(&l);
    put(&l, START + 64, (struct jw_bytes){ (const uint8_t *)JW_FAT_MAGIC_BYTES "\0\0\0\0\0\0\0\0", 16 });
    put(&l, START + 256, (struct jw_bytes){ (const uint8_t *)JW_FAT_MAGIC_BYTES "\1\0\0\0\0\0\0\0", 16 });
    l.list[1] = (struct jw_section){ ".rodata", 20 * MIB, 4096, 0, true };
    l.sections.n = 2;
    put(&l, 20 * MIB, jw_buf_bytes(&l.fat));
    CHECK_NUM(count(&l), 0);
    end(&l);
}

/* Of a library for Windows: names are cut to eight characters, and constants are in .rdata. */
TEST(sections_of_windows)
{
    static const struct {
        const char *name;
        size_t n;
    } want[] = { { ".cask_re", 2 }, { ".rdata", 2 }, { ".data", 2 }, { ".rdatax", 1 } };

    for (size_t i = 0; i < JW_COUNT(want); i++) {
        FREED(jw_buf) fat = GEN_BUF, b = GEN_BUF;
        FREED(jw_image) image;

        err = (struct jw_err){ 0 };
        gen_fat(&fat, "P75 E86");
        const struct gen_section s[] = { { .name = want[i].name, .data = jw_buf_bytes(&fat) },
                                         { .name = ".nv_fatb", .data = jw_buf_bytes(&fat) } };

        (void)gen_pe(&b, s, 2);
        struct jw_source src = jw_source_memory(&(struct jw_bytes){ b.p, b.n });

        CHECK(jw_image_scan(&src, "x.dll", (struct jw_image_options){ 0 }, &image, &err));
        CHECK_NUM(image.fats.n, want[i].n);
        CHECK(image.fats.n != 2 || image.fats.list[0].role == JW_ROLE_LAZY);
    }
}
