#include "formats/inflate.h"
#include "formats/zip.h"
#include "gen/sources.h"
#include "scanned.h"

struct opened {
    struct jw_buf buf;
    struct jw_bytes bytes;
    struct jw_source src;
    struct jw_arena arena;
    struct jw_zip zip;
    struct jw_err err;
    bool ok;
};

static void open_it(struct opened *z)
{
    z->bytes = jw_buf_bytes(&z->buf);
    z->src = jw_source_memory(&z->bytes);
    z->ok = jw_zip_open(&z->zip, &z->src, &z->arena, &z->err);
}

static void opened_free(struct opened *z)
{
    jw_arena_free(&z->arena);
    jw_buf_free(&z->buf);
}

/* Scans one member as if it were a file. */
static size_t containers_in(struct opened *z, const struct jw_zip_member *m)
{
    struct jw_source data;
    struct jw_inflate *inflate = jw_inflate_new();
    FREED(jw_image) image;
    size_t n;

    CHECK(jw_zip_data(&z->src, m, &data, &z->err));
    if (m->method == JW_ZIP_DEFLATED)
        data = jw_inflate_source(inflate, &data, m);
    CHECK(jw_image_scan(&data, m->name, false, &image, &z->err));
    n = image.fats.n;
    jw_inflate_free(inflate);
    return n;
}

static void library(struct jw_buf *out)
{
    FREED(jw_buf) fat = GEN_BUF;

    gen_fat(&fat, "P75:s E86");
    gen_fat(&fat, "P80");
    (void)gen_library(out, jw_buf_bytes(&fat), true);
}

TEST(members_stored_and_deflated_with_and_without_zip64)
{
    for (int zip64 = 0; zip64 < 2; zip64++) {
        FREED(opened) z = {.buf = GEN_BUF};
        FREED(jw_buf) lib = GEN_BUF;

        library(&lib);
        const struct gen_member m[] = {
            {.name = "pkg/"},
            {.name = "pkg/stored.so", .data = jw_buf_bytes(&lib), .zip64 = zip64},
            {.name = "pkg/deflated.so",
             .data = jw_buf_bytes(&lib),
             .deflated = true,
             .zip64 = zip64},
            {.name = "pkg/empty.py"},
            {.name = "pkg-1.dist-info/METADATA", .data = JW_BYTES("Name: pkg\n"), .deflated = true},
        };
        (void)gen_zip(&z.buf, m, JW_COUNT(m), "");
        open_it(&z);
        CHECK(z.ok);
        CHECK_NUM(z.zip.n, 4); /* without the folder */
        CHECK_TEXT(z.zip.list[0].name, "pkg/stored.so");
        CHECK_NUM(z.zip.list[0].plain, lib.n);
        CHECK_NUM(z.zip.list[1].plain, lib.n);
        CHECK(z.zip.list[1].packed < lib.n && z.zip.list[1].method == JW_ZIP_DEFLATED);
        CHECK_NUM(z.zip.list[2].plain, 0);
        CHECK_NUM(containers_in(&z, &z.zip.list[0]), 2);
        CHECK_NUM(containers_in(&z, &z.zip.list[1]), 2);
    }
}

TEST(a_comment_may_follow_and_may_look_like_an_end_and_other_bytes_behind_it)
{
    static const char *const comments[] = {"x", "a comment of some length",
                                           "PK\5\6 is how an end record begins, and here is more"};

    for (size_t i = 0; i < JW_COUNT(comments); i++) {
        FREED(opened) z = {.buf = GEN_BUF};
        const struct gen_member m = {.name = "x", .data = JW_BYTES("data")};

        (void)gen_zip(&z.buf, &m, 1, comments[i]);
        jw_buf_text(&z.buf, i ? "" : "something appended");
        open_it(&z);
        CHECK(z.ok && z.zip.n == 1);
    }
}

TEST(an_empty_zip)
{
    FREED(opened) z = {.buf = GEN_BUF};

    (void)gen_zip(&z.buf, NULL, 0, "");
    open_it(&z);
    CHECK(z.ok && z.zip.n == 0 && jw_image_sniff(z.bytes, "") == JW_FORMAT_WHEEL);
}

/* A wheel of 6 GiB: a member and the directory beyond 4 GiB, told by zip64. */
TEST(beyond_4_gib)
{
    FREED(jw_buf) lib = GEN_BUF, b = GEN_BUF;
    const uint64_t far = (uint64_t)6 << 30;
    FREED(opened) z = {.buf = GEN_BUF};

    library(&lib);
    const struct gen_member m = {.name = "pkg/lib.so", .data = jw_buf_bytes(&lib), .zip64 = true};
    struct gen_box box = gen_zip(&b, &m, 1, "");
    gen_set64(&b, box.directory + 46 + 10 + 8 + 4 + 16, far); /* the member's local header */
    gen_set64(&b, box.end + 48, far + box.directory);         /* the directory */
    gen_set64(&b, box.end + 56 + 8, far + box.end);           /* the zip64 end */
    struct gen_sparse file = {.size = far + b.n, .n = 1};
    file.piece[0].at = far;
    file.piece[0].data = jw_buf_bytes(&b);
    z.src = gen_source(&file);
    z.ok = jw_zip_open(&z.zip, &z.src, &z.arena, &z.err);
    CHECK(z.ok && z.zip.n == 1);
    if (z.ok && z.zip.n == 1) {
        CHECK_NUM(z.zip.list[0].at, far);
        CHECK_NUM(containers_in(&z, &z.zip.list[0]), 2);
    }
}

TEST(cut_off_anywhere_is_an_error)
{
    FREED(opened) z = {.buf = GEN_BUF};
    const struct gen_member m[] = {{.name = "x", .data = JW_BYTES("data")},
                                   {.name = "y", .data = JW_BYTES("more"), .zip64 = true}};

    (void)gen_zip(&z.buf, m, 2, "");
    for (size_t n = 0; n < z.buf.n; n++) {
        struct jw_bytes cut = {z.buf.p, n};
        struct jw_source src = jw_source_memory(&cut);

        CHECK(!jw_zip_open(&z.zip, &src, &z.arena, &z.err));
        CHECK_TEXT(z.err.msg, "zip: no end record: the file is cut off or not a zip");
    }
}

/* Thousands of names for one stream would each be unpacked. */
TEST(members_that_share_bytes_claim_too_much)
{
    FREED(opened) z = {.buf = GEN_BUF};
    const struct gen_member m[] = {
        {.name = "x", .data = JW_BYTES("data"), .deflated = true, .plain = 600000000},
        {.name = "y", .data = JW_BYTES("more"), .deflated = true, .plain = 600000000}};
    struct gen_box box = gen_zip(&z.buf, m, 2, "");

    gen_set32(&z.buf, box.directory + 46 + 1 + 42, 0); /* where the directory says that y is */
    open_it(&z);
    CHECK(!z.ok);
    CHECK_HAS(z.err.msg, "bytes claim to unpack to 1200000000; looks like a decompression bomb");
}
