/* Packs, read: the order of things, whose failure it is, progress, interruption. What is refused is in test_pack_hostile.c. */
#include "rigs/pack_rig.h"

#include "rigs/scratch.h"

static struct pack_rig rig;
static struct jw_arena arena;

static const char *saved(size_t n, size_t size)
{
    struct jw_buf pack = JW_BUF(PACK_RIG_MOST);
    FILE *f = fopen(scratch("x.tar.zst"), "wb");

    (size > 1 << 20 ? pack_rig_make_plain : pack_rig_make)(&rig, n, size, size);
    (void)pack_rig_write(&rig, NULL, &pack);
    CHECK(f && fwrite(pack.p, 1, pack.n, f) == pack.n);
    if (f)
        (void)fclose(f);
    jw_buf_free(&pack);
    return scratch("x.tar.zst");
}

static void end(struct jw_pack_in *in)
{
    jw_pack_close(in);
    jw_arena_free(&arena);
    pack_rig_free(&rig);
}

static bool open_and_check(struct jw_pack_in *in, const char *path)
{
    struct jw_pack_open_options open = { 0 };
    struct jw_pack_check_options check = { 0 };
    struct jw_trusted_keys none = { 0 };
    struct jw_pack_verdict v;
    struct jw_err err = { 0 };
    bool ok = jw_pack_open(in, path, &open, &err) && jw_pack_check(in, &none, &check, &arena, &v, &err);

    CHECK_TEXT(err.msg, "");
    return ok;
}

/* Twice from one check, and the manifest outlives the reading. */
TEST(a_pack_can_be_read_again)
{
    struct pack_reader first = { .rig = &rig }, again = { .rig = &rig };
    struct jw_pack_read_options read = { 0 };
    struct jw_err err = { 0 };
    struct jw_pack_in in;

    CHECK(open_and_check(&in, saved(7, 5000)));
    CHECK(pack_rig_entries(&in, &first, &read, &arena, &err));
    CHECK(pack_rig_entries(&in, &again, &read, &arena, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(first.whole == 7 && again.whole == 7);
    CHECK_TEXT(first.manifest->stamp, "Jan  7 202622:51:46");
    CHECK_NUM(first.manifest->entries[6].name, rig.entries[6].name);
    end(&in);
}

TEST(a_visitor_that_does_not_want_it)
{
    struct pack_reader got = { .rig = &rig,
                               .refuse = "it is for sm_86, here is sm_90",
                               .refuses_with = JW_E_UNFIT };
    struct jw_pack_read_options read = { 0 };
    struct jw_err err = { 0 };
    struct jw_pack_in in;

    CHECK(open_and_check(&in, saved(7, 5000)));
    CHECK(!pack_rig_entries(&in, &got, &read, &arena, &err));
    CHECK_NUM(err.code, JW_E_UNFIT);
    CHECK_TEXT(err.msg, "it is for sm_86, here is sm_90");
    CHECK_NUM(got.whole, 0);
    end(&in);
}

/* A limit of whoever reads is no fault of the pack. */
TEST(a_visitor_that_has_no_room)
{
    struct pack_reader got = { .rig = &rig, .refuse = "the cache is full", .refuses_with = JW_E_LIMIT };
    struct jw_pack_read_options read = { 0 };
    struct jw_err err = { 0 };
    struct jw_pack_in in;

    CHECK(open_and_check(&in, saved(7, 5000)));
    CHECK(!pack_rig_entries(&in, &got, &read, &arena, &err));
    CHECK_NUM(err.code, JW_E_LIMIT);
    CHECK_HAS(err.msg, "the cache is full");
    end(&in);
}

struct watch {
    atomic_bool stop;
    uint64_t last, total;
    bool backwards, stops;
};

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
    struct watch *w = ctx;

    w->backwards |= done < w->last || done > total;
    w->last = done;
    w->total = total;
    if (w->stops)
        atomic_store(&w->stop, true);
}

struct seen_on {
    atomic_uintptr_t thread; /* an address that each has of its own */
    atomic_size_t others;
};

static bool note_thread(void *ctx, size_t i, struct jw_bytes file, struct jw_err *err)
{
    static _Thread_local char own;
    struct seen_on *s = ctx;
    uintptr_t first = 0;

    (void)i;
    (void)file;
    (void)err;
    if (!atomic_compare_exchange_strong(&s->thread, &first, (uintptr_t)&own) && first != (uintptr_t)&own)
        atomic_fetch_add(&s->others, 1);
    return true;
}

/* Frames of 100 MB, which a pack of a few KB can have: one thread unpacks them all, however many were asked for. */
TEST(large_frames_are_unpacked_one_at_a_time)
{
    struct jw_pack_read_options o = { .threads = 5 };
    const struct jw_pack_manifest *m;
    struct seen_on seen = { 0 };
    struct jw_err err = { 0 };
    struct jw_pack_in in;

    if (open_and_check(&in, saved(2, 100 << 20)) && jw_pack_manifest(&in, &arena, &m, &err))
        CHECK(jw_pack_read(&in, m, (struct jw_pack_visitor){ note_thread, &seen }, &o, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(in.bytes.size < 1 << 20 && atomic_load(&seen.thread));
    CHECK_NUM(atomic_load(&seen.others), 0);
    end(&in);
}

TEST(progress_and_interruption)
{
    for (int stops = 0; stops <= 1; stops++) {
        struct watch w = { .stops = stops != 0 };
        struct pack_reader got = { .rig = &rig };
        struct jw_pack_read_options read = { .interrupted = &w.stop, .progress = on_progress, .ctx = &w };
        struct jw_err err = { 0 };
        struct jw_pack_in in;

        CHECK(open_and_check(&in, saved(3, 33 << 20)));
        CHECK(pack_rig_entries(&in, &got, &read, &arena, &err) == !stops);
        CHECK_NUM(err.code, stops ? JW_E_INTERRUPTED : JW_OK);
        CHECK(!w.backwards && w.last && (stops ? w.last < w.total : w.last == w.total));
        end(&in);
    }
}

TEST(interrupted_while_it_is_checked)
{
    static const atomic_bool yes = true;
    struct jw_pack_open_options open = { 0 };
    struct jw_pack_check_options check = { .interrupted = &yes };
    struct jw_trusted_keys none = { 0 };
    struct jw_pack_verdict v;
    struct jw_err err = { 0 };
    struct jw_pack_in in;

    CHECK(jw_pack_open(&in, saved(2, 500), &open, &err));
    CHECK(!jw_pack_check(&in, &none, &check, &arena, &v, &err));
    CHECK(err.code == JW_E_INTERRUPTED && !in.checked);
    end(&in);
}

TEST(what_cannot_be_opened)
{
    static const struct {
        const char *name;
        enum jw_code code;
        const char *sentence;
    } cases[] = { { "none.tar.zst", JW_E_IO, "none.tar.zst: no such file" },
                  { "", JW_E_IO, ": is a folder" } };
    struct jw_pack_open_options open = { 0 };
    struct jw_pack_peeked seen;

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_err err = { 0 }, again = { 0 };
        struct jw_pack_in in;

        CHECK(!jw_pack_open(&in, scratch(cases[i].name), &open, &err));
        CHECK_NUM(err.code, cases[i].code);
        CHECK_HAS(err.msg, cases[i].sentence);
        jw_pack_close(&in);
        CHECK(!jw_pack_peek(scratch(cases[i].name), &open, &arena, &seen, &again));
        CHECK_TEXT(again.msg, err.msg);
    }
    jw_arena_free(&arena);
}

/* What stands beside a pack, and cannot be read as a signature, is told: not a pack without one. */
TEST(a_look_at_signatures)
{
    struct jw_pack_open_options open = { 0 };
    struct jw_pack_peeked seen;
    struct jw_err err = { 0 };
    const char *path = saved(2, 500);

    scratch_write(scratch("x.tar.zst.minisig"), "rubbish");
    CHECK(jw_pack_peek(path, &open, &arena, &seen, &err));
    CHECK(seen.signature == JW_PACK_SEEN_BESIDE && !seen.key[0]);
    CHECK(remove(scratch("x.tar.zst.minisig")) == 0);
    CHECK(jw_pack_peek(path, &open, &arena, &seen, &err));
    CHECK(seen.signature == JW_PACK_SEEN_NONE && seen.bytes);
    CHECK_TEXT(err.msg, "");
    jw_arena_free(&arena);
    pack_rig_free(&rig);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(a_pack_can_be_read_again), T(a_visitor_that_does_not_want_it),
               T(a_visitor_that_has_no_room), T(large_frames_are_unpacked_one_at_a_time),
               T(progress_and_interruption), T(interrupted_while_it_is_checked), T(what_cannot_be_opened),
               T(a_look_at_signatures));
}
