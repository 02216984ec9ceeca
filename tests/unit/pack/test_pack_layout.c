#include "base/mem.h"
#include "check.h"
#include "pack/format/pack_layout.h"
#include "pack/format/tar.h"
#include "pack_sample.h"

#include <stdlib.h>

enum { MIB = 1 << 20, KEY = 100 };

/* Entries of these sizes, all in all. */
static struct jw_pack_entry *entries_of(const uint64_t *sizes, size_t n)
{
    struct jw_pack_entry *e = jw_alloc((n + 1) * sizeof *e);

    for (size_t i = 0; i < n; i++) {
        e[i].key_bytes = KEY;
        e[i].payload_bytes = sizes[i] - KEY - JW_CACHE_HEADER;
    }
    return e;
}

/* "2 1": members of each frame. */
static const char *cut(const uint64_t *sizes, size_t n)
{
    static char text[256];
    struct jw_pack_entry *e = entries_of(sizes, n);
    size_t at = 0, all = 0, frames;
    struct jw_pack_frame *f = jw_pack_split_frames(e, n, &frames);

    text[0] = '\0';
    for (size_t i = 0; i < frames; all += f[i++].n) {
        CHECK(f[i].first == all && f[i].n > 0);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%zu", i ? " " : "", f[i].n);
    }
    CHECK_NUM(all, n);
    jw_free(f);
    jw_free(e);
    return text;
}

TEST(frames_are_full_to_the_byte)
{
    const uint64_t half = 16 * MIB - 512;
    const uint64_t exact[] = {half, half, 200}, over[] = {half, half + 1, 200};

    CHECK_TEXT(cut(exact, 3), "2 1");
    CHECK_TEXT(cut(over, 3), "1 2");
    CHECK_TEXT(cut(over, 1), "1");
    CHECK_TEXT(cut(over, 0), "");
}

TEST(a_large_member_is_alone)
{
    const uint64_t sizes[] = {500, 32 * MIB, 500, 500, 300 * MIB, 40 * MIB, 500};

    CHECK_TEXT(cut(sizes, 7), "1 1 2 1 1 1");
    const uint64_t fits[] = {32 * MIB - 512, 500};
    CHECK_TEXT(cut(fits, 2), "1 1");
}

/* The frames together are the tar, and none but that of one large member is over the mark. */
TEST(frames_add_up)
{
    enum { N = 3000 };
    static uint64_t sizes[N];
    uint64_t all = 0, sum = 0, seed = 1;
    size_t frames;

    for (size_t i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        sizes[i] = 200 + (seed >> 33) % (i % 100 ? 300000 : 60 * MIB);
        all += jw_tar_span(sizes[i]);
    }
    struct jw_pack_entry *e = entries_of(sizes, N);
    struct jw_pack_frame *f = jw_pack_split_frames(e, N, &frames);

    for (size_t i = 0; i < frames; i++) {
        CHECK(f[i].n == 1 || f[i].bytes <= JW_PACK_FRAME);
        sum += f[i].bytes;
    }
    CHECK_NUM(sum, all);
    jw_free(f);
    jw_free(e);
}

TEST(a_pointer)
{
    FREED(jw_buf) b = JW_BUF(64);
    uint64_t n;

    jw_pack_pointer_put(&b, 0x123456789abcdef0);
    CHECK_NUM(b.n, JW_PACK_POINTER);
    CHECK(jw_pack_pointer_read(b.p, &n) && n == 0x123456789abcdef0);
    for (size_t i = 0; i < 8; i++) {
        b.p[i] ^= 1;
        CHECK(!jw_pack_pointer_read(b.p, &n));
        b.p[i] ^= 1;
    }
}

TEST(a_list)
{
    FREED(jw_buf) b = JW_BUF(256);
    struct jw_bytes digests = JW_BYTES("0123456789abcdef0123456789ABCDEF"), index, got;

    jw_pack_list_put(&b, digests);
    jw_buf_text(&b, "what follows");
    index = jw_buf_bytes(&b);
    CHECK(jw_pack_list_take(&index, &got) && got.n == digests.n
          && memcmp(got.p, digests.p, got.n) == 0);
    CHECK(index.n == 12 && memcmp(index.p, "what follows", index.n) == 0);
    for (size_t n = 0; n < 8 + digests.n; n++) {
        index = (struct jw_bytes){b.p, n};
        CHECK(!jw_pack_list_take(&index, &got));
    }
    b.p[0] ^= 1;
    index = jw_buf_bytes(&b);
    CHECK(!jw_pack_list_take(&index, &got));
}

/* ---- what is in a frame ---- */

/* The sentence with which the entries of a frame are refused; "" when they are not. In a block of
 * its own size, so that a sanitizer sees what is read beyond. */
static const char *reading(const struct sample *s, struct jw_bytes tar)
{
    static struct jw_err err;
    struct jw_bytes files[SAMPLE_ENTRIES];
    uint8_t *exact = malloc(tar.n + 1);

    err = (struct jw_err){0};
    CHECK(exact != NULL);
    if (tar.n)
        memcpy(exact, tar.p, tar.n);
    bool ok = jw_pack_members_entries((struct jw_bytes){exact, tar.n}, s->entries, SAMPLE_ENTRIES,
                                      files, &err);

    CHECK(ok == !err.msg[0]);
    for (size_t i = 0; ok && i < SAMPLE_ENTRIES; i++)
        CHECK(files[i].n == s->files[i].n && memcmp(files[i].p, s->files[i].p, files[i].n) == 0);
    free(exact);
    return err.msg;
}

/* The members of these entries. */
static struct jw_buf tar_of(const struct sample *s, const size_t *which, size_t n)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MAX);

    for (size_t i = 0; i < n; i++)
        jw_tar_put(&tar, jw_pack_member(s->entries[which[i]].name).text,
                   jw_buf_bytes(&s->files[which[i]]));
    return tar;
}

static void check_order(const size_t *which, size_t n, const char *sentence)
{
    struct sample s;
    struct jw_buf tar;

    sample_make(&s);
    tar = tar_of(&s, which, n);
    CHECK_TEXT(reading(&s, jw_buf_bytes(&tar)), sentence);
    jw_buf_free(&tar);
    sample_free(&s);
}

TEST(a_whole_frame) { check_order((size_t[]){0, 1, 2}, 3, ""); }

TEST(an_entry_is_missing)
{
    check_order((size_t[]){0, 1}, 2, "tar: cut off at 0x800, inside cache/7/8/13dfbd4b7d92a7");
    check_order((size_t[]){0, 2}, 2,
                "tar: at 0x400 there is not the header of cache/7/3/31056fa7fd17fe with 106 bytes");
    check_order((size_t[]){0}, 0, "tar: cut off at 0x0, inside cache/0/7/6a6c5257a2dae4");
}

TEST(entries_in_another_order)
{
    check_order((size_t[]){1, 0, 2}, 3,
                "tar: at 0x0 there is not the header of cache/0/7/6a6c5257a2dae4 with 102 bytes");
}

TEST(an_entry_twice_or_too_many)
{
    check_order((size_t[]){0, 0, 1, 2}, 4,
                "tar: at 0x400 there is not the header of cache/7/3/31056fa7fd17fe with 106 bytes");
    check_order((size_t[]){0, 1, 2, 2}, 4,
                "pack: something follows the entries of a frame (0xc00)");
}

TEST_SAMPLE(an_entry_of_another_size)
{
    s->files[1].n--;
    FREED(jw_buf) tar = tar_of(s, (size_t[]){0, 1, 2}, 3);

    CHECK_TEXT(reading(s, jw_buf_bytes(&tar)),
               "tar: at 0x400 there is not the header of cache/7/3/31056fa7fd17fe with 106 bytes");
}

TEST_SAMPLE(a_frame_cut_off_anywhere_is_refused)
{
    FREED(jw_buf) tar = tar_of(s, (size_t[]){0, 1, 2}, 3);

    for (size_t n = 0; n < tar.n; n += 37) {
        CHECK_HAS(reading(s, (struct jw_bytes){tar.p, n}), "tar: cut off at 0x");
    }
}

/* ---- the manifest ---- */

static void manifest_refused(const struct jw_buf *tar, const char *sentence)
{
    struct jw_pack_manifest m;
    FREED(jw_arena) a = {0};
    struct jw_err err = {0};

    CHECK(jw_pack_members_manifest(jw_buf_bytes(tar), &a, &m, &err) == !*sentence);
    CHECK_TEXT(err.msg, sentence);
}

TEST_SAMPLE(the_manifest_and_nothing_else)
{
    FREED(jw_buf) tar = JW_BUF(SAMPLE_MAX), text = JW_BUF(SAMPLE_MAX);

    sample_text(s, &text);
    jw_tar_put(&tar, JW_PACK_MANIFEST_NAME, jw_buf_bytes(&text));
    manifest_refused(&tar, "pack: there is no manifest in its last frame, of 1024 bytes");
    jw_buf_fill(&tar, 0, JW_TAR_END);
    manifest_refused(&tar, "");
    jw_buf_clear(&tar);
    jw_tar_put(&tar, JW_PACK_MANIFEST_NAME, jw_buf_bytes(&text));
    jw_tar_put(&tar, "x", JW_BYTES("x"));
    jw_buf_fill(&tar, 0, JW_TAR_END);
    manifest_refused(
        &tar, "tar: at 0x0 there is not the header of jitwarm/manifest.json with 1025 bytes");
}

TEST(no_manifest)
{
    FREED(jw_buf) tar = JW_BUF(SAMPLE_MAX);

    jw_tar_put(&tar, "cache/4/2/3e06b9e6ec62aa", JW_BYTES("x"));
    jw_buf_fill(&tar, 0, JW_TAR_END);
    manifest_refused(&tar,
                     "tar: at 0x0 there is not the header of jitwarm/manifest.json with 1 bytes");
    jw_buf_clear(&tar);
    jw_buf_fill(&tar, 0, JW_TAR_END);
    manifest_refused(&tar, "pack: there is no manifest in its last frame, of 1024 bytes");
    jw_buf_clear(&tar);
    manifest_refused(&tar, "pack: there is no manifest in its last frame, of 0 bytes");
    jw_tar_put(&tar, JW_PACK_MANIFEST_NAME, JW_BYTES("x"));
    jw_buf_fill(&tar, 0, JW_TAR_END);
    manifest_refused(&tar, "manifest: json: damaged at byte 0");
}

/* ---- the trailer ---- */

enum { MAX = 1 << 20 };

/* `before` bytes of a pack and its trailer, with a signature of `signature` bytes. */
static struct jw_buf pack_of(size_t before, size_t signature)
{
    struct jw_buf out = JW_BUF(MAX), text = JW_BUF(MAX);
    struct jw_trailer t = {.signature = {NULL, 0}};
    struct jw_err err = {0};

    for (size_t i = 0; i < before; i++)
        jw_buf_fill(&out, (uint8_t)(i * 31 + i / 256), 1);
    jw_buf_fill(&text, 's', signature);
    jw_digest(t.digest, out.p, out.n);
    t.signature = jw_buf_bytes(&text);
    CHECK_OK(jw_trailer_write(&out, &t, &err), err);
    jw_buf_free(&text);
    return out;
}

/* The sentence with which the end of a file is refused; "" when it is not. */
static const char *found(struct jw_bytes file, size_t *signature, uint64_t *at)
{
    static struct jw_err err;
    struct jw_source src = jw_source_memory(&file);
    FREED(jw_buf) frame = JW_BUF(MAX);
    struct jw_trailer t;
    bool ok;

    err = (struct jw_err){0};
    ok = jw_trailer_find(&src, &frame, &t, at, &err);
    CHECK(ok == !err.msg[0]);
    *signature = t.signature.n;
    return err.msg;
}

static void refused(struct jw_bytes file, const char *sentence)
{
    size_t n;
    uint64_t at;

    CHECK_TEXT(found(file, &n, &at), sentence);
}

static void read_refused(struct jw_bytes frame, const char *sentence)
{
    struct jw_trailer t;
    struct jw_err err = {0};

    CHECK_SAYS(jw_trailer_read(frame, &t, &err), err, sentence);
    CHECK(!t.signature.n);
}

/* ---- round trips ---- */

TEST(what_is_written_is_found)
{
    static const size_t before[] = {0, 1, 1000, 16384, 16443, 16444, 16445, 100000};
    static const size_t signatures[] = {0, 1, 300, JW_MAX_SIGNATURE};

    for (size_t i = 0; i < JW_COUNT(before); i++)
        for (size_t k = 0; k < JW_COUNT(signatures); k++) {
            FREED(jw_buf) file = pack_of(before[i], signatures[k]);
            uint64_t at = 0;
            size_t n = 0;

            CHECK_TEXT(found(jw_buf_bytes(&file), &n, &at), "");
            CHECK(n == signatures[k] && at == before[i]);
        }
}

TEST(a_trailer_byte_by_byte)
{
    FREED(jw_buf) file = pack_of(0, 1);
    const uint8_t *p = file.p;

    CHECK_NUM(file.n, 8 + 8 + 32 + 1 + 4 + 8);
    CHECK(jw_le32(p) == 0x184D2A5A && jw_le32(p + 4) == 53 && memcmp(p + 8, "jitwarm5", 8) == 0);
    CHECK(p[48] == 's' && jw_le32(p + 49) == 53 && memcmp(p + 53, "jitwend5", 8) == 0);
}

TEST(a_signature_that_is_too_long)
{
    struct jw_buf out = JW_BUF(MAX), text = JW_BUF(MAX);
    struct jw_trailer t = {.signature = {NULL, 0}};

    jw_buf_fill(&text, 's', JW_MAX_SIGNATURE + 1);
    t.signature = jw_buf_bytes(&text);
    CHECK_SAYS(jw_trailer_write(&out, &t, &err), err,
               "the signature has 16385 bytes, expected at most 16384");
    CHECK_NUM(out.n, 0);
    jw_buf_free(&text);
}

/* ---- what is refused ---- */

TEST(something_behind_it)
{
    FREED(jw_buf) file = pack_of(100, 0);

    jw_buf_fill(&file, 0, 1);
    refused(jw_buf_bytes(&file),
            "it is cut off, or no pack: its 161 bytes do not end as those of a pack");
}

TEST(lengths_that_lie)
{
    static const uint32_t backs[] = {61, 40, 16437, UINT32_MAX, 163 /* one more than there is */};
    FREED(jw_buf) file = pack_of(100, 10);

    jw_put32(file.p + 104, 63);
    refused(jw_buf_bytes(&file), "its end is damaged");
    jw_put32(file.p + 104, 62);
    for (size_t i = 0; i < JW_COUNT(backs); i++) {
        jw_put32(file.p + file.n - 12, backs[i]);
        refused(jw_buf_bytes(&file), "its end is damaged");
    }
}

TEST(another_version)
{
    FREED(jw_buf) file = pack_of(100, 0);
    size_t marks[] = {115, file.n - 1};

    for (size_t i = 0; i < JW_COUNT(marks); i++) {
        file.p[marks[i]] = '2';
        refused(jw_buf_bytes(&file),
                "it is of version 2, and this jitwarm reads version 5 only; make the "
                "pack again, or use the jitwarm that made it");
        file.p[marks[i]] = '5';
    }
}

TEST(a_frame_that_is_none)
{
    static const size_t at[] = {0, 8};
    FREED(jw_buf) file = pack_of(0, 10);

    for (size_t i = 0; i < JW_COUNT(at); i++) {
        file.p[at[i]] ^= 1;
        read_refused(jw_buf_bytes(&file), "its end is damaged");
        file.p[at[i]] ^= 1;
    }
    file.p[file.n - 8] = 'J';
    read_refused(jw_buf_bytes(&file), "its end is damaged");
    read_refused((struct jw_bytes){file.p, 59}, "its end is damaged");
    read_refused((struct jw_bytes){NULL, 0}, "its end is damaged");
}
