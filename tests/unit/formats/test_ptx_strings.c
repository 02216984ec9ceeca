/* PTX among the data of a program: whole texts, pieces, and what only looks like it. */
#include "check.h"
#include "formats/image.h"
#include "gen/samples.h"

static const struct jw_image_options asked = { .embedded = true };
static struct jw_image image;
static struct jw_buf file;

/* A program with this in .rodata. */
static bool look(struct jw_bytes data, struct jw_image_options options)
{
    const struct gen_section section = { .name = ".rodata", .data = data, .align = 32 };

    jw_image_free(&image);
    jw_buf_free(&file);
    file = GEN_BUF;
    (void)gen_elf(&file, (struct gen_elf){ 0 }, &section, 1);
    const struct jw_bytes bytes = jw_buf_bytes(&file);
    const struct jw_source src = jw_source_memory(&bytes);

    return jw_image_scan(&src, "program", options, &image, JW_IGNORED);
}

static void end(void)
{
    jw_image_free(&image);
    jw_buf_free(&file);
}

#define LOOK(text) look((struct jw_bytes){ (const uint8_t *)(text), sizeof(text) }, asked)
#define HEAD "//\n// by hand\n//\n.version 7.0\n.target sm_70\n.address_size 64\n"
#define KERNEL ".visible .entry k() { ret; }\n"

EACH(NULL, end)

TEST(a_whole_text_is_a_module)
{
    CHECK(LOOK("usage: %s FILE\0" HEAD KERNEL "\0another string........"
               ".version\t \n7.0\n.target sm_70\n" KERNEL));
    CHECK(image.fats.n == 2 && !image.ptx_pieces);
    const struct jw_fat *fat = &image.fats.list[0];
    const struct jw_fat_entry *e = &image.fats.entries[fat->first];

    CHECK(fat->text && fat->role == JW_ROLE_CODE && e->header == 0 && e->kind == JW_KIND_PTX);
    CHECK_NUM(fat->size, sizeof HEAD KERNEL - 1);
    CHECK_NUM(e->target.sm, 70);
    CHECK(memcmp(file.p + fat->at, HEAD KERNEL, fat->size + 1) == 0);
}

/* As Rust and Go keep the strings of a program: side by side. */
TEST(a_text_between_words_ends_behind_its_last_brace)
{
    CHECK(LOOK("src/main.rsone" HEAD KERNEL "\ntwo" HEAD ".global .b8 a[1] = { 1 };\n" KERNEL HEAD KERNEL
               "error: {\0"));
    CHECK(image.fats.n == 4 && !image.ptx_pieces);
    CHECK_NUM(image.fats.list[0].size, sizeof HEAD KERNEL);
    CHECK_NUM(image.fats.list[2].size, sizeof HEAD KERNEL - 1);
    for (size_t i = 0; i < 3; i++)
        CHECK(memcmp(file.p + image.fats.list[i].at, HEAD, sizeof HEAD - 1) == 0);
    end();
}

TEST(it_is_only_looked_for_where_that_was_asked)
{
    CHECK(look(JW_BYTES(HEAD KERNEL "\0"), (struct jw_image_options){ 0 }));
    CHECK_NUM(image.fats.n + image.ptx_pieces, 0);
}

TEST(two_texts_and_one_over_the_end_of_a_chunk)
{
    enum { FAR = (1 << 20) - 70 };
    FREED(jw_buf) data = GEN_BUF;

    jw_buf_add(&data, HEAD KERNEL, sizeof HEAD KERNEL);
    jw_buf_fill(&data, 'x', FAR - data.n);
    jw_buf_fill(&data, 0, 1);
    jw_buf_add(&data, HEAD KERNEL, sizeof HEAD KERNEL);
    CHECK(look(jw_buf_bytes(&data), asked));
    CHECK_NUM(image.fats.n, 2);
    CHECK_NUM(image.ptx_pieces, 0);
}

TEST(pieces_are_counted_and_are_no_modules)
{
    const struct {
        struct jw_bytes data;
        unsigned pieces;
    } cases[] = {
        { JW_BYTES(HEAD "\0"), 1 }, /* the head of a text that is made later */
        { JW_BYTES(".version %d.%d\n.target sm_%d\n" KERNEL "\0"), 1 }, /* a format */
        { JW_BYTES(".version 7.0\n\0.target sm_80\n\0"), 1 },           /* lines of their own */
        { JW_BYTES(HEAD ".visible .entry k() { ret;\n\0 }\0"), 1 },     /* a brace is missing */
        { JW_BYTES("see " HEAD KERNEL "\0"), 1 },                       /* inside another text */
        { JW_BYTES("it needs PTX .version 7.0 or newer\0"), 0 },        /* no target */
        { JW_BYTES(".version of .target sm_80\0"), 0 },                 /* no number */
        { JW_BYTES(".version 7.0 for .target names\0"), 0 },            /* no architecture */
        { JW_BYTES(".version "), 0 },
        { JW_BYTES(HEAD ".entry k() { call (%r), _optix_get_payload_0, (); }\0"), 0 }, /* OptiX's */
        { JW_BYTES(".version 1.target sm_"), 0 },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        CHECK(look(cases[i].data, asked));
        CHECK_NUM(image.fats.n, 0);
        CHECK_NUM(image.ptx_pieces, cases[i].pieces);
    }
}

/* PTX that a container stores as it is looks like a string. */
TEST(what_is_in_a_container_is_no_string)
{
    FREED(jw_buf) data = GEN_BUF;

    gen_fat(&data, "P75 P80:l");
    gen_fat(&data, "P90");
    CHECK(look(jw_buf_bytes(&data), asked));
    CHECK_NUM(image.fats.n, 2);
    CHECK_NUM(image.ptx_pieces, 0);
}

/* As TensorFlow has them: samples of large data show a container, and texts behind it count, too. */
TEST(beside_a_container_all_data_are_searched)
{
    FREED(jw_buf) data = GEN_BUF;

    gen_fat(&data, "P75");
    jw_buf_fill(&data, 0, 1 << 20);
    jw_buf_add(&data, HEAD KERNEL, sizeof HEAD KERNEL);
    CHECK(look(jw_buf_bytes(&data), (struct jw_image_options){ .samples = true, .embedded = true }));
    CHECK_NUM(image.fats.n, 2);
}
