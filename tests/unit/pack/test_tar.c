#include "pack/format/tar.h"

#include "base/buf.h"
#include "check.h"

#include <stdlib.h>

enum { MAX = 1 << 20 };

/* "a/b 3 xyz.empty 0 ." The bytes are in memory of exactly their size. */
static bool read_tar(struct jw_bytes tar, struct jw_buf *told, struct jw_err *err)
{
    uint8_t *exact = malloc(tar.n ? tar.n : 1);
    struct jw_tar_reader r = { .in = { exact, tar.n } };
    struct jw_tar_member m;
    bool more = true, ok = exact != NULL;

    *told = JW_BUF(MAX);
    if (ok && tar.n)
        memcpy(exact, tar.p, tar.n);
    while (ok && (ok = jw_tar_next(&r, &m, &more, err)) && more) {
        jw_buf_printf(told, "%s %zu ", m.name, m.data.n);
        jw_buf_add(told, m.data.p, m.data.n);
        jw_buf_text(told, ".");
    }
    ok = ok && jw_tar_end(&r, err);
    free(exact);
    return ok;
}

/* The sentence with which it is refused; "" when it is not. */
static const char *refusal(struct jw_bytes tar)
{
    static char sentence[384];
    struct jw_buf told;
    struct jw_err err = { 0 };
    bool ok = read_tar(tar, &told, &err);

    CHECK(ok == !err.msg[0]);
    (void)snprintf(sentence, sizeof sentence, "%s", err.msg);
    jw_buf_free(&told);
    return sentence;
}

/* ---- a tar that is made, and spoiled ---- */

static void member(struct jw_buf *out, const char *name, const char *data)
{
    struct jw_err err = { 0 };

    CHECK_OK(
        jw_tar_put(jw_sink_buf(out), name, (struct jw_bytes){ (const uint8_t *)data, strlen(data) }, &err),
        err);
}

/* a/b of 3 bytes at 0x0, an empty one at 0x400, c of 512 bytes at 0x600, the end at 0xa00. */
static struct jw_buf small_tar(void)
{
    struct jw_buf out = JW_BUF(MAX);
    struct jw_err err = { 0 };
    char block[513];

    memset(block, 'c', 512);
    block[512] = '\0';
    member(&out, "a/b", "xyz");
    member(&out, "empty", "");
    member(&out, "c", block);
    CHECK(jw_tar_put_end(jw_sink_buf(&out), &err));
    CHECK_NUM(out.n, 0xe00);
    return out;
}

/* Its checksum holds again, whatever else does not. */
static void seal(uint8_t *header)
{
    unsigned sum = 0;

    memset(header + 148, ' ', 8);
    for (unsigned i = 0; i < 512; i++)
        sum += header[i];
    (void)snprintf((char *)header + 148, 8, "%06o", sum);
    header[155] = ' ';
}

/* small_tar with `n` bytes of its first header written over, sealed. */
static void check_header(size_t at, const void *bytes, size_t n, const char *sentence)
{
    struct jw_buf tar = small_tar();

    memcpy(tar.p + at, bytes, n);
    seal(tar.p);
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), sentence);
    jw_buf_free(&tar);
}

static void check_name(const char *name, const char *sentence)
{
    char field[100] = "";

    (void)snprintf(field, sizeof field, "%s", name);
    check_header(0, field, sizeof field, sentence);
}

#define NOT_PLAIN "tar: the name at 0x0 is not a plain relative one (A-Z a-z 0-9 . _ - and /)"

/* ---- round trips ---- */

TEST(what_is_written_is_read)
{
    struct jw_buf tar = small_tar(), told;
    struct jw_err err = { 0 };

    CHECK_OK(read_tar(jw_buf_bytes(&tar), &told, &err), err);
    CHECK(strncmp(jw_buf_cstr(&told), "a/b 3 xyz.empty 0 .c 512 ccc", 28) == 0);
    CHECK_NUM(told.n, 10 + 9 + 6 + 512 + 1);
    jw_buf_free(&told);
    jw_buf_free(&tar);
}

TEST(nothing_but_its_end)
{
    static const uint8_t zeros[JW_TAR_END + 1];

    CHECK_TEXT(refusal((struct jw_bytes){ zeros, JW_TAR_END }), "");
    CHECK_TEXT(refusal((struct jw_bytes){ zeros, JW_TAR_END + 1 }), "tar: something follows its end (0x400)");
}

TEST(a_header_byte_by_byte)
{
    uint8_t h[JW_TAR_BLOCK];
    struct jw_err err = { 0 };

    CHECK(jw_tar_header(h, "cache/4/2/3e06b9e6ec62aa", 01234567, &err));
    CHECK_TEXT((char *)h, "cache/4/2/3e06b9e6ec62aa");
    CHECK_TEXT((char *)h + 100, "0000644");
    CHECK_TEXT((char *)h + 108, "0000000");
    CHECK_TEXT((char *)h + 116, "0000000");
    CHECK_TEXT((char *)h + 124, "00001234567");
    CHECK_TEXT((char *)h + 136, "00000000000");
    CHECK_TEXT((char *)h + 148, "012646");
    CHECK(h[155] == ' ' && h[156] == '0' && h[157] == 0);
    CHECK_TEXT((char *)h + 257, "ustar");
    CHECK(memcmp(h + 263, "00", 3) == 0);
    CHECK_TEXT((char *)h + 329, "0000000");
    CHECK_TEXT((char *)h + 337, "0000000");
    CHECK(h[345] == 0 && h[511] == 0);
}

TEST(spans)
{
    CHECK_NUM(jw_tar_span(0), 512);
    CHECK_NUM(jw_tar_span(1), 1024);
    CHECK_NUM(jw_tar_span(512), 1024);
    CHECK_NUM(jw_tar_span(513), 1536);
    CHECK_NUM(jw_tar_span(JW_MAX_TAR), JW_MAX_TAR + 1 + 512);
}

TEST(names_that_may_be)
{
    static const char *const good[] = { "a", "a/b", "...", "a/..b/.c", "jitwarm/manifest.json", "A_-9" };
    static const char *const bad[] = { "",     "/",    "/a",  "a/",   "a//b", ".",        "..",  "a/..",
                                       "../a", "a/./", "a b", "a\\b", "c:a",  "\xc3\xa4", "a\n", "a/../b" };
    char longest[101];

    for (size_t i = 0; i < JW_COUNT(good); i++)
        CHECK(jw_tar_name_plain(good[i]));
    for (size_t i = 0; i < JW_COUNT(bad); i++)
        CHECK(!jw_tar_name_plain(bad[i]));
    memset(longest, 'x', 100);
    longest[100] = '\0';
    CHECK(!jw_tar_name_plain(longest));
    longest[99] = '\0';
    CHECK(jw_tar_name_plain(longest));
}

TEST(what_cannot_be_written)
{
    uint8_t header[JW_TAR_BLOCK];
    struct jw_buf out = JW_BUF(MAX);
    struct jw_err err = { 0 };

    CHECK(!jw_tar_put(jw_sink_buf(&out), "../x", JW_BYTES("y"), &err));
    CHECK_TEXT(err.msg, "tar: a name that a pack's member cannot have: ../x");
    CHECK_NUM(out.n, 0);
    CHECK(!jw_tar_header(header, "x", JW_MAX_TAR + 1, &err));
    CHECK_TEXT(err.msg, "tar: x of 8589934592 bytes, expected at most 8589934591");
    jw_buf_free(&out);
}

TEST(a_sink_that_is_full)
{
    for (size_t room = 0; room < 0xe00; room += 100) {
        struct jw_buf out = JW_BUF(room);
        struct jw_sink to = jw_sink_buf(&out);
        struct jw_err err = { 0 };

        CHECK(!(jw_tar_put(to, "a", JW_BYTES("xyz"), &err)
                && jw_tar_put(to, "b", (struct jw_bytes){ (uint8_t[513]){ 0 }, 513 }, &err)
                && jw_tar_put_end(to, &err)));
        CHECK_HAS(err.msg, "no room");
        jw_buf_free(&out);
    }
}

/* ---- truncation ---- */

TEST(cut_off_anywhere_it_is_refused)
{
    struct jw_buf tar = small_tar();

    for (size_t n = 0; n < tar.n; n++) {
        struct jw_buf told;
        struct jw_err err = { 0 };

        CHECK_REFUSED(read_tar((struct jw_bytes){ tar.p, n }, &told, &err), err, "tar: cut off at 0x");
        jw_buf_free(&told);
    }
    jw_buf_free(&tar);
}

TEST(where_it_was_cut_off_is_said)
{
    static const struct {
        size_t n;
        const char *sentence;
    } cuts[] = { { 0, "tar: cut off at 0x0, before its end blocks" },
                 { 100, "tar: cut off at 0x64, inside a header" },
                 { 512, "tar: cut off at 0x200, inside a member's data" },
                 { 514, "tar: cut off at 0x202, inside a member's data" },
                 { 515, "tar: cut off at 0x203, behind a member's data" },
                 { 1024, "tar: cut off at 0x400, before its end blocks" },
                 { 0xa00, "tar: cut off at 0xa00, before its end blocks" },
                 { 0xc00, "tar: cut off at 0xc00, inside its end blocks" },
                 { 0xdff, "tar: cut off at 0xdff, inside its end blocks" } };
    struct jw_buf tar = small_tar();

    for (size_t i = 0; i < JW_COUNT(cuts); i++)
        CHECK_TEXT(refusal((struct jw_bytes){ tar.p, cuts[i].n }), cuts[i].sentence);
    jw_buf_free(&tar);
}

/* ---- damage ---- */

/* A flip in data is for the digests of a pack; any other is seen here. */
TEST(no_flipped_bit_outside_of_data_passes)
{
    struct jw_buf tar = small_tar();

    for (size_t bit = 0; bit < tar.n * 8; bit++) {
        size_t at = bit / 8;
        bool data = (at >= 0x200 && at < 0x203) || (at >= 0x800 && at < 0xa00);
        struct jw_buf told;
        struct jw_err err = { 0 };

        tar.p[at] ^= (uint8_t)(1u << bit % 8);
        CHECK(read_tar(jw_buf_bytes(&tar), &told, &err) == data);
        tar.p[at] ^= (uint8_t)(1u << bit % 8);
        jw_buf_free(&told);
    }
    jw_buf_free(&tar);
}

TEST(a_flipped_bit_is_seen_by_the_checksum)
{
    struct jw_buf tar = small_tar();

    tar.p[1] ^= 1;
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "tar: the header of a.b is not as in a pack (0x99)");
    tar.p[1] ^= 1;
    tar.p[148] = 'x';
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "tar: the header of a/b is not as in a pack (0x94)");
    jw_buf_free(&tar);
}

TEST(each_field_is_as_written_or_refused)
{
    static const size_t fields[] = { 50,  106, 108, 122, 135, 146, 157, 257,
                                     262, 263, 265, 297, 329, 344, 345, 511 };

    for (size_t i = 0; i < JW_COUNT(fields); i++) {
        char sentence[80];

        (void)snprintf(sentence, sizeof sentence, "tar: the header of a/b is not as in a pack (0x%zx)",
                       fields[i]);
        check_header(fields[i], "7", 1, sentence);
    }
}

TEST(a_checksum_that_is_spelled_otherwise)
{
    struct jw_buf tar = small_tar();

    tar.p[154] = ' ';
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "tar: the header of a/b is not as in a pack (0x9a)");
    jw_buf_free(&tar);
}

TEST(what_is_not_zero_behind_data)
{
    struct jw_buf tar = small_tar();

    tar.p[0x3ff] = 1;
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "tar: something other than zeros behind the data of a/b (0x3ff)");
    jw_buf_free(&tar);
}

/* ---- what a pack never has ---- */

TEST(names_that_lead_elsewhere)
{
    check_name("../x", NOT_PLAIN);
    check_name("a/../../x", NOT_PLAIN);
    check_name("/etc/passwd", NOT_PLAIN);
    check_name("./a", NOT_PLAIN);
    check_name("a\\b", NOT_PLAIN);
    check_name("C:x", NOT_PLAIN);
    check_name("", NOT_PLAIN);
}

TEST(names_that_are_no_plain_text)
{
    char full[100];

    check_name("a\xff", NOT_PLAIN);
    check_name("\x1b[2J", NOT_PLAIN);
    memset(full, 'x', sizeof full);
    check_header(0, full, sizeof full, NOT_PLAIN);
}

/* Links, devices, folders, pipes, members of pax, of GNU tar and of old ones. */
TEST(members_that_are_no_regular_files)
{
    static const char types[] = "1234567xgLKSVZ";

    for (size_t i = 0; i < sizeof types; i++) /* the NUL, too */
        check_header(156, &types[i], 1, "tar: the header of a/b is not as in a pack (0x9c)");
}

TEST(gnu_tar_s_own_magic)
{
    check_header(257, "ustar  ", 8, "tar: the header of a/b is not as in a pack (0x106)");
}

/* One byte less leaves data where zeros should be, a block more finds the next header there, eight take the end for data.
 * What stays within the block is for the manifest to see. */
TEST(sizes_that_lie)
{
    struct jw_buf tar = small_tar();

    memcpy(tar.p + 124, "00000000002", 11);
    seal(tar.p);
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "tar: something other than zeros behind the data of a/b (0x202)");
    memcpy(tar.p + 124, "00000001003", 11);
    seal(tar.p);
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "tar: something other than zeros behind the data of a/b (0x403)");
    memcpy(tar.p + 124, "00000010000", 11);
    seal(tar.p);
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "tar: cut off at 0xe00, inside a member's data");
    jw_buf_free(&tar);
}

TEST(sizes_that_are_too_large)
{
    check_header(124, "77777777777", 11, "tar: cut off at 0xe00, inside a member's data");
    check_header(124, "\x80\0\0\0\0\0\0\0\0\0\1", 11, "tar: the size at 0x7c is not of 11 octal digits");
    check_header(124, "        003", 11, "tar: the size at 0x7c is not of 11 octal digits");
}

TEST(something_behind_the_end)
{
    struct jw_buf tar = small_tar();

    jw_buf_fill(&tar, 0, 1);
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "tar: something follows its end (0xe00)");
    jw_buf_free(&tar);
}

TEST(one_block_of_zeros_is_no_end)
{
    struct jw_buf tar = small_tar();

    tar.p[0xc00] = 'x';
    CHECK_TEXT(refusal(jw_buf_bytes(&tar)), "tar: one block of zeros before 0xc00, expected two at its end");
    jw_buf_free(&tar);
}
