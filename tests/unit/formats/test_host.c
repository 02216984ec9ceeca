/* Containers outside of sections of containers: what is searched, wherever one is, and at which
 * cost. */
#include "check.h"
#include "formats/image.h"
#include "gen/samples.h"
#include "gen/sources.h"

enum { MIB = 1 << 20, START = 0x5010, SIZE = 16 * MIB + 500000 };

/* A file of sections over zeros. Section 0 is .ldata, of SIZE bytes at START. */
struct library {
    struct gen_sparse file;
    struct gen_section list[2];
    struct {
        uint64_t at, size;
    } place[2];
    size_t n;
    struct jw_source src;
    struct jw_image image;
    struct jw_err err;
    bool embedded;
    struct jw_buf fat, head;
};

static void begin(struct library *l)
{
    *l = (struct library){.fat = GEN_BUF, .head = GEN_BUF, .n = 1};
    gen_fat(&l->fat, "P75 E86");
    l->file = (struct gen_sparse){.size = 40 * MIB, .n = 1};
    l->list[0].name = ".ldata";
    l->place[0].at = START;
    l->place[0].size = SIZE;
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
    jw_image_free(&l->image);
    jw_buf_clear(&l->head);
    struct gen_host h = gen_elf(&l->head, (struct gen_elf){0}, l->list, l->n);

    for (size_t i = 0; i < l->n; i++) {
        gen_set64(&l->head, h.table + 64 * (i + 1) + 24, l->place[i].at);
        gen_set64(&l->head, h.table + 64 * (i + 1) + 32, l->place[i].size);
    }
    l->file.piece[0].data = jw_buf_bytes(&l->head);
    l->file.bytes = l->file.reads = 0;
    l->src.size = l->file.size;
    CHECK(jw_image_scan(&l->src, "x.so", l->embedded, &l->image, &l->err));
    return l->image.fats.n;
}

static void end(struct library *l)
{
    jw_image_free(&l->image);
    jw_buf_free(&l->head);
    jw_buf_free(&l->fat);
}

/* A program that was named loads itself what is anywhere in it, behind its sections, too; of
 * NVIDIA's own a library does that registers code. Instructions are not searched. */
TEST(what_a_program_embeds)
{
    static const struct {
        const char *section;
        bool registers;
        size_t n, of_nvidia;
        enum jw_role role;
    } rows[] = {
        {".rodata", false, 3, 0, JW_ROLE_CODE},        {".rdata", true, 4, 3, JW_ROLE_CODE},
        {".data", false, 3, 1, JW_ROLE_CODE},          {"kernels", false, 3, 0, JW_ROLE_CODE},
        {".text", false, 2, 0, JW_ROLE_CODE},          {".text", true, 3, 2, JW_ROLE_CODE},
        {"kernels", true, 4, 3, JW_ROLE_CODE},         {".data", true, 4, 3, JW_ROLE_LAZY},
        {".ldata", false, 3, 1, JW_ROLE_LAZY},         {".lrodata", false, 3, 1, JW_ROLE_LAZY},
        {".cask_resource", false, 3, 1, JW_ROLE_LAZY},
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        struct library l;

        begin(&l);
        l.list[0].name = rows[i].section;
        l.list[1].name = rows[i].registers ? ".nv_fatbin" : ".bss";
        l.place[0].size = 2 * MIB;
        l.place[1].at = 20 * MIB;
        l.place[1].size = 4096;
        l.n = 2;
        put(&l, START + MIB, jw_buf_bytes(&l.fat));
        put(&l, 30 * MIB, jw_buf_bytes(&l.fat));
        put(&l, 35 * MIB, JW_BYTES(".version 7.0\n.target sm_70\n.func f() {}\n"));
        if (rows[i].registers)
            put(&l, 20 * MIB, jw_buf_bytes(&l.fat));
        CHECK_NUM(count(&l), rows[i].of_nvidia);
        l.embedded = true;
        CHECK_NUM(count(&l), rows[i].n);
        CHECK_NUM(l.image.fats.list[0].role, rows[i].role);
        CHECK(l.image.fats.list[l.image.fats.n - 1].text && !l.image.problems.n);
        end(&l);
    }
}

TEST(each_byte_of_data_is_read_once)
{
    struct library l;

    begin(&l);
    l.place[0].size = (uint64_t)1 << 30;
    l.file.size = (uint64_t)2 << 30;
    CHECK_NUM(count(&l), 0);
    CHECK(l.file.bytes >= ((uint64_t)1 << 30) && l.file.bytes < ((uint64_t)1 << 30) + 8192);
    CHECK(l.file.reads < ((uint64_t)1 << 30) / 60000); /* in large steps */
    end(&l);
}

/* As a program has it that makes containers: without an entry, or of a wrong length. */
TEST(what_only_looks_like_a_container_is_none)
{
    struct library l;

    begin(&l);
    l.embedded = true;
    put(&l, START + 64,
        (struct jw_bytes){(const uint8_t *)JW_FAT_MAGIC_BYTES "\0\0\0\0\0\0\0\0", 16});
    put(&l, START + 256,
        (struct jw_bytes){(const uint8_t *)JW_FAT_MAGIC_BYTES "\1\0\0\0\0\0\0\0", 16});
    put(&l, 20 * MIB, jw_buf_bytes(&l.fat));
    CHECK_NUM(count(&l), 1);
    CHECK(!l.image.fats.damaged && !l.image.problems.n);
    end(&l);
}

/* Of a library for Windows: names are cut to eight characters, and installers put data behind the
 * sections. */
TEST(sections_of_windows)
{
    static const char *const names[] = {".cask_re", ".rdata", ".data"};

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        FREED(jw_buf) fat = GEN_BUF, b = GEN_BUF;
        FREED(jw_image) image;

        err = (struct jw_err){0};
        gen_fat(&fat, "P75 E86");
        const struct gen_section s[] = {{.name = names[i], .data = jw_buf_bytes(&fat)},
                                        {.name = ".nv_fatb", .data = jw_buf_bytes(&fat)}};

        (void)gen_pe(&b, s, 2);
        jw_buf_add(&b, fat.p, fat.n);
        struct jw_source src = jw_source_memory(&(struct jw_bytes){b.p, b.n});

        CHECK(jw_image_scan(&src, "x.dll", false, &image, &err));
        CHECK_NUM(image.fats.n, 3);
        CHECK(image.fats.n != 3 || image.fats.list[0].role == JW_ROLE_LAZY);
    }
}
