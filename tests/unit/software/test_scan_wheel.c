#include "software/scan/verdict_words.h"
#include "tree.h"

static void library(struct jw_buf *out, const char *words)
{
    FREED(jw_buf) fat = GEN_BUF;

    gen_fat(&fat, words);
    (void)gen_library(out, jw_buf_bytes(&fat), true);
}

static const char *wheel(const char *name, bool damaged)
{
    FREED(jw_buf) so = GEN_BUF, dll = GEN_BUF, fat = GEN_BUF;
    struct jw_buf zip = GEN_BUF;

    library(&so, "P75:s E86");
    gen_fat(&fat, "P90");
    (void)gen_pe(&dll, &(struct gen_section){.name = ".nv_fatb", .data = jw_buf_bytes(&fat)}, 1);
    struct gen_member members[] = {
        {.name = "pkg/__init__.py",
         .data = JW_BYTES("import os # nothing of interest in here, at all")},
        {.name = "pkg/lib/libx.so", .data = jw_buf_bytes(&so), .deflated = true},
        {.name = "pkg/x.pyd", .data = jw_buf_bytes(&dll)},
        {.name = "pkg-1.0.dist-info/METADATA",
         .data = JW_BYTES("Name: pkg\nVersion: 1.0\n"),
         .deflated = true},
    };
    struct gen_box box = gen_zip(&zip, members, 4, "");

    if (damaged)
        for (size_t i = 0; i < 40; i++)
            zip.p[box.at[1] + i] ^= 0x5a;
    return tree_buf(name, &zip);
}

TEST(members_are_files_of_their_own)
{
    struct jw_scan_report r = tree_scan(wheel("pkg-1.0-py3-none-any.whl", false), NULL);
    const struct jw_scan_file *so = tree_found(&r, "pkg-1.0-py3-none-any.whl!pkg/lib/libx.so");
    const struct jw_scan_file *dll = tree_found(&r, "!pkg/x.pyd");

    CHECK_NUM(r.n_files, 2);
    CHECK_NUM(r.n_skipped, 0);
    CHECK(so && strcmp(so->format, "elf") == 0);
    CHECK(so && OF(&so->verdicts[0], NATIVE) == 1 && OF(&so->verdicts[1], JIT) == 1);
    CHECK(dll && strcmp(dll->format, "pe") == 0 && dll->n_rows);
}

/* An installer takes the last of one name. What begins as no library may be one with a wrong first
 * byte. */
TEST(of_one_name_the_last_counts_and_no_library_is_passed_over_unread)
{
    FREED(jw_buf) old = GEN_BUF, new = GEN_BUF;
    struct jw_buf zip = GEN_BUF;

    library(&old, "E86");
    library(&new, "E90");
    struct gen_member m[] = {{.name = "a.so", .data = jw_buf_bytes(&old)},
                             {.name = "a.so", .data = jw_buf_bytes(&new)},
                             {.name = "b.so", .data = JW_BYTES("damaged"), .deflated = true}};

    (void)gen_zip(&zip, m, JW_COUNT(m), "");
    zip.p[jw_le32(zip.p + zip.n - 6) + 2 * (46 + 4) + 16] ^= 1; /* its CRC-32 in the directory */
    struct jw_scan_report r = tree_scan(tree_buf("last-1-py3-none-any.whl", &zip), NULL);

    CHECK(r.n_files == 1 && !OF(&r.files[0].verdicts[0], NATIVE)
          && OF(&r.files[0].verdicts[1], NATIVE));
    CHECK_HAS(r.n_skipped ? r.skipped[0].path : "", "!b.so");
}

TEST(a_damaged_member_does_not_hide_the_others)
{
    struct jw_scan_report r = tree_scan(wheel("bad-1.0-py3-none-any.whl", true), NULL);
    const struct jw_scan_skipped *s = tree_skipped(&r, "!pkg/lib/libx.so");

    CHECK_NUM(r.n_files, 1);
    CHECK(tree_found(&r, "!pkg/x.pyd") != NULL);
    CHECK(s && s->named && s->why == JW_SKIP_DAMAGED);
    CHECK_HAS(s ? s->reason : "", "zip: the member's data is ");
}

TEST(a_wheel_without_code_is_told_when_it_was_named)
{
    struct jw_buf zip = GEN_BUF;
    struct gen_member m = {.name = "a.py",
                           .data = JW_BYTES("print('hello, world, without any GPU')")};

    (void)gen_zip(&zip, &m, 1, "");
    struct jw_scan_report r = tree_scan(tree_buf("py-1-py3-none-any.whl", &zip), NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK_TEXT(r.files[0].format, "wheel");
    CHECK_NUM(r.files[0].verdicts[0].verdict, JW_VERDICT_NOTHING);
}

TEST(in_a_walk_only_wheels_are_looked_into)
{
    (void)wheel("walk/pkg-1.0-py3-none-any.whl", false);
    (void)wheel("walk/data.zip", false);
    (void)tree_buf("walk/empty.whl", &(struct jw_buf){0});
    (void)tree_buf("walk/empty.so", &(struct jw_buf){0});
    struct jw_scan_report r = tree_scan(scratch("walk"), NULL);

    CHECK(r.n_files == 2 && r.n_skipped == 1 && tree_skipped(&r, "empty.whl"));
    scratch_empty(scratch("walk"));
}

/* None of them claims more than one member may; together they do. */
TEST(many_members_are_no_bomb_together)
{
    struct jw_buf so = GEN_BUF, zip = GEN_BUF;
    struct gen_member m[8];
    char names[8][16];

    library(&so, "P75:s E86");
    for (unsigned i = 0; i < 8; i++) {
        (void)snprintf(names[i], sizeof names[i], "lib%u.so", i);
        m[i] = (struct gen_member){.name = names[i],
                                   .data = jw_buf_bytes(&so),
                                   .deflated = true,
                                   .plain = (uint64_t)200 << 20};
    }
    (void)gen_zip(&zip, m, 8, "");
    jw_buf_free(&so);
    struct jw_scan_report r = tree_scan(tree_buf("bomb-1-py3-none-any.whl", &zip), NULL);
    const struct jw_scan_skipped *s = tree_skipped(&r, "bomb-1-py3-none-any.whl");

    CHECK(s != NULL);
    CHECK_HAS(s ? s->reason : "", "claim to unpack to 1677721600; looks like a decompression bomb");
    CHECK_NUM(r.n_files + r.n_skipped, 1);
}
