/*
 * Packs that were made to do harm, or that were damaged: whatever it is, one sentence, JW_E_FORMAT
 * (exit 6), and nothing that a visitor could have used before jw_pack_read returned. Where a case
 * is about what is inside, all that lies around it is made right again: digests, checksums,
 * lengths. The fields of a member, of the trailer and of the manifest are asked in tar, pack_layout
 * and pack_manifest.
 */
#include "rigs/pack_parts.h"

#include "pack/format/tar.h"
#include "pack/format/zstd.h"

static struct pack_rig rig;

/* Three entries of two libraries, as parts. */
static void three(struct pack_parts *p)
{
    pack_rig_make(&rig, 3, 200, 100);
    pack_parts_take(p, &rig);
}

static void end(struct pack_parts *p)
{
    pack_parts_free(p);
    pack_rig_free(&rig);
}

#define TEST_PARTS(id) TEST_WITH(id, struct pack_parts, p, three, end)

static struct jw_buf whole(const struct pack_parts *p)
{
    struct jw_buf pack = JW_BUF(PACK_RIG_MAX);

    pack_parts_join(p, &pack);
    return pack;
}

static size_t frame_end(const struct jw_buf *pack, size_t at)
{
    struct jw_bytes bytes = jw_buf_bytes(pack);
    struct jw_source source = jw_source_memory(&bytes);
    struct jw_zstd_frame f;

    CHECK(jw_zstd_frame_measure(&source, at, source.size, PACK_RIG_MAX, &f, JW_IGNORED));
    return at + (size_t)f.bytes;
}

/* ---- the parts are right: what is refused below is refused for what was made wrong ---- */

TEST_PARTS(parts_make_a_pack)
{
    FREED(jw_buf) pack = whole(p), written = JW_BUF(PACK_RIG_MAX);
    struct pack_reader got = {.rig = &rig};

    CHECK_OK(pack_rig_read(jw_buf_bytes(&pack), &got, 1, &err), err);
    pack_rig_write(&rig, NULL, &written);
    CHECK(written.n == pack.n && memcmp(written.p, pack.p, pack.n) == 0);
}

/* ---- truncation ---- */

TEST_PARTS(cut_off_at_every_byte)
{
    FREED(jw_buf) pack = whole(p);

    for (size_t n = 0; n < pack.n; n++) {
        struct pack_reader got = {.rig = NULL};

        err = (struct jw_err){0};
        CHECK(!pack_rig_read((struct jw_bytes){pack.p, n}, &got, 1, &err));
        CHECK(err.code == JW_E_FORMAT && got.whole == 0);
    }
    pack_refused((struct jw_bytes){pack.p, 0}, "it is empty");
    pack_refused((struct jw_bytes){pack.p, 3}, "it is cut off, or no pack: its 3 bytes");
}

enum { LIST = 8 + JW_DIGEST }; /* of one frame */

static size_t body_end(const struct jw_buf *pack)
{
    return frame_end(pack, frame_end(pack, 0) + LIST) + JW_PACK_POINTER;
}

/* Cut anywhere, and a trailer over what is left; in the frames, with a pointer to where the
 * manifest would begin. */
TEST_PARTS(cut_off_with_a_new_trailer)
{
    FREED(jw_buf) pack = whole(p);
    size_t last = frame_end(&pack, 0), body = body_end(&pack);

    for (size_t n = 4; n < body; n++) {
        FREED(jw_buf) cut = JW_BUF(PACK_RIG_MAX);

        jw_buf_add(&cut, pack.p, n);
        pack_rig_trailer(&cut);
        pack_refused(jw_buf_bytes(&cut), "pack: the pointer to its manifest is missing (0x");
        jw_buf_clear(&cut);
        jw_buf_add(&cut, pack.p, n);
        pack_rig_pointer(&cut, n < last ? n : last);
        pack_rig_trailer(&cut);
        if (n != body - JW_PACK_POINTER)
            pack_refused(jw_buf_bytes(&cut), n < last + LIST
                                                 ? "pack: the list of its frames is missing (0x"
                                                 : "zstd: ");
    }
}

/* ---- flipped bits ---- */

/* One or two of each byte where a digest tells; all others. */
TEST_PARTS(a_flipped_bit_anywhere)
{
    FREED(jw_buf) pack = whole(p);
    size_t body = body_end(&pack);

    for (size_t i = 0; i < 8 * pack.n; i += i / 8 < body ? 7 : 1) {
        struct pack_reader got = {.rig = NULL};

        err = (struct jw_err){0};
        pack.p[i / 8] ^= (uint8_t)(1 << i % 8);
        CHECK(!pack_rig_read(jw_buf_bytes(&pack), &got, 1, &err));
        CHECK(err.code == JW_E_FORMAT && got.whole == 0);
        pack.p[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    pack.p[body + 16] ^= 1; /* in its digest */
    pack_refused(jw_buf_bytes(&pack), "wrong digest: the pack is damaged or was changed");
}

/* As in a file that was changed since it was checked: the list finds it in a frame of entries,
 * before that is decompressed. A few bits of zstd's tables in the manifest's frame mean nothing:
 * what is in it then is the same. */
TEST_PARTS(a_flipped_bit_in_the_frames_with_a_new_trailer)
{
    FREED(jw_buf) pack = whole(p);
    size_t entries = frame_end(&pack, 0), body = body_end(&pack), taken = 0;

    for (size_t i = 0; i < 8 * body; i += i / 8 < entries ? 7 : 1) {
        FREED(jw_buf) bad = JW_BUF(PACK_RIG_MAX);
        struct pack_reader got = {.rig = NULL}, same = {.rig = &rig};

        err = (struct jw_err){0};
        jw_buf_add(&bad, pack.p, body);
        bad.p[i / 8] ^= (uint8_t)(1 << i % 8);
        pack_rig_trailer(&bad);
        if (!pack_rig_read(jw_buf_bytes(&bad), &got, 1, &err)) {
            CHECK(err.code == JW_E_FORMAT && got.whole == 0);
        } else {
            CHECK(i / 8 >= entries + LIST && pack_rig_read(jw_buf_bytes(&bad), &same, 1, &err)
                  && same.whole == 3);
            taken++;
        }
    }
    CHECK(taken < 8 * body / 50);
    pack.p[entries - 5] ^= 1;
    pack.n = body;
    pack_rig_trailer(&pack);
    pack_refused(jw_buf_bytes(&pack),
                 "pack: the frame at 0x0 has not the digest that the list says");
}

TEST_PARTS(a_list_of_fewer_or_more_frames)
{
    static const uint8_t digests[2 * JW_DIGEST];
    FREED(jw_buf) pack = whole(p);
    size_t at = frame_end(&pack, 0), end_at = body_end(&pack) - JW_PACK_POINTER;

    for (size_t n = 0; n <= sizeof digests; n += sizeof digests) {
        FREED(jw_buf) bad = JW_BUF(PACK_RIG_MAX);

        jw_buf_add(&bad, pack.p, at);
        jw_pack_list_put(&bad, (struct jw_bytes){digests, n});
        jw_buf_add(&bad, pack.p + at + LIST, end_at - at - LIST);
        pack_rig_pointer(&bad, at);
        pack_rig_trailer(&bad);
        pack_refused(jw_buf_bytes(&bad), "pack: the list of its frames has ");
    }
}

/* ---- lengths that lie ---- */

TEST_PARTS(a_frame_that_lies_about_its_content)
{
    FREED(jw_buf) pack = whole(p);
    size_t body = body_end(&pack);

    /* A single segment with a content size of two bytes: magic, descriptor, then the size less
     * 256. */
    CHECK_NUM(pack.p[4] >> 6, 1);
    for (int by = -1; by <= 1; by += 2) {
        FREED(jw_buf) bad = JW_BUF(PACK_RIG_MAX);

        jw_buf_add(&bad, pack.p, body);
        jw_put16(bad.p + 5, (uint16_t)(jw_le16(bad.p + 5) + by));
        pack_rig_trailer(&bad);
        pack_refused(jw_buf_bytes(&bad), "claims ");
    }
}

/* The entries are not that long. */
TEST_PARTS(a_manifest_of_larger_entries)
{
    rig.entries[0].payload_bytes += 512;
    jw_buf_clear(&p->text);

    CHECK(jw_pack_manifest_write(&p->text, &rig.manifest, &err));
    pack_parts_refused(p, "claims ");
}

/* ---- bombs ---- */

/* A frame of runs: `content` zeros in a few bytes, the size said to be `says`. */
static void put_bomb(struct jw_buf *out, uint64_t content, uint64_t says)
{
    uint8_t head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xc4, 0x88 /* window of 128 MiB */, 0, 0, 0,
                      0,    0,    0,    0,    0};

    jw_put64(head + 6, says);
    jw_buf_add(out, head, sizeof head);
    while (content) {
        uint32_t n = content < 128 << 10 ? (uint32_t)content : 128 << 10;

        content -= n;
        uint32_t block = n << 3 | 1 << 1 | (content == 0);
        uint8_t run[4] = {(uint8_t)block, (uint8_t)(block >> 8), (uint8_t)(block >> 16), 0};

        jw_buf_add(out, run, sizeof run);
    }
    jw_buf_fill(out, 0, 4); /* the checksum */
}

TEST_PARTS(a_bomb_in_place_of_the_manifest)
{
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);

    pack_rig_frame(&pack, jw_buf_bytes(&p->members));
    size_t at = pack.n;

    pack_rig_list(&pack);
    put_bomb(&pack, (uint64_t)1 << 30, (uint64_t)1 << 30);
    pack_rig_pointer(&pack, at);
    pack_rig_trailer(&pack);
    pack_refused(jw_buf_bytes(&pack),
                 "zstd: the last frame claims 1073741824 bytes, but a manifest has at most ");
}

/* What it says is what the manifest promises, what is in it is more; and the other way round. */
TEST_PARTS(a_bomb_in_place_of_the_entries)
{
    uint64_t says[] = {p->members.n, (uint64_t)1 << 40};

    for (size_t i = 0; i < JW_COUNT(says); i++) {
        FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);

        put_bomb(&pack, (uint64_t)1 << 30, says[i]);
        pack_parts_end(p, &pack);
        pack_refused(jw_buf_bytes(&pack), "zstd: ");
    }
}

TEST_PARTS(a_window_that_takes_too_much_memory)
{
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);

    put_bomb(&pack, p->members.n, p->members.n);
    pack.p[5] = 0xf8; /* 2 TiB */
    pack_parts_end(p, &pack);
    pack_refused(jw_buf_bytes(&pack), "zstd: ");
}

/* ---- where the manifest is ---- */

TEST_PARTS(a_pointer_that_leads_elsewhere)
{
    static const uint64_t said[] = {0, 1, 100, UINT64_MAX, (uint64_t)1 << 40};

    for (size_t i = 0; i < JW_COUNT(said); i++) {
        FREED(jw_buf) pack = whole(p);

        pack.n = body_end(&pack) - JW_PACK_POINTER;
        jw_pack_pointer_put(&pack, said[i]);
        pack_rig_trailer(&pack);
        pack_refused(jw_buf_bytes(&pack), i < 3 ? "pack: the list of its frames is missing"
                                                : "pack: impossible size of the manifest: ");
    }
}

/* ---- what is there besides ---- */

/* Behind the manifest's frame, and before it: bytes, an empty frame, a frame that zstd skips. */
TEST_PARTS(garbage_before_the_trailer)
{
    static const struct {
        const char *bytes;
        size_t n;
    } cases[] = {{"x", 1},
                 {"\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51", 13},
                 {"\x50\x2a\x4d\x18\x04\x00\x00\x00"
                  "abcd",
                  12}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        FREED(jw_buf) pack = whole(p), bad = JW_BUF(PACK_RIG_MAX);
        size_t last = frame_end(&pack, 0), body = frame_end(&pack, last + LIST);

        jw_buf_add(&bad, pack.p, body);
        jw_buf_add(&bad, cases[i].bytes, cases[i].n);
        pack_rig_pointer(&bad, last);
        pack_rig_trailer(&bad);
        pack_refused(jw_buf_bytes(&bad), "zstd: something follows the last frame");
        jw_buf_clear(&bad);
        jw_buf_add(&bad, pack.p, last);
        jw_buf_add(&bad, cases[i].bytes, cases[i].n);
        pack_parts_end(p, &bad);
        pack_refused(jw_buf_bytes(&bad), "zstd: something follows the last frame of entries (0x");
    }
}

TEST_PARTS(a_frame_to_skip_in_front)
{
    static const uint8_t skip[] = {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0};
    FREED(jw_buf) pack = whole(p), bad = JW_BUF(PACK_RIG_MAX);

    jw_buf_add(&bad, skip, sizeof skip);
    jw_buf_add(&bad, pack.p, body_end(&pack));
    pack_rig_trailer(&bad);
    pack_refused(jw_buf_bytes(&bad), "it is not a pack: it does not begin with a zstd frame");
}

/* ---- manifest against entries ---- */

/* Nothing is missing, but it is cut elsewhere. */
TEST_PARTS(frames_that_are_cut_elsewhere)
{
    FREED(jw_buf) last = JW_BUF(PACK_RIG_MAX), pack = JW_BUF(PACK_RIG_MAX);

    pack_parts_last(p, &last);
    jw_buf_add(&pack, p->members.p, p->members.n);
    jw_buf_add(&pack, last.p, last.n);
    jw_buf_clear(&last);
    pack_rig_list(&last);
    pack_rig_frame(&last, jw_buf_bytes(&pack));
    pack_rig_pointer(&last, 0);
    pack_rig_trailer(&last);
    pack_refused(jw_buf_bytes(&last), "it is not a pack: it does not begin with a zstd frame");
    jw_buf_clear(&pack);
    pack_rig_frame(&pack, (struct jw_bytes){p->members.p, p->at[1]});
    pack_rig_frame(&pack, (struct jw_bytes){p->members.p + p->at[1], p->members.n - p->at[1]});
    pack_parts_end(p, &pack);
    pack_refused(jw_buf_bytes(&pack), "claims ");
}
