#include "pack/format/pack_members.h"

#include "pack_sample.h"

#include <stdlib.h>

/* ---- entries ---- */

struct heard {
    const struct sample *sample;
    size_t n;
    const char *refuse;
};

static bool on_entry(void *ctx, size_t i, struct jw_bytes file, struct jw_err *err)
{
    struct heard *h = ctx;

    CHECK_NUM(i, h->n);
    CHECK(file.n == h->sample->files[i].n && memcmp(file.p, h->sample->files[i].p, file.n) == 0);
    h->n++;
    return !h->refuse || jw_fail(err, JW_E_UNFIT, "%s", h->refuse);
}

/* The sentence with which the entries of a frame are refused; "" when they are not. In a block of its own size, so that a
 * sanitizer sees what is read beyond. */
static const char *reading(const struct sample *s, struct jw_bytes tar, struct heard *h)
{
    static struct jw_err err;
    const struct jw_pack_frame all = { 0, SAMPLE_ENTRIES, tar.n };
    uint8_t *exact = malloc(tar.n + 1);
    bool declined = false, ok;

    h->sample = s;
    err = (struct jw_err){ 0 };
    CHECK(exact != NULL);
    if (tar.n)
        memcpy(exact, tar.p, tar.n);
    ok = jw_pack_members_entries((struct jw_bytes){ exact, tar.n }, &s->manifest, &all,
                                 (struct jw_pack_visitor){ on_entry, h }, &declined, &err);
    CHECK(ok == !err.msg[0] && declined == (h->refuse != NULL));
    free(exact);
    return err.msg;
}

/* The members of these entries. */
static struct jw_buf tar_of(const struct sample *s, const size_t *which, size_t n)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MOST);
    struct jw_tar_writer w;
    struct jw_err err = { 0 };

    jw_tar_write_begin(&w, jw_sink_buf(&tar));
    for (size_t i = 0; i < n; i++)
        CHECK(jw_tar_write_member(&w, jw_pack_member(s->entries[which[i]].name).text, s->files[which[i]].n,
                                  &err)
              && jw_tar_write_data(&w, s->files[which[i]].p, s->files[which[i]].n, &err));
    return tar;
}

static void refused_order(const size_t *which, size_t n, size_t heard, const char *sentence)
{
    struct heard h = { .n = 0 };
    struct sample s;
    struct jw_buf tar;

    sample_make(&s);
    tar = tar_of(&s, which, n);
    CHECK_TEXT(reading(&s, jw_buf_bytes(&tar), &h), sentence);
    CHECK_NUM(h.n, heard);
    jw_buf_free(&tar);
    sample_free(&s);
}

TEST(a_whole_frame)
{
    refused_order((size_t[]){ 0, 1, 2 }, 3, 3, "");
}

TEST(an_entry_that_is_not_wanted)
{
    struct heard h = { .refuse = "there is no room" };
    struct sample s;
    struct jw_buf tar;

    sample_make(&s);
    tar = tar_of(&s, (size_t[]){ 0, 1, 2 }, 3);
    CHECK_TEXT(reading(&s, jw_buf_bytes(&tar), &h), "there is no room");
    CHECK_NUM(h.n, 1);
    jw_buf_free(&tar);
    sample_free(&s);
}

TEST(an_entry_is_missing)
{
    refused_order((size_t[]){ 0, 1 }, 2, 2,
                  "pack: a frame ends before entry 7/8/13dfbd4b7d92a7 of its manifest is whole");
    refused_order((size_t[]){ 0, 2 }, 2, 1,
                  "tar: member at 0x400: pack: cache/7/8/13dfbd4b7d92a7, where its manifest has "
                  "cache/7/3/31056fa7fd17fe");
    refused_order((size_t[]){ 0 }, 0, 0,
                  "pack: a frame ends before entry 0/7/6a6c5257a2dae4 of its manifest is whole");
}

TEST(entries_in_another_order)
{
    refused_order((size_t[]){ 1, 0, 2 }, 3, 0,
                  "tar: member at 0x0: pack: cache/7/3/31056fa7fd17fe, where its manifest has "
                  "cache/0/7/6a6c5257a2dae4");
}

TEST(an_entry_twice_or_too_many)
{
    refused_order((size_t[]){ 0, 0, 1, 2 }, 4, 1,
                  "tar: member at 0x400: pack: cache/0/7/6a6c5257a2dae4, where its manifest has "
                  "cache/7/3/31056fa7fd17fe");
    refused_order((size_t[]){ 0, 1, 2, 2 }, 4, 3,
                  "tar: member at 0xc00: pack: cache/7/8/13dfbd4b7d92a7 behind the entries of its frame");
}

static void refused_changed(struct sample *s, const char *sentence)
{
    struct heard h = { .n = 0 };
    struct jw_buf tar = tar_of(s, (size_t[]){ 0, 1, 2 }, 3);

    CHECK_TEXT(reading(s, jw_buf_bytes(&tar), &h), sentence);
    CHECK_NUM(h.n, 1);
    jw_buf_free(&tar);
    sample_free(s);
}

TEST(an_entry_of_another_size)
{
    struct sample s;

    sample_make(&s);
    s.files[1].n--;
    refused_changed(
        &s, "tar: member at 0x400: pack: cache/7/3/31056fa7fd17fe of 105 bytes, its manifest says 106");
}

TEST(a_flipped_bit_in_an_entry)
{
    struct sample s;

    sample_make(&s);
    s.files[1].p[50] ^= 1;
    refused_changed(&s, "pack: cache/7/3/31056fa7fd17fe has not the digest that its manifest says");
}

TEST(cut_off_anywhere_it_is_refused)
{
    struct sample s;

    sample_make(&s);
    struct jw_buf tar = tar_of(&s, (size_t[]){ 0, 1, 2 }, 3);

    for (size_t n = 0; n < tar.n; n += 37) {
        struct heard h = { .n = 0 };

        CHECK_HAS(reading(&s, (struct jw_bytes){ tar.p, n }, &h), "pack: a frame ends before entry ");
    }
    jw_buf_free(&tar);
    sample_free(&s);
}

/* ---- the manifest ---- */

static void manifest_refused(const struct jw_buf *tar, const char *sentence)
{
    struct jw_pack_manifest m;
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_pack_members_manifest(jw_buf_bytes(tar), &a, &m, &err) == !*sentence);
    CHECK_TEXT(err.msg, sentence);
    jw_arena_free(&a);
}

static void put_member(struct jw_tar_writer *w, const char *name, struct jw_bytes content)
{
    struct jw_err err = { 0 };

    CHECK(jw_tar_write_member(w, name, content.n, &err) && jw_tar_write_data(w, content.p, content.n, &err));
}

TEST(the_manifest_and_nothing_else)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MOST), text = JW_BUF(SAMPLE_MOST);
    struct jw_tar_writer w;
    struct jw_err err = { 0 };
    struct sample s;

    sample_make(&s);
    sample_text(&s, &text);
    jw_tar_write_begin(&w, jw_sink_buf(&tar));
    put_member(&w, JW_PACK_MANIFEST_NAME, jw_buf_bytes(&text));
    manifest_refused(&tar, "tar: cut off at 0x600, before its end blocks");
    CHECK(jw_tar_write_end(&w, &err));
    manifest_refused(&tar, "");
    jw_buf_clear(&tar);
    put_member(&w, JW_PACK_MANIFEST_NAME, jw_buf_bytes(&text));
    put_member(&w, "x", JW_BYTES("x"));
    manifest_refused(&tar, "tar: member at 0x600: pack: x behind its manifest");
    jw_buf_free(&text);
    jw_buf_free(&tar);
    sample_free(&s);
}

TEST(no_manifest)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MOST);
    struct jw_tar_writer w;
    struct jw_err err = { 0 };

    jw_tar_write_begin(&w, jw_sink_buf(&tar));
    put_member(&w, "cache/4/2/3e06b9e6ec62aa", JW_BYTES("x"));
    manifest_refused(&tar, "tar: member at 0x0: pack: its last member is cache/4/2/3e06b9e6ec62aa, expected "
                           "jitwarm/manifest.json");
    jw_buf_clear(&tar);
    CHECK(jw_tar_write_end(&w, &err));
    manifest_refused(&tar, "pack: there is no manifest at its end");
    jw_buf_clear(&tar);
    put_member(&w, JW_PACK_MANIFEST_NAME, JW_BYTES(""));
    CHECK(jw_tar_write_end(&w, &err));
    manifest_refused(&tar, "manifest: not spelled as jitwarm does, from byte 0 on");
    jw_buf_clear(&tar);
    CHECK(jw_tar_write_member(&w, JW_PACK_MANIFEST_NAME, 1 << 25, &err));
    manifest_refused(&tar,
                     "tar: member at 0x0: pack: a manifest of 33554432 bytes, expected at most 25165824");
    jw_buf_free(&tar);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(a_whole_frame), T(an_entry_that_is_not_wanted), T(an_entry_is_missing),
               T(entries_in_another_order), T(an_entry_twice_or_too_many), T(an_entry_of_another_size),
               T(a_flipped_bit_in_an_entry), T(cut_off_anywhere_it_is_refused),
               T(the_manifest_and_nothing_else), T(no_manifest));
}
