#include "pack/format/pack_members.h"

#include "base/num.h"
#include "pack_sample.h"

/* ---- what a reader was told ---- */

struct heard {
    const struct jw_pack_manifest *manifest;
    struct jw_buf data;
    size_t begun, done;
    const char *refuse;
};

static bool on_manifest(void *ctx, const struct jw_pack_manifest *m, struct jw_err *err)
{
    struct heard *h = ctx;

    CHECK(h->begun == 0 && !h->manifest);
    h->manifest = m;
    return !h->refuse || jw_fail(err, JW_E_FORMAT, "%s", h->refuse);
}

static bool on_entry(void *ctx, const struct jw_pack_entry *e, struct jw_err *err)
{
    struct heard *h = ctx;

    (void)err;
    CHECK(h->begun == h->done && e == &h->manifest->entries[h->begun]);
    h->begun++;
    return true;
}

static bool on_data(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct heard *h = ctx;

    jw_buf_add(&h->data, p, n);
    return jw_buf_ok(&h->data, err);
}

static bool on_done(void *ctx, struct jw_err *err)
{
    struct heard *h = ctx;

    (void)err;
    h->done++;
    return true;
}

/* The sentence with which a tar is refused; "" when it is not. */
static const char *reading(struct jw_bytes tar, size_t step, struct heard *h)
{
    static struct jw_err err;
    struct jw_pack_members p;
    struct jw_sink in = jw_pack_members_sink(&p);
    struct jw_arena a = { 0 };
    bool ok = true;

    err = (struct jw_err){ 0 };
    h->data = JW_BUF(SAMPLE_MOST);
    jw_pack_members_begin(&p, (struct jw_pack_visitor){ on_manifest, on_entry, on_data, on_done, h }, &a);
    for (size_t at = 0; at < tar.n && ok; at += step)
        ok = in.put(in.ctx, tar.p + at, (size_t)jw_min(step, tar.n - at), &err);
    ok = ok && jw_pack_members_end(&p, &err);
    CHECK(ok == !err.msg[0]);
    jw_pack_members_free(&p);
    jw_arena_free(&a);
    return err.msg;
}

static void refused(struct jw_bytes tar, size_t done, const char *sentence)
{
    struct heard h = { 0 };

    CHECK_TEXT(reading(tar, 333, &h), sentence);
    CHECK_NUM(h.done, done);
    jw_buf_free(&h.data);
}

/* A tar of the sample's manifest and of these of its entries. */
static struct jw_buf tar_of(const struct sample *s, const size_t *which, size_t n)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MOST), text = JW_BUF(SAMPLE_MOST);
    struct jw_tar_writer w;
    struct jw_err err = { 0 };

    sample_text(s, &text);
    jw_tar_write_begin(&w, jw_sink_buf(&tar));
    CHECK(jw_tar_write_member(&w, JW_PACK_MANIFEST_NAME, text.n, &err)
          && jw_tar_write_data(&w, text.p, text.n, &err));
    for (size_t i = 0; i < n; i++)
        CHECK(jw_tar_write_member(&w, jw_pack_member(s->entries[which[i]].name).text, s->files[which[i]].n,
                                  &err)
              && jw_tar_write_data(&w, s->files[which[i]].p, s->files[which[i]].n, &err));
    CHECK(jw_tar_write_end(&w, &err));
    jw_buf_free(&text);
    return tar;
}

static void refused_order(const size_t *which, size_t n, size_t done, const char *sentence)
{
    struct sample s;
    struct jw_buf tar;

    sample_make(&s);
    tar = tar_of(&s, which, n);
    refused(jw_buf_bytes(&tar), done, sentence);
    jw_buf_free(&tar);
    sample_free(&s);
}

/* ---- what is read, and what is refused ---- */

TEST(a_whole_pack)
{
    static const size_t steps[] = { 1, 512, 100000 };
    struct jw_buf tar = JW_BUF(SAMPLE_MOST);
    struct sample s;

    sample_make(&s);
    sample_tar(&s, &tar);
    for (size_t i = 0; i < JW_COUNT(steps); i++) {
        struct heard h = { 0 };
        size_t at = 0;

        CHECK_TEXT(reading(jw_buf_bytes(&tar), steps[i], &h), "");
        CHECK(h.begun == SAMPLE_ENTRIES && h.done == SAMPLE_ENTRIES);
        for (size_t k = 0; k < SAMPLE_ENTRIES; at += s.files[k++].n)
            CHECK(h.data.n - at >= s.files[k].n && memcmp(h.data.p + at, s.files[k].p, s.files[k].n) == 0);
        CHECK_NUM(h.data.n, at);
        jw_buf_free(&h.data);
    }
    jw_buf_free(&tar);
    sample_free(&s);
}

TEST(a_pack_that_is_not_wanted)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MOST);
    struct heard h = { .refuse = "it is for sm_86, this is sm_90" };
    struct sample s;

    sample_make(&s);
    sample_tar(&s, &tar);
    CHECK_TEXT(reading(jw_buf_bytes(&tar), 4096, &h), "it is for sm_86, this is sm_90");
    CHECK_NUM(h.begun, 0);
    jw_buf_free(&h.data);
    jw_buf_free(&tar);
    sample_free(&s);
}

TEST(an_entry_is_missing)
{
    refused_order((size_t[]){ 0, 1 }, 2, 2, "pack: it ends after 2 entries, its manifest has 3");
    refused_order((size_t[]){ 0, 2 }, 2, 1,
                  "tar: member at 0xa00: pack: cache/7/8/13dfbd4b7d92a7, where its manifest has "
                  "cache/7/3/31056fa7fd17fe");
    refused_order((size_t[]){ 0 }, 0, 0, "pack: it ends after 0 entries, its manifest has 3");
}

TEST(entries_in_another_order)
{
    refused_order((size_t[]){ 1, 0, 2 }, 3, 0,
                  "tar: member at 0x600: pack: cache/7/3/31056fa7fd17fe, where its manifest has "
                  "cache/0/7/6a6c5257a2dae4");
}

TEST(an_entry_twice_or_too_many)
{
    refused_order((size_t[]){ 0, 0, 1, 2 }, 4, 1,
                  "tar: member at 0xa00: pack: cache/0/7/6a6c5257a2dae4, where its manifest has "
                  "cache/7/3/31056fa7fd17fe");
    refused_order(
        (size_t[]){ 0, 1, 2, 2 }, 4, 3,
        "tar: member at 0x1200: pack: cache/7/8/13dfbd4b7d92a7 behind the 3 entries of its manifest");
}

TEST(an_entry_of_another_size)
{
    struct sample s;
    struct jw_buf tar;

    sample_make(&s);
    s.files[1].n--;
    tar = tar_of(&s, (size_t[]){ 0, 1, 2 }, 3);
    refused(jw_buf_bytes(&tar), 1,
            "tar: member at 0xa00: pack: cache/7/3/31056fa7fd17fe of 105 bytes, its manifest says 106");
    jw_buf_free(&tar);
    sample_free(&s);
}

TEST(a_flipped_bit_in_an_entry)
{
    struct sample s;
    struct jw_buf tar;

    sample_make(&s);
    s.files[1].p[50] ^= 1;
    tar = tar_of(&s, (size_t[]){ 0, 1, 2 }, 3);
    refused(jw_buf_bytes(&tar), 1,
            "pack: cache/7/3/31056fa7fd17fe has not the digest that its manifest says");
    jw_buf_free(&tar);
    sample_free(&s);
}

TEST(no_manifest_first)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MOST);
    struct jw_tar_writer w;
    struct jw_err err = { 0 };

    jw_tar_write_begin(&w, jw_sink_buf(&tar));
    CHECK(jw_tar_write_member(&w, "cache/4/2/3e06b9e6ec62aa", 1, &err)
          && jw_tar_write_data(&w, "x", 1, &err));
    CHECK(jw_tar_write_end(&w, &err));
    refused(jw_buf_bytes(&tar), 0,
            "tar: member at 0x0: pack: its first member is cache/4/2/3e06b9e6ec62aa, expected "
            "jitwarm/manifest.json");
    jw_buf_clear(&tar);
    CHECK(jw_tar_write_end(&w, &err));
    refused(jw_buf_bytes(&tar), 0, "pack: nothing is in it");
    jw_buf_clear(&tar);
    CHECK(jw_tar_write_member(&w, JW_PACK_MANIFEST_NAME, 1 << 25, &err));
    refused(jw_buf_bytes(&tar), 0,
            "tar: member at 0x0: pack: a manifest of 33554432 bytes, expected at most 25165824");
    jw_buf_free(&tar);
}

TEST(an_empty_manifest)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MOST);
    struct jw_tar_writer w;
    struct jw_err err = { 0 };

    jw_tar_write_begin(&w, jw_sink_buf(&tar));
    CHECK(jw_tar_write_member(&w, JW_PACK_MANIFEST_NAME, 0, &err) && jw_tar_write_end(&w, &err));
    refused(jw_buf_bytes(&tar), 0, "manifest: json: a value expected at byte 0");
    jw_buf_free(&tar);
}

TEST(cut_off_anywhere_it_is_refused)
{
    struct jw_buf tar = JW_BUF(SAMPLE_MOST);
    struct sample s;

    sample_make(&s);
    sample_tar(&s, &tar);
    for (size_t n = 0; n < tar.n; n += 37) {
        struct heard h = { 0 };

        CHECK_HAS(reading((struct jw_bytes){ tar.p, n }, 512, &h), "tar: cut off at 0x");
        jw_buf_free(&h.data);
    }
    jw_buf_free(&tar);
    sample_free(&s);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(a_whole_pack), T(a_pack_that_is_not_wanted), T(an_entry_is_missing),
               T(entries_in_another_order), T(an_entry_twice_or_too_many), T(an_entry_of_another_size),
               T(a_flipped_bit_in_an_entry), T(no_manifest_first), T(an_empty_manifest),
               T(cut_off_anywhere_it_is_refused));
}
