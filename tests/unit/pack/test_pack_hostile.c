/*
 * Packs that somebody made to do harm, or that were damaged: whatever it is, one sentence, JW_E_FORMAT (exit 6), and
 * nothing that a visitor could have used before jw_pack_read returned. Where a case is about what is inside, all that
 * lies around it is made right again: digests, checksums, lengths.
 */
#include "rigs/pack_parts.h"

#include "pack/format/tar.h"
#include "pack/format/zstd.h"
#include "rigs/scratch.h"

static struct pack_rig rig;

/* Three entries of two libraries, as parts. */
static struct pack_parts three(void)
{
    struct pack_parts p;
    struct jw_buf pack = JW_BUF(PACK_RIG_MAX);

    pack_rig_make(&rig, 3, 600, 300);
    (void)pack_rig_write(&rig, NULL, &pack); /* fills in the digests */
    pack_parts_take(&p, &rig);
    jw_buf_free(&pack);
    return p;
}

static void end(struct pack_parts *p)
{
    pack_parts_free(p);
    pack_rig_free(&rig);
}

static struct jw_buf whole(struct pack_parts *p)
{
    struct jw_buf pack = JW_BUF(PACK_RIG_MAX);

    *p = three();
    pack_parts_join(p, &pack);
    return pack;
}

/* Where the manifest's frame and the trailer begin. */
static size_t frame_end(const struct jw_buf *pack, size_t at)
{
    struct jw_bytes bytes = jw_buf_bytes(pack);
    struct jw_source source = jw_source_memory(&bytes);
    struct jw_zstd_frame f;
    struct jw_err err = { 0 };

    CHECK(jw_zstd_frame_measure(&source, at, source.size, &f, &err));
    return at + (size_t)f.bytes;
}

/* ---- the parts are right: what is refused below is refused for what was made wrong ---- */

TEST(parts_make_a_pack)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p), written = JW_BUF(PACK_RIG_MAX);
    struct pack_reader got = { .rig = &rig };
    struct jw_err err = { 0 };

    CHECK(pack_rig_read(jw_buf_bytes(&pack), &got, 1, &err));
    CHECK_TEXT(err.msg, "");
    (void)pack_rig_write(&rig, NULL, &written);
    CHECK(written.n == pack.n && memcmp(written.p, pack.p, pack.n) == 0);
    jw_buf_free(&written);
    jw_buf_free(&pack);
    end(&p);
}

/* ---- truncation ---- */

TEST(cut_off_at_every_byte)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p);

    for (size_t n = 0; n < pack.n; n++) {
        struct pack_reader got = { .rig = NULL };
        struct jw_err err = { 0 };

        CHECK(!pack_rig_read((struct jw_bytes){ pack.p, n }, &got, 1, &err));
        CHECK(err.code == JW_E_FORMAT && got.whole == 0);
    }
    pack_refused((struct jw_bytes){ pack.p, 0 }, "x.tar.zst: it is empty");
    pack_refused((struct jw_bytes){ pack.p, 3 }, "it is not a pack: it does not begin with a zstd frame");
    pack_refused((struct jw_bytes){ pack.p, pack.n - 1 }, "it is cut off, or no pack");
    jw_buf_free(&pack);
    end(&p);
}

static size_t body_end(const struct jw_buf *pack)
{
    return frame_end(pack, frame_end(pack, 0)) + JW_PACK_POINTER;
}

/* Cut anywhere, and a trailer over what is left; in the frames, with a pointer to where the manifest would begin. */
TEST(cut_off_with_a_new_trailer)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p);
    size_t last = frame_end(&pack, 0), body = body_end(&pack);

    for (size_t n = 4; n < body; n++) {
        struct jw_buf cut = JW_BUF(PACK_RIG_MAX);

        jw_buf_add(&cut, pack.p, n);
        pack_rig_trailer(&cut);
        pack_refused(jw_buf_bytes(&cut), "pack: the pointer to its manifest is missing (0x");
        jw_buf_clear(&cut);
        jw_buf_add(&cut, pack.p, n);
        pack_rig_pointer(&cut, n < last ? n : last);
        pack_rig_trailer(&cut);
        if (n != body - JW_PACK_POINTER)
            pack_refused(jw_buf_bytes(&cut), "zstd: ");
        jw_buf_free(&cut);
    }
    jw_buf_free(&pack);
    end(&p);
}

/* The tar ends inside a header, data, padding, end blocks, or between members; frames and trailer are right. */
TEST(a_tar_that_is_cut_off)
{
    struct pack_parts p = three();
    size_t all = p.members.n,
           cuts[] = { 0, 100, JW_TAR_BLOCK, JW_TAR_BLOCK + 40, p.at[1] - 1, p.at[1], all - 512, all - 1 };

    for (size_t i = 0; i < JW_COUNT(cuts); i++) {
        p.members.n = cuts[i];
        pack_parts_refused(&p, "claims ");
    }
    p.members.n = all;
    end(&p);
}

/* ---- flipped bits ---- */

TEST(a_flipped_bit_anywhere)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p);

    for (size_t i = 0; i < pack.n; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct pack_reader got = { .rig = NULL };
            struct jw_err err = { 0 };

            pack.p[i] ^= (uint8_t)(1 << bit);
            CHECK(!pack_rig_read(jw_buf_bytes(&pack), &got, 1, &err));
            CHECK(err.code == JW_E_FORMAT && got.whole == 0);
            pack.p[i] ^= (uint8_t)(1 << bit);
        }
    pack.p[frame_end(&pack, 0) + 9] ^= 1;
    pack_refused(jw_buf_bytes(&pack), "wrong digest: the pack is damaged or was changed");
    jw_buf_free(&pack);
    end(&p);
}

/* The frames' own checksums find it, and a pointer that leads elsewhere. A few bits of zstd's tables mean nothing: what is in
 * them then is the same. */
TEST(a_flipped_bit_in_the_frames_with_a_new_trailer)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p);
    size_t body = body_end(&pack), taken = 0;

    for (size_t i = 0; i < 8 * body; i++) {
        struct jw_buf bad = JW_BUF(PACK_RIG_MAX);
        struct pack_reader got = { .rig = NULL }, same = { .rig = &rig };
        struct jw_err err = { 0 };

        jw_buf_add(&bad, pack.p, body);
        bad.p[i / 8] ^= (uint8_t)(1 << i % 8);
        pack_rig_trailer(&bad);
        if (!pack_rig_read(jw_buf_bytes(&bad), &got, 1, &err)) {
            CHECK(err.code == JW_E_FORMAT && got.whole < 4);
        } else {
            CHECK(pack_rig_read(jw_buf_bytes(&bad), &same, 1, &err) && same.whole == 3);
            taken++;
        }
        jw_buf_free(&bad);
    }
    CHECK(taken < 8 * body / 50);
    jw_buf_free(&pack);
    end(&p);
}

/* Headers, data, padding and end blocks; compressed again. */
TEST(a_flipped_bit_in_the_tar)
{
    struct pack_parts p = three();

    for (size_t i = 0; i < p.members.n; i++) {
        p.members.p[i] ^= (uint8_t)(1 << i % 8);
        pack_parts_refused(&p, ": ");
        p.members.p[i] ^= (uint8_t)(1 << i % 8);
    }
    end(&p);
}

TEST(a_flipped_bit_in_the_manifest)
{
    struct pack_parts p = three();

    for (size_t i = 0; i < p.text.n; i++) {
        struct pack_reader got = { .rig = NULL };
        struct jw_buf pack = JW_BUF(PACK_RIG_MAX);
        struct jw_err err = { 0 };

        p.text.p[i] ^= 1;
        pack_parts_join(&p, &pack);
        /* A name, a version or a digest of an origin may become another one: that is what signatures are for. */
        if (!pack_rig_read(jw_buf_bytes(&pack), &got, 1, &err))
            CHECK_NUM(err.code, JW_E_FORMAT);
        p.text.p[i] ^= 1;
        jw_buf_free(&pack);
    }
    end(&p);
}

/* ---- digests ---- */

TEST(a_wrong_digest_in_the_trailer)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p);
    size_t at = body_end(&pack) + 16;

    for (size_t i = 0; i < JW_DIGEST; i++) {
        pack.p[at + i] ^= 1;
        pack_refused(jw_buf_bytes(&pack), "wrong digest: the pack is damaged");
        pack.p[at + i] ^= 1;
    }
    jw_buf_free(&pack);
    end(&p);
}

TEST(a_wrong_digest_in_the_manifest)
{
    struct pack_parts p = three();
    char hex[2 * JW_DIGEST + 1], other[2 * JW_DIGEST + 1];
    char sentence[80];

    jw_digest_hex(hex, rig.entries[1].digest);
    memcpy(other, hex, sizeof hex);
    other[63] = hex[63] == '0' ? '1' : '0';
    pack_parts_replace(&p, hex, other);
    (void)snprintf(sentence, sizeof sentence, "pack: %s has not the digest that its manifest says",
                   jw_pack_member(rig.entries[1].name).text);
    pack_parts_refused(&p, sentence);
    end(&p);
}

/* ---- lengths that lie ---- */

TEST(a_frame_that_lies_about_its_content)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p);
    size_t body = body_end(&pack);

    /* A single segment with a content size of two bytes: magic, descriptor, then the size less 256. */
    CHECK_NUM(pack.p[4] >> 6, 1);
    for (int by = -1; by <= 1; by += 2) {
        struct jw_buf bad = JW_BUF(PACK_RIG_MAX);

        jw_buf_add(&bad, pack.p, body);
        jw_put16(bad.p + 5, (uint16_t)(jw_le16(bad.p + 5) + by));
        pack_rig_trailer(&bad);
        pack_refused(jw_buf_bytes(&bad), "claims ");
        jw_buf_free(&bad);
    }
    jw_buf_free(&pack);
    end(&p);
}

TEST(a_member_that_lies_about_its_size)
{
    struct pack_parts p = three();

    pack_parts_header(&p, 0)[124 + 10] ^= 1;
    pack_parts_sum(pack_parts_header(&p, 0));
    pack_parts_refused(&p, "tar: something other than zeros behind the data of cache/");
    end(&p);
}

/* The entries are not that long. */
TEST(a_manifest_of_larger_entries)
{
    struct pack_parts p = three();

    rig.entries[0].payload_bytes += 512;
    jw_buf_clear(&p.text);
    struct jw_err err = { 0 };

    CHECK(jw_pack_manifest_write(&p.text, &rig.manifest, &err));
    pack_parts_refused(&p, "claims ");
    end(&p);
}

TEST(a_trailer_that_lies_about_its_length)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p);
    size_t body = body_end(&pack);

    pack.p[pack.n - 12] ^= 1;
    pack_refused(jw_buf_bytes(&pack), "its end is damaged: ");
    jw_put32(pack.p + pack.n - 12, UINT32_MAX);
    pack_refused(jw_buf_bytes(&pack), "its end is damaged: at ");
    jw_put32(pack.p + pack.n - 12, (uint32_t)(pack.n - body - 8));
    pack.p[body + 4] ^= 1;
    pack_refused(jw_buf_bytes(&pack), "its end is damaged: lengths of ");
    jw_buf_free(&pack);
    end(&p);
}

/* ---- bombs ---- */

/* A frame of runs: `content` zeros in a few bytes, the size said to be `says`. */
static void put_bomb(struct jw_buf *out, uint64_t content, uint64_t says)
{
    uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xc4, 0x88 /* window of 128 MiB */, 0, 0, 0, 0, 0, 0, 0, 0 };

    jw_put64(head + 6, says);
    jw_buf_add(out, head, sizeof head);
    while (content) {
        uint32_t n = content < 128 << 10 ? (uint32_t)content : 128 << 10;

        content -= n;
        uint32_t block = n << 3 | 1 << 1 | (content == 0);
        uint8_t run[4] = { (uint8_t)block, (uint8_t)(block >> 8), (uint8_t)(block >> 16), 0 };

        jw_buf_add(out, run, sizeof run);
    }
    jw_buf_fill(out, 0, 4); /* the checksum */
}

TEST(a_bomb_in_place_of_the_manifest)
{
    struct pack_parts p = three();
    struct jw_buf pack = JW_BUF(PACK_RIG_MAX);

    pack_rig_frame(&pack, jw_buf_bytes(&p.members));
    size_t at = pack.n;

    put_bomb(&pack, (uint64_t)1 << 30, (uint64_t)1 << 30);
    pack_rig_pointer(&pack, at);
    pack_rig_trailer(&pack);
    pack_refused(jw_buf_bytes(&pack),
                 "zstd: the last frame claims 1073741824 bytes, but a manifest has at most ");
    jw_buf_free(&pack);
    end(&p);
}

/* What it says is what the manifest promises, what is in it is more; and the other way round. */
TEST(a_bomb_in_place_of_the_entries)
{
    struct pack_parts p = three();
    uint64_t says[] = { p.members.n, (uint64_t)1 << 40 };

    for (size_t i = 0; i < JW_COUNT(says); i++) {
        struct jw_buf pack = JW_BUF(PACK_RIG_MAX);

        put_bomb(&pack, (uint64_t)1 << 30, says[i]);
        pack_parts_end(&p, &pack);
        pack_refused(jw_buf_bytes(&pack), i ? "claims 1099511627776 bytes, expected " : "zstd: ");
        jw_buf_free(&pack);
    }
    end(&p);
}

TEST(a_window_that_takes_too_much_memory)
{
    struct pack_parts p = three();
    struct jw_buf pack = JW_BUF(PACK_RIG_MAX);

    put_bomb(&pack, p.members.n, p.members.n);
    pack.p[5] = 0xf8; /* 2 TiB */
    pack_parts_end(&p, &pack);
    pack_refused(jw_buf_bytes(&pack), "looks back 2199023255552 bytes, expected at most 134217728");
    jw_buf_free(&pack);
    end(&p);
}

/* ---- where the manifest is ---- */

TEST(a_pointer_that_leads_elsewhere)
{
    static const uint64_t said[] = { 0, 1, 100, UINT64_MAX, (uint64_t)1 << 40 };

    for (size_t i = 0; i < JW_COUNT(said); i++) {
        struct pack_parts p;
        struct jw_buf pack = whole(&p);

        pack.n = body_end(&pack) - JW_PACK_POINTER;
        jw_pack_pointer_put(&pack, said[i]);
        pack_rig_trailer(&pack);
        pack_refused(jw_buf_bytes(&pack), i < 3 ? "zstd: " : "pack: impossible size of the manifest: ");
        jw_buf_free(&pack);
        end(&p);
    }
}

/* ---- far too many ---- */

static void put_many(struct jw_buf *out, size_t n)
{
    static const char digest[] = "0000000000000000000000000000000000000000000000000000000000000000";

    jw_buf_text(out, "{\"schema\":\"jitwarm.pack/2\",\"tool\":\"0.1.0\",\"os\":\"linux\",\"arch\":\"x86_64\","
                     "\"driver\":null,\"stamp\":\"Jan  7 202622:51:46\",\"sm\":86,\"origins\":[],"
                     "\"entries\":[");
    for (size_t i = 0; i < n; i++)
        jw_buf_printf(
            out, "%s{\"name\":\"%s\",\"key_bytes\":1,\"payload_bytes\":1,\"digest\":\"%s\",\"origin\":null}",
            i ? "," : "", jw_cache_name(i).text, digest);
    jw_buf_text(out, "]}\n");
}

TEST(more_than_100000_tiny_members)
{
    struct pack_parts p = three();

    jw_buf_clear(&p.text);
    put_many(&p.text, 100001);
    pack_parts_refused(&p, "manifest: 100001 entries, expected 1 to 100000");
    end(&p);
}

/* ---- names ---- */

TEST(names_that_lead_elsewhere)
{
    static const char *const names[] = {
        "../x",          "cache/../../x", "/etc/passwd", "cache//x",          "./cache/4/2/x",
        "cache/.",       "cache\\..\\x",  "C:/x",        "cache/4/2/\x1b[2J", "cache/4/2/\xff\xfe",
        "cache/4/2/a b", "cache/4/2/"
    };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct pack_parts p = three();
        uint8_t *header = pack_parts_header(&p, 0);

        memset(header, 0, JW_TAR_NAME);
        memcpy(header, names[i], strlen(names[i]));
        pack_parts_sum(header);
        pack_parts_refused(&p, "tar: the name at 0x");
        end(&p);
    }
}

TEST(another_name_than_in_the_manifest)
{
    struct pack_parts p = three();
    uint8_t *header = pack_parts_header(&p, 1);

    header[strlen("cache/4/2/")] ^= 1;
    pack_parts_sum(header);
    pack_parts_refused(&p, ", where its manifest has ");
    end(&p);
}

TEST(names_in_the_manifest_that_lead_elsewhere)
{
    static const char *const names[] = { "../../etc/passwd00",   "/etc/passwd-000000", "4/2/../../../../00",
                                         "4\\2\\3e06b9e6ec62aa", "4/2/3E06B9E6EC62AA", "4/2/3e06b9e6ec62a" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct pack_parts p = three();

        pack_parts_replace(&p, jw_cache_name(rig.entries[0].name).text, "PLACE");
        char escaped[64] = "";

        for (const char *c = names[i]; *c; c++)
            (void)snprintf(escaped + strlen(escaped), sizeof escaped - strlen(escaped),
                           *c == '\\' ? "\\\\" : "%c", *c);
        pack_parts_replace(&p, "PLACE", escaped);
        pack_parts_refused(&p, i < 5 ? "manifest: " : "manifest: not spelled as jitwarm does, from byte ");
        end(&p);
    }
}

TEST(an_origin_that_is_a_path)
{
    static const char *const names[] = { "/opt/libfirst.so", "..", "c:x", "" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct pack_parts p = three();

        pack_parts_replace(&p, "libfirst.so", names[i]);
        pack_parts_refused(&p, "manifest: name of origin 0 ");
        end(&p);
    }
}

TEST(duplicate_names)
{
    struct pack_parts p = three();
    char name[32], other[32];

    /* In the manifest, */
    (void)snprintf(name, sizeof name, "%s", jw_cache_name(rig.entries[0].name).text);
    (void)snprintf(other, sizeof other, "%s", jw_cache_name(rig.entries[1].name).text);
    pack_parts_replace(&p, other, name);
    pack_parts_refused(&p, "is not behind the one before it, by name");
    pack_parts_replace(&p, name, "KEEP");
    pack_parts_replace(&p, name, other);
    pack_parts_replace(&p, "KEEP", name);
    /* and in the tar alone: the first member's header in front of the second one's data. */
    memcpy(pack_parts_header(&p, 1), pack_parts_header(&p, 0), JW_TAR_NAME);
    pack_parts_sum(pack_parts_header(&p, 1));
    pack_parts_refused(&p, ", where its manifest has ");
    end(&p);
}

/* ---- other things than files ---- */

#define NOT_OURS "is not as in a pack"

static void member_of_type(char type)
{
    struct pack_parts p = three();
    uint8_t *header = pack_parts_header(&p, 0);

    header[156] = (uint8_t)type;
    pack_parts_sum(header);
    pack_parts_refused(&p, NOT_OURS);
    end(&p);
}

TEST(links)
{
    member_of_type('1');
    member_of_type('2');
}

TEST(devices)
{
    member_of_type('3');
    member_of_type('4');
}

TEST(folders_and_pipes)
{
    member_of_type('5');
    member_of_type('6');
}

TEST(sparse_members)
{
    member_of_type('S');
}

TEST(pax_members)
{
    member_of_type('x');
    member_of_type('g');
}

TEST(long_names_and_old_types)
{
    member_of_type('L');
    member_of_type('K');
    member_of_type('7');
    member_of_type('\0');
}

/* A size of base 256, as GNU tar writes large ones; modes, owners and times. */
TEST(headers_that_tar_would_take)
{
    static const struct {
        size_t at;
        const char *bytes, *sentence;
    } cases[] = { { 124, "\x80", "tar: the size at 0x" },
                  { 100, "0000755", NOT_OURS },
                  { 108, "0001750", NOT_OURS },
                  { 136, "14700000000", NOT_OURS },
                  { 157, "target", NOT_OURS },
                  { 257, "ustar  ", NOT_OURS },
                  { 345, "prefix", NOT_OURS } };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct pack_parts p = three();
        uint8_t *header = pack_parts_header(&p, 0);

        memcpy(header + cases[i].at, cases[i].bytes, strlen(cases[i].bytes));
        pack_parts_sum(header);
        pack_parts_refused(&p, cases[i].sentence);
        end(&p);
    }
}

/* ---- what is there besides ---- */

TEST(garbage_behind_the_trailer)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p);

    jw_buf_text(&pack, "x");
    pack_refused(jw_buf_bytes(&pack), "it is cut off, or no pack");
    jw_buf_free(&pack);
    end(&p);
}

/* Behind the manifest's frame, and before it: bytes, an empty frame, a frame that zstd skips. */
TEST(garbage_before_the_trailer)
{
    static const struct {
        const char *bytes;
        size_t n;
    } cases[] = { { "x", 1 },
                  { "\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51", 13 },
                  { "\x50\x2a\x4d\x18\x04\x00\x00\x00"
                    "abcd",
                    12 } };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct pack_parts p;
        struct jw_buf pack = whole(&p), bad = JW_BUF(PACK_RIG_MAX);
        size_t last = frame_end(&pack, 0), body = frame_end(&pack, last);

        jw_buf_add(&bad, pack.p, body);
        jw_buf_add(&bad, cases[i].bytes, cases[i].n);
        pack_rig_pointer(&bad, last);
        pack_rig_trailer(&bad);
        pack_refused(jw_buf_bytes(&bad), "zstd: something follows the last frame");
        jw_buf_clear(&bad);
        jw_buf_add(&bad, pack.p, last);
        jw_buf_add(&bad, cases[i].bytes, cases[i].n);
        pack_parts_end(&p, &bad);
        pack_refused(jw_buf_bytes(&bad), "zstd: something follows the last frame of entries (0x");
        jw_buf_free(&bad);
        jw_buf_free(&pack);
        end(&p);
    }
}

TEST(a_frame_to_skip_in_front)
{
    static const uint8_t skip[] = { 0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0 };
    struct pack_parts p;
    struct jw_buf pack = whole(&p), bad = JW_BUF(PACK_RIG_MAX);

    jw_buf_add(&bad, skip, sizeof skip);
    jw_buf_add(&bad, pack.p, body_end(&pack));
    pack_rig_trailer(&bad);
    pack_refused(jw_buf_bytes(&bad), "it is not a pack: it does not begin with a zstd frame");
    jw_buf_free(&bad);
    jw_buf_free(&pack);
    end(&p);
}

TEST(something_behind_the_end_of_the_tar)
{
    struct pack_parts p = three();

    jw_buf_fill(&p.members, 0, JW_TAR_BLOCK);
    pack_parts_refused(&p, "claims ");
    end(&p);
}

/* ---- manifest against entries ---- */

TEST(members_in_another_order)
{
    struct pack_parts p = three();
    struct jw_buf turned = JW_BUF(PACK_RIG_MAX);

    jw_buf_add(&turned, p.members.p + p.at[1], p.at[2] - p.at[1]);
    jw_buf_add(&turned, p.members.p, p.at[1]);
    jw_buf_add(&turned, p.members.p + p.at[2], p.members.n - p.at[2]);
    jw_buf_free(&p.members);
    p.members = turned;
    pack_parts_refused(&p, ", where its manifest has ");
    end(&p);
}

TEST(an_entry_less_or_more_than_in_the_manifest)
{
    struct pack_parts p = three();
    struct jw_buf all = p.members, part = JW_BUF(PACK_RIG_MAX);

    jw_buf_add(&part, all.p + p.at[1], all.n - p.at[1]);
    p.members = part;
    pack_parts_refused(&p, "claims ");
    jw_buf_clear(&part);
    jw_buf_add(&part, all.p, all.n);
    jw_buf_add(&part, all.p + p.at[2], all.n - p.at[2]);
    p.members = part;
    pack_parts_refused(&p, "claims ");
    jw_buf_free(&part);
    p.members = all;
    end(&p);
}

/* Nothing is missing, but it is cut elsewhere. */
TEST(frames_that_are_cut_elsewhere)
{
    struct pack_parts p = three();
    struct jw_buf last = JW_BUF(PACK_RIG_MAX), pack = JW_BUF(PACK_RIG_MAX);

    pack_parts_last(&p, &last);
    jw_buf_add(&pack, p.members.p, p.members.n);
    jw_buf_add(&pack, last.p, last.n);
    jw_buf_clear(&last);
    pack_rig_frame(&last, jw_buf_bytes(&pack));
    pack_rig_pointer(&last, 0);
    pack_rig_trailer(&last);
    pack_refused(jw_buf_bytes(&last), "pack: its last member is cache/");
    jw_buf_clear(&pack);
    pack_rig_frame(&pack, (struct jw_bytes){ p.members.p, p.at[1] });
    pack_rig_frame(&pack, (struct jw_bytes){ p.members.p + p.at[1], p.members.n - p.at[1] });
    pack_parts_end(&p, &pack);
    pack_refused(jw_buf_bytes(&pack), "claims ");
    jw_buf_free(&last);
    jw_buf_free(&pack);
    end(&p);
}

TEST(another_last_member)
{
    struct pack_parts p = three();
    struct jw_buf pack = JW_BUF(PACK_RIG_MAX);

    pack_rig_frame(&pack, jw_buf_bytes(&p.members));
    pack_rig_pointer(&pack, 0);
    pack_rig_trailer(&pack);
    pack_refused(jw_buf_bytes(&pack), "pack: its last member is cache/");
    jw_buf_free(&pack);
    end(&p);
}

/* ---- the manifest's words ---- */

static void manifest_with(const char *what, const char *with, const char *sentence)
{
    struct pack_parts p = three();

    pack_parts_replace(&p, what, with);
    pack_parts_refused(&p, sentence);
    end(&p);
}

TEST(an_unknown_schema_version)
{
    manifest_with(
        "jitwarm.pack/2", "jitwarm.pack/1",
        "manifest: the pack is of version 1, and this jitwarm reads version 2 only; make the pack again");
    manifest_with("jitwarm.pack/2", "", "manifest: its schema is not ");
    manifest_with("\"jitwarm.pack/2\"", "1", "manifest: its schema is not ");
}

TEST(an_unknown_trailer_version)
{
    struct pack_parts p;
    struct jw_buf pack = whole(&p);

    pack.p[body_end(&pack) + 15] = '1';
    pack.p[pack.n - 1] = '1';
    pack_refused(jw_buf_bytes(&pack),
                 "the pack's format has version 1 (0x31), and this jitwarm reads version 2 only");
    jw_buf_free(&pack);
    end(&p);
}

TEST(huge_numbers)
{
    manifest_with("\"sm\":86", "\"sm\":1e99", "manifest: sm is not from 10 to 999");
    manifest_with("\"sm\":86", "\"sm\":1e999", "manifest");
    manifest_with("\"sm\":86", "\"sm\":-86", "manifest: sm is not from 10 to 999");
    manifest_with("\"sm\":86", "\"sm\":70000", "manifest: sm is not from 10 to 999");
    manifest_with("\"key_bytes\":", "\"key_bytes\":18446744073709551616", "key_bytes of entry 0 is ");
    manifest_with("\"payload_bytes\":", "\"payload_bytes\":900719925474", "payload_bytes of entry 0 is ");
    manifest_with("\"origin\":0", "\"origin\":4294967295", "origin of entry ");
}

TEST(not_utf8)
{
    manifest_with("libsecond.so", "lib\xff\xfe.so", "UTF-8");
    manifest_with("libsecond.so", "lib\xc0\xaf.so", "UTF-8");
    manifest_with("{\"schema\"", "\xef\xbb\xbf{\"schema\"", "manifest");
}

TEST(not_the_one_spelling)
{
    manifest_with("{\"schema\"", "{ \"schema\"", "manifest: not spelled as jitwarm does, from byte 1 on");
    manifest_with("\"sm\":86", "\"sm\":86.0", "manifest: not spelled as jitwarm does");
    manifest_with("\"sm\":86", "\"sm\":86,\"sm\":86", "manifest");
    manifest_with("\"sm\":86", "\"sm\":86,\"more\":1", "manifest: not spelled ");
    manifest_with("\"schema\"", "schema", "manifest");
}

TEST(no_room_for_secrets)
{
    manifest_with("\"tool\":\"0.0.1\"", "\"tool\":\"0.0.1 on host me@there\"",
                  "manifest: tool is not a word");
    manifest_with("\"driver\":\"580.126.09\"", "\"driver\":\"/usr/lib\"", "manifest: driver is not a word");
    manifest_with("\"os\":\"linux\"", "\"os\":\"plan9\"", "manifest: os is none that this jitwarm knows");
    manifest_with("Jan  7 202662:51:46", "/home/me/.nv/xxxxxx", "manifest: stamp is not like ");
}
