#include "rigs/pack_rig.h"
#include "rigs/scratch.h"

/* Who signed a pack, and what follows from it. */

enum { NONE, INSIDE = 1, BESIDE = 2 };

static struct pack_rig rig;
static struct jw_arena arena;

static struct jw_minisign_secret key_of(uint8_t n)
{
    struct jw_minisign_secret key = {.id = {n, 2, 3, 4, 5, 6, 7, 8}};
    uint8_t seed[crypto_sign_SEEDBYTES] = {n};

    (void)crypto_sign_seed_keypair((uint8_t[crypto_sign_PUBLICKEYBYTES]){0}, key.key, seed);
    return key;
}

static struct jw_trusted_keys trusting(uint8_t n)
{
    static struct jw_trusted_key one;
    struct jw_minisign_secret key = key_of(n);

    one = (struct jw_trusted_key){.key = jw_minisign_public_of(&key),
                                  .from = "/etc/jitwarm/keys/x.pub"};
    return (struct jw_trusted_keys){&one, 1};
}

static void write_file(const char *path, struct jw_bytes bytes)
{
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n);
    if (f)
        (void)fclose(f);
}

/* A pack in the scratch folder, signed where it is said with key `n`. */
static const char *make_signed(uint8_t n, int where)
{
    struct jw_minisign_secret key = key_of(n);
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX), sig = JW_BUF(JW_MAX_SIGNATURE);

    scratch_empty(scratch("packs"));
    CHECK(jw_make_dirs(scratch("packs"), JW_IGNORED));
    pack_rig_make(&rig, 3, 900, 300);
    struct jw_pack_write_options o = {0};

    o.key = where & INSIDE ? &key : NULL;
    pack_rig_write(&rig, &o, &pack);
    write_file(scratch("packs/x.tar.zst"), jw_buf_bytes(&pack));
    if (where & BESIDE) {
        pack_rig_minisig(&sig, jw_buf_bytes(&pack), &key);
        write_file(scratch("packs/x.tar.zst.minisig"), jw_buf_bytes(&sig));
    }
    return scratch("packs/x.tar.zst");
}

static void end_check(void)
{
    pack_rig_free(&rig);
    jw_arena_free(&arena);
}

/* The verdict, and the sentence of jw_pack_check_trust. */
static struct jw_pack_verdict check(const char *path, struct jw_trusted_keys keys,
                                    bool allow_unsigned, const char *refusal)
{
    struct jw_run o = {0};
    struct jw_pack_verdict v = {0};
    struct jw_err err = {0};
    struct jw_pack_in in;

    CHECK_OK(jw_pack_open(&in, path, &err) && jw_pack_check(&in, &keys, &o, &arena, &v, &err), err);
    CHECK(jw_pack_check_trust(&v, allow_unsigned, &err) == !*refusal);
    if (*refusal) {
        CHECK_NUM(err.code, JW_E_TRUST);
        CHECK_HAS(err.msg, refusal);
    }
    jw_pack_close(&in);
    return v;
}

EACH(NULL, end_check)

TEST(not_signed)
{
    const char *path = make_signed(1, NONE);

    CHECK_NUM(
        check(path, trusting(1), false, "it is not signed, so anybody could have made it").kind,
        JW_PACK_UNSIGNED);
    (void)check(path, trusting(1), true, "");
}

TEST(signed_by_a_trusted_key)
{
    for (int where = INSIDE; where <= (INSIDE | BESIDE); where++) {
        struct jw_pack_verdict v = check(make_signed(1, where), trusting(1), false, "");

        CHECK_NUM(v.kind, JW_PACK_SIGNED);
        CHECK_TEXT(v.key, "0807060504030201");
        CHECK(v.beside == ((where & BESIDE) != 0));
        end_check();
    }
}

TEST(signed_by_an_unknown_key)
{
    struct jw_pack_verdict v =
        check(make_signed(2, INSIDE), trusting(1), false,
              "it is signed with key 0807060504030202, which you do not trust");

    CHECK_NUM(v.kind, JW_PACK_SIGNED_UNKNOWN);
    (void)check(scratch("packs/x.tar.zst"), trusting(1), true, "");
}

/* The id of a trusted key, and another key behind it. */
TEST(signed_by_another_key_of_the_same_id)
{
    struct jw_trusted_keys keys = trusting(1);

    keys.v[0].key.key[0] ^= 1;
    CHECK_NUM(
        check(make_signed(1, INSIDE), keys, true, "its signature (the pack itself) is invalid: ")
            .kind,
        JW_PACK_SIGNED_WRONG);
}

TEST(a_signature_over_other_bytes)
{
    struct jw_minisign_secret key = key_of(1);
    const char *path = make_signed(1, NONE);
    FREED(jw_buf) sig = JW_BUF(JW_MAX_SIGNATURE);

    pack_rig_minisig(&sig, JW_BYTES("other bytes"), &key);
    write_file(scratch("packs/x.tar.zst.minisig"), jw_buf_bytes(&sig));
    CHECK_NUM(
        check(path, trusting(1), true, "it is not a signature of this content by this key").kind,
        JW_PACK_SIGNED_WRONG);
}

/* What is inside is over the bytes before the trailer, what is beside over all: neither stands in
 * for the other. */
TEST(one_signature_in_the_place_of_the_other)
{
    const char *path = make_signed(1, INSIDE);
    struct jw_pack_in in;

    CHECK(jw_pack_open(&in, path, &err));
    write_file(scratch("packs/x.tar.zst.minisig"), in.trailer.signature);
    jw_pack_close(&in);
    CHECK_NUM(
        check(path, trusting(1), true, "it is not a signature of this content by this key").kind,
        JW_PACK_SIGNED_WRONG);
}

/* The one beside counts: as a person signs a pack of others. */
TEST(two_signatures)
{
    const char *path = make_signed(1, INSIDE | BESIDE);
    struct jw_minisign_secret other = key_of(2);
    FREED(jw_buf) sig = JW_BUF(JW_MAX_SIGNATURE), pack = JW_BUF(PACK_RIG_MAX);
    bool found;

    CHECK(jw_file_slurp(path, &pack, &found, &err) && found);
    pack_rig_minisig(&sig, jw_buf_bytes(&pack), &other);
    write_file(scratch("packs/x.tar.zst.minisig"), jw_buf_bytes(&sig));
    struct jw_pack_verdict v = check(path, trusting(2), false, "");

    CHECK_NUM(v.kind, JW_PACK_SIGNED);
    CHECK_NUM(check(path, trusting(1), false, "which you do not trust").kind,
              JW_PACK_SIGNED_UNKNOWN);
    scratch_write(scratch("packs/x.tar.zst.minisig"), "rubbish");
    CHECK_NUM(check(path, trusting(1), true, "is invalid").kind, JW_PACK_SIGNED_WRONG);
}

/* Each byte of the text inside: the digest is not of it. */
TEST(a_flipped_bit_in_the_signature)
{
    struct jw_trusted_keys keys = trusting(1);
    const char *path = make_signed(1, INSIDE);
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);
    bool found;

    CHECK(jw_file_slurp(path, &pack, &found, &err) && found);
    size_t head = pack.n - 12, n = jw_le32(pack.p + head) - 8 - JW_DIGEST - 12, from = head - n,
           same = 0;

    for (size_t i = from; i < head; i++) {
        struct jw_run o = {0};
        struct jw_pack_verdict v;
        struct jw_pack_in in;

        pack.p[i] ^= 1;
        CHECK(pack_rig_open(&in, jw_buf_bytes(&pack), &err)
              && jw_pack_check(&in, &keys, &o, &arena, &v, &err));
        same += v.kind == JW_PACK_SIGNED; /* the comment that nobody signs */
        CHECK(v.kind != JW_PACK_UNSIGNED);
        jw_pack_close(&in);
        pack.p[i] ^= 1;
    }
    CHECK_NUM(same, strlen("signature from minisign secret key"));
}

TEST(read_before_it_was_checked)
{
    const char *path = make_signed(1, NONE);
    const struct jw_pack_manifest *m;
    struct pack_reader got = {.rig = &rig};
    struct jw_err again = {0};
    struct jw_pack_in in;

    CHECK(jw_pack_open(&in, path, &err));
    CHECK_REFUSED(jw_pack_manifest(&in, &arena, &m, &err), err, "read before it was checked");
    CHECK(!jw_pack_read(&in, &rig.manifest, pack_reader(&got), 0, NULL, &again));
    CHECK_NUM(got.whole, 0);
    jw_pack_close(&in);
}

/* Another process writes to the file between the check and the reading: it is sound in itself, and
 * none of its entries is taken; the manifest is the one that was checked. */
TEST(changed_after_it_was_checked)
{
    const char *path = make_signed(1, NONE);
    struct jw_trusted_keys keys = {0};
    struct jw_run check = {0};
    struct jw_pack_verdict v;
    struct pack_reader got = {.rig = NULL};
    FREED(jw_buf) other = JW_BUF(PACK_RIG_MAX);
    struct jw_pack_in in;
    uint8_t *altered = jw_arena_copy(&rig.a, rig.files[0].p, rig.files[0].n);
    uint64_t payload = jw_pack_entry_bytes(&rig.entries[0]) - rig.entries[0].payload_bytes;

    CHECK(jw_pack_open(&in, path, &err) && jw_pack_check(&in, &keys, &check, &arena, &v, &err));
    altered[rig.files[0].n - 1] ^= 1;
    jw_put64(altered + 20,
             jw_fnv1a(JW_FNV_START, altered + payload, (size_t)rig.entries[0].payload_bytes));
    rig.files[0].p = altered;
    rig.manifest.driver = "580.126.08";
    pack_rig_write(&rig, NULL, &other);
    write_file(path, jw_buf_bytes(&other));
    CHECK(!pack_rig_entries(&in, &got, 0, NULL, &arena, &err));
    CHECK_NUM(err.code, JW_E_FORMAT);
    CHECK_TEXT(got.manifest->driver, "580.126.09");
    CHECK_NUM(got.whole, 0);
    jw_pack_close(&in);
}

TEST(cut_while_it_is_read)
{
    for (unsigned checked = 0; checked < 2; checked++) {
        const char *path = make_signed(1, NONE);
        struct jw_trusted_keys keys = {0};
        struct jw_run check = {0};
        struct pack_reader got = {.rig = NULL};
        struct jw_pack_verdict v;
        struct jw_pack_in in;

        err = (struct jw_err){0};
        CHECK(jw_pack_open(&in, path, &err));
        if (checked)
            CHECK(jw_pack_check(&in, &keys, &check, &arena, &v, &err));
        write_file(path, (struct jw_bytes){(const uint8_t *)"", 0});
        CHECK(!(checked ? pack_rig_entries(&in, &got, 0, NULL, &arena, &err)
                        : jw_pack_check(&in, &keys, &check, &arena, &v, &err)));
        CHECK_NUM(err.code, JW_E_IO);
        CHECK_HAS(err.msg, "the file shrank while it was read");
        jw_pack_close(&in);
        end_check();
    }
}

/* Packs, read: the order of things, whose failure it is, progress, interruption. What is refused is
 * in test_pack_hostile.c. */

static const char *saved(size_t n, size_t size)
{
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);
    FILE *f = fopen(scratch("x.tar.zst"), "wb");

    (size > 1 << 20 ? pack_rig_make_plain : pack_rig_make)(&rig, n, size, size);
    pack_rig_write(&rig, NULL, &pack);
    CHECK(f && fwrite(pack.p, 1, pack.n, f) == pack.n);
    if (f)
        (void)fclose(f);
    return scratch("x.tar.zst");
}

static void end_read(struct jw_pack_in *in)
{
    jw_pack_close(in);
    jw_arena_free(&arena);
    pack_rig_free(&rig);
}

static bool open_and_check(struct jw_pack_in *in, const char *path)
{
    struct jw_run check = {0};
    struct jw_trusted_keys none = {0};
    struct jw_pack_verdict v;
    struct jw_err err = {0};
    bool ok = jw_pack_open(in, path, &err) && jw_pack_check(in, &none, &check, &arena, &v, &err);

    CHECK_TEXT(err.msg, "");
    return ok;
}

#define TEST_PACK(id) TEST_WITH(id, struct jw_pack_in, in, (void), end_read)

/* Twice from one check, and the manifest outlives the reading. */
TEST_PACK(a_pack_can_be_read_again)
{
    struct pack_reader first = {.rig = &rig}, again = {.rig = &rig};

    CHECK(open_and_check(in, saved(7, 5000)));
    CHECK(pack_rig_entries(in, &first, 0, NULL, &arena, &err));
    CHECK_OK(pack_rig_entries(in, &again, 0, NULL, &arena, &err), err);
    CHECK(first.whole == 7 && again.whole == 7);
    CHECK_TEXT(first.manifest->stamp, "Jan  7 202662:51:46");
    CHECK_NUM(first.manifest->entries[6].name, rig.entries[6].name);
}

TEST_PACK(a_visitor_that_does_not_want_it)
{
    struct pack_reader got = {
        .rig = &rig, .refuse = "it is for sm_86, here is sm_90", .refuses_with = JW_E_UNFIT};

    CHECK(open_and_check(in, saved(7, 5000)));
    CHECK_SAYS(pack_rig_entries(in, &got, 0, NULL, &arena, &err), err,
               "it is for sm_86, here is sm_90");
    CHECK_NUM(err.code, JW_E_UNFIT);
    CHECK_NUM(got.whole, 0);
}

/* A limit of the reader is no fault of the pack. */
TEST_PACK(a_visitor_that_has_no_room)
{
    struct pack_reader got = {
        .rig = &rig, .refuse = "the cache is full", .refuses_with = JW_E_LIMIT};

    CHECK(open_and_check(in, saved(7, 5000)));
    CHECK_REFUSED(pack_rig_entries(in, &got, 0, NULL, &arena, &err), err, "the cache is full");
    CHECK_NUM(err.code, JW_E_LIMIT);
}

struct watch {
    atomic_bool stop;
    uint64_t last, total;
    bool backwards, stops;
};

static void on_progress(void *ctx, const struct jw_progress *p)
{
    struct watch *w = ctx;

    w->backwards |= p->done < w->last || p->done > p->total;
    w->last = p->done;
    w->total = p->total;
    if (w->stops)
        atomic_store(&w->stop, true);
}

struct seen_on {
    atomic_uintptr_t thread; /* an address that each has of its own */
    atomic_size_t others;
};

static bool note_thread(void *ctx, size_t at, size_t n, const struct jw_bytes *files,
                        struct jw_err *err)
{
    static _Thread_local char own;
    struct seen_on *s = ctx;
    uintptr_t first = 0;

    (void)at;
    (void)n;
    (void)files;
    (void)err;
    if (!atomic_compare_exchange_strong(&s->thread, &first, (uintptr_t)&own)
        && first != (uintptr_t)&own)
        atomic_fetch_add(&s->others, 1);
    return true;
}

/* Frames of 100 MB, which a pack of a few KB can have: one thread unpacks them all, however many
 * were asked for. */
TEST_PACK(large_frames_are_unpacked_one_at_a_time)
{
#ifdef __SANITIZE_THREAD__
    SKIP("one thread has no other one to race with");
#endif
    const struct jw_pack_manifest *m;
    struct seen_on seen = {0};

    if (open_and_check(in, saved(2, 100 << 20)) && jw_pack_manifest(in, &arena, &m, &err))
        CHECK(jw_pack_read(in, m, (struct jw_pack_visitor){note_thread, &seen}, 5, NULL, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(in->bytes.size < 1 << 20 && atomic_load(&seen.thread));
    CHECK_NUM(atomic_load(&seen.others), 0);
}

TEST(progress_and_interruption)
{
    for (int stops = 0; stops <= 1; stops++) {
        struct watch w = {.stops = stops != 0};
        struct pack_reader got = {.rig = &rig};
        const struct jw_run run = {.interrupted = &w.stop, .progress = on_progress, .ctx = &w};
        struct jw_pack_in in;

        err = (struct jw_err){0};
        CHECK(open_and_check(
            &in, saved(3, 17 << 20))); /* a frame each; one thread stops before the last */
        CHECK(pack_rig_entries(&in, &got, (unsigned)stops, &run, &arena, &err) == !stops);
        CHECK_NUM(err.code, stops ? JW_E_INTERRUPTED : JW_OK);
        CHECK(!w.backwards && w.last && (stops ? w.last < w.total : w.last == w.total));
        end_read(&in);
    }
}

TEST_PACK(interrupted_while_it_is_checked)
{
    static const atomic_bool yes = true;
    struct jw_run check = {.interrupted = &yes};
    struct jw_trusted_keys none = {0};
    struct jw_pack_verdict v;

    CHECK(jw_pack_open(in, saved(2, 500), &err));
    CHECK(!jw_pack_check(in, &none, &check, &arena, &v, &err));
    CHECK(err.code == JW_E_INTERRUPTED && !in->checked);
}

TEST(what_cannot_be_opened)
{
    static const struct {
        const char *name;
        enum jw_code code;
        const char *sentence;
    } cases[] = {{"none.tar.zst", JW_E_IO, "no such file"}, {"", JW_E_IO, "is a folder"}};
    struct jw_pack_peeked seen;

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_err again = {0};
        struct jw_pack_in in;

        err = again;
        CHECK(!jw_pack_open(&in, scratch(cases[i].name), &err));
        CHECK_NUM(err.code, cases[i].code);
        CHECK_HAS(err.msg, cases[i].sentence);
        jw_pack_close(&in);
        CHECK(!jw_pack_peek(scratch(cases[i].name), NULL, &arena, &seen, &again));
        CHECK_TEXT(again.msg, err.msg);
    }
    jw_arena_free(&arena);
}

TEST(a_look_at_signatures)
{
    struct jw_pack_peeked seen;
    struct jw_trusted_keys none = {0};
    const char *path = saved(2, 500);

    CHECK(jw_pack_peek(path, NULL, &arena, &seen, &err));
    CHECK(!seen.key[0]);
    CHECK_TEXT(err.msg, "");
    CHECK_REFUSED(jw_pack_peek(path, &none, &arena, &seen, &err), err, "not signed");
    CHECK(!seen.manifest.n_entries);
    jw_arena_free(&arena);
    pack_rig_free(&rig);
}
