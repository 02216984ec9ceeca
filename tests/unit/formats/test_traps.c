/* Every way in which a file can lie, with the whole sentence that it gets and what is found all the same. */
#include "check.h"
#include "formats/image.h"
#include "formats/inflate.h"
#include "formats/zip.h"
#include "gen/traps.h"

#include <stdlib.h>

static size_t doubtful(const struct jw_image *image)
{
    size_t n = 0;

    for (size_t i = 0; i < image->fats.n; i++)
        n += image->fats.list[i].doubtful;
    return n;
}

static void scan(const struct gen_trap *trap, struct jw_bytes bytes)
{
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_image image;
    struct jw_err err = { 0 };
    bool ok = jw_image_scan(&src, trap->file, (struct jw_image_options){ 0 }, &image, &err);

    CHECK(ok == (trap->outcome != GEN_ERROR));
    if (!ok)
        CHECK_TEXT(err.msg, trap->says);
    CHECK_NUM(image.fats.n, trap->containers);
    CHECK_NUM(doubtful(&image), trap->outcome == GEN_DOUBT);
    if (ok) {
        CHECK_NUM(image.problems.n, trap->says[0] != '\0');
        if (image.problems.n)
            CHECK_TEXT(image.problems.text[0], trap->says);
    }
    jw_image_free(&image);
}

/* All of a member's bytes. */
static bool read_member(const struct jw_source *src, const struct jw_zip_member *m, struct jw_err *err)
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
                            data.size - at < sizeof byte ? (size_t)(data.size - at) : sizeof byte, err);
    ok = ok && jw_source_check(&data, err);
    jw_inflate_free(z);
    return ok;
}

static void unzip(const struct gen_trap *trap, struct jw_bytes bytes)
{
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_arena arena = { 0 };
    struct jw_zip zip;
    struct jw_err err = { 0 };
    bool ok = jw_zip_open(&zip, &src, &arena, &err);

    CHECK_NUM(zip.n, trap->containers);
    for (size_t i = 0; ok && i < zip.n; i++) {
        ok = read_member(&src, &zip.list[i], &err);
        CHECK(ok || i + 1 == zip.n);
    }
    CHECK(ok == (trap->outcome == GEN_QUIET));
    if (!ok)
        CHECK_TEXT(err.msg, trap->says);
    jw_zip_close(&zip);
    jw_arena_free(&arena);
}

/* On the heap and of exactly its size, so that a sanitizer sees one byte too many. */
static void run(const char *name)
{
    const struct gen_trap *trap = gen_trap(name);
    struct jw_buf b = GEN_BUF;

    trap->make(&b);
    uint8_t *exact = malloc(b.n);

    if (!exact)
        abort();
    memcpy(exact, b.p, b.n);
    if (strcmp(trap->file, "x.whl") == 0)
        unzip(trap, (struct jw_bytes){ exact, b.n });
    else
        scan(trap, (struct jw_bytes){ exact, b.n });
    free(exact);
    jw_buf_free(&b);
}

#define TRAP(name, file, outcome, containers, says)                                                          \
    TEST(name)                                                                                               \
    {                                                                                                        \
        run(#name);                                                                                          \
    }
#include "gen/traps.def"
#undef TRAP
