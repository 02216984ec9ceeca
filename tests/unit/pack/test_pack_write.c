/* Packs, written: what they hold is what was given, and nothing else decides about a byte. */
#include "rigs/pack_rig.h"

#include "base/mem.h"
#include "pack/format/pack_layout.h"
#include "pack/format/zstd.h"

enum { MIB = 1 << 20 };

#define TEST_PACK(id) TEST_WITH(id, struct pack_rig, r, (void), pack_rig_free)

TEST_PACK(what_was_given_comes_out)
{
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);
    struct pack_reader got = {.rig = r};

    pack_rig_make(r, 7, 20000, 300);
    pack_rig_write(r, NULL, &pack);
    for (size_t i = 0; i < r->n; i++)
        CHECK_NUM(r->reads[i], 1);
    CHECK_OK(pack_rig_read(jw_buf_bytes(&pack), &got, 0, &err), err);
    CHECK_NUM(got.whole, 7);
}

/* One tar in several frames, with the list of them before the last. */
static void is_tar(const struct jw_buf *pack, size_t frames)
{
    struct jw_bytes bytes = jw_buf_bytes(pack);
    struct jw_source source = jw_source_memory(&bytes);
    FREED(jw_buf) digests = JW_BUF(PACK_RIG_MAX);
    struct jw_zstd_frame f = {0};
    struct jw_err err = {0};
    uint64_t at = 0, pointer = 0;

    for (; frames--; at += f.bytes) {
        uint8_t digest[JW_DIGEST];

        CHECK_OK(jw_zstd_frame_measure(&source, at, source.size, PACK_RIG_MAX, &f, &err), err);
        jw_digest(digest, pack->p + at, (size_t)f.bytes);
        jw_buf_add(&digests, digest, JW_DIGEST);
    }
    struct jw_bytes index = {pack->p + at, pack->n - (size_t)at}, listed;

    CHECK(jw_pack_list_take(&index, &listed));
    CHECK(listed.n == digests.n && memcmp(listed.p, digests.p, listed.n) == 0);
    source = jw_source_memory(&index);
    CHECK_OK(jw_zstd_frame_measure(&source, 0, source.size, PACK_RIG_MAX, &f, &err), err);
    CHECK(jw_pack_pointer_read(index.p + f.bytes, &pointer));
    CHECK_NUM(pointer, 8 + listed.n + f.bytes);
}

/* More than two frames' worth, one member larger than a frame, more threads than there is work
 * for. */
TEST_PACK(threads_never_change_a_byte)
{
    FREED(jw_buf) one = JW_BUF(PACK_RIG_MAX), more = JW_BUF(PACK_RIG_MAX);

    pack_rig_make(r, 4, 12 * MIB, 34 * MIB);
    struct jw_pack_write_options o = {.threads = 1};
    pack_rig_write(r, &o, &one);
    size_t frames;

    jw_free(jw_pack_split_frames(r->entries, r->n, &frames));
    CHECK(frames >= 3);
    is_tar(&one, frames);
    for (unsigned threads = 2; threads <= 9; threads += 7) {
        struct pack_reader got = {.rig = r};

        err = (struct jw_err){0};
        o.threads = threads;
        jw_buf_clear(&more);
        pack_rig_write(r, &o, &more);
        CHECK(one.n == more.n && one.n && memcmp(one.p, more.p, one.n) == 0);
        CHECK_OK(pack_rig_read(jw_buf_bytes(&more), &got, threads, &err), err);
        CHECK_NUM(got.whole, 4);
    }
}

/* As many as there may be: the manifest has room for them, and so has the reader. */
#if defined(__SANITIZE_THREAD__)                                                                   \
    || defined(__SANITIZE_ADDRESS__) /* which take seconds for all of them */
enum { MANY = 10000 };
#else
enum { MANY = 100000 };
#endif

TEST_PACK(a_hundred_thousand_entries)
{
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);
    struct pack_reader got = {.rig = r};

    pack_rig_make(r, MANY, 40, 40);
    pack_rig_write(r, NULL, &pack);
    CHECK_OK(pack_rig_read(jw_buf_bytes(&pack), &got, 0, &err), err);
    CHECK_NUM(got.whole, MANY);
}

/* ---- what goes wrong ---- */

static void refused(struct pack_rig *r, const struct jw_pack_write_options *o, enum jw_code code,
                    const char *sentence)
{
    const struct jw_pack_write_options usual = {0};
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);
    struct jw_err err = {0};
    uint64_t bytes;

    CHECK_REFUSED(jw_pack_write(jw_sink_buf(&pack), &r->manifest, pack_rig_source(r),
                                o ? o : &usual, &bytes, &err),
                  err, sentence);
    CHECK_NUM(err.code, code);
}

TEST_PACK(an_entry_that_changed_is_refused)
{
    pack_rig_make(r, 3, 1000, 1000);
    uint8_t *bytes = jw_arena_copy(&r->a, r->files[2].p, r->files[2].n);

    bytes[r->files[2].n - 1] ^= 1;
    r->files[2].p = bytes;
    refused(r, NULL, JW_E_FORMAT, "payload at ");
    refused(r, NULL, JW_E_FORMAT, jw_cache_name(r->entries[2].name).text);
    r->entries[2].payload_bytes -= 1;
    r->files[2].n -= 1;
    refused(r, NULL, JW_E_FORMAT, "it has ");
}

TEST_PACK(an_entry_that_cannot_be_read)
{
    pack_rig_make(r, 3, 1000, 1000);
    jw_err_set(&r->read_fails, JW_E_IO, "the disk is gone");
    refused(r, NULL, JW_E_IO, "the disk is gone");
}

TEST_PACK(a_bad_manifest)
{
    pack_rig_make(r, 2, 1000, 1000);
    r->manifest.sm = 5;
    refused(r, NULL, JW_E_FORMAT, "manifest: sm is not from 10 to 999");
}

static bool full(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    size_t *room = ctx;

    (void)p;
    if (n > *room)
        return jw_fail(err, JW_E_IO, "no space left on device");
    *room -= n;
    return true;
}

/* Wherever it is full, in the manifest, in the entries, in the trailer: the sentence of the sink
 * arrives. */
TEST_PACK(a_sink_that_is_full)
{
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);

    pack_rig_make(r, 3, 100000, 1000);
    pack_rig_write(r, NULL, &pack);
    for (size_t room = 0; room < pack.n; room += pack.n / 7 + 1) {
        struct jw_pack_write_options o = {0};
        size_t left = room;
        uint64_t bytes;

        err = (struct jw_err){0};
        CHECK_SAYS(jw_pack_write((struct jw_sink){full, &left}, &r->manifest, pack_rig_source(r),
                                 &o, &bytes, &err),
                   err, "no space left on device");
    }
}

struct watch {
    atomic_bool stop;
    uint64_t last, total;
    bool backwards;
};

static void on_progress(void *ctx, const struct jw_progress *p)
{
    struct watch *w = ctx;

    w->backwards |= p->done < w->last;
    w->last = p->done;
    w->total = p->total;
}

static void stop_on_progress(void *ctx, const struct jw_progress *p)
{
    on_progress(ctx, p);
    atomic_store(&((struct watch *)ctx)->stop, true);
}

TEST_PACK(progress_and_interruption)
{
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);
    struct watch w = {.last = 0};

    pack_rig_make_plain(r, 3, 17 << 20, 17 << 20); /* a frame for each */
    struct jw_pack_write_options o = {.threads = 1};
    struct jw_run run = {.interrupted = &w.stop, .progress = on_progress, .ctx = &w};

    o.run = &run;
    pack_rig_write(r, &o, &pack);
    CHECK(!w.backwards && w.last && w.last == w.total);
    w.last = 0;
    struct jw_run stopped = {.interrupted = &w.stop, .progress = stop_on_progress, .ctx = &w};

    o.run = &stopped;
    refused(r, &o, JW_E_INTERRUPTED, "interrupted");
    CHECK(w.last < w.total);
}
