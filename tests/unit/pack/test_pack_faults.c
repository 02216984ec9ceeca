/*
 * Every call of the system that writing, reading and peeking make, failing in turn: a sentence each
 * time, no hang, nothing left behind, and what was refused is refused as a failure of this machine,
 * never called damage.
 */
#include "rigs/faults.h"
#include "rigs/pack_rig.h"

#include "rigs/scratch.h"
#include "rigs/variables.h"

static struct pack_rig rig;

/* A failure that was injected and came through is what the sentence tells. */
static void told(bool ok, const struct jw_err *err)
{
    CHECK(ok || (err->code != JW_OK && err->msg[0]));
    CHECK(ok || err->code == JW_E_IO);
}

static bool write_once(unsigned threads, struct jw_buf *pack, struct jw_err *err)
{
    const struct jw_pack_write_options o = {.threads = threads};
    uint64_t bytes;

    jw_buf_clear(pack);
    return jw_pack_write(jw_sink_buf(pack), &rig.manifest, pack_rig_source(&rig), &o, &bytes, err);
}

TEST(writing)
{
    FREED(jw_buf) good = JW_BUF(PACK_RIG_MAX);

    pack_rig_make(&rig, 4, 3000, 300);
    CHECK(write_once(1, &good, &err));
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        EACH_FAULT (f, 1) {
            FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);
            bool ok = FAULTED(f, write_once(threads, &pack, &err));

            told(ok, &err);
            CHECK(!ok || (pack.n == good.n && memcmp(pack.p, good.p, good.n) == 0));
            CHECK(f.fired || ok);
        }
    }
    pack_rig_free(&rig);
}

static bool read_once(const char *path, struct jw_err *err)
{
    struct jw_run check = {0};
    struct pack_reader got = {.rig = &rig};
    struct jw_trusted_keys none = {0};
    struct jw_pack_verdict v;
    FREED(jw_arena) a = {0};
    struct jw_pack_in in = {0};
    bool ok = jw_pack_open(&in, path, err) && jw_pack_check(&in, &none, &check, &a, &v, err)
              && pack_rig_entries(&in, &got, 2, NULL, &a, err);

    CHECK(!ok || got.whole == rig.n);
    jw_pack_close(&in);
    return ok;
}

static bool peek_once(const char *path, struct jw_err *err)
{
    struct jw_pack_peeked seen;
    FREED(jw_arena) a = {0};
    bool ok = jw_pack_peek(path, NULL, &a, &seen, err);

    CHECK(!ok || seen.manifest.n_entries == rig.n);
    return ok;
}

static const char *saved(void)
{
    FREED(jw_buf) pack = JW_BUF(PACK_RIG_MAX);
    FILE *f = fopen(scratch("x.tar.zst"), "wb");

    pack_rig_make(&rig, 4, 3000, 300);
    CHECK(write_once(1, &pack, JW_IGNORED));
    CHECK(f && fwrite(pack.p, 1, pack.n, f) == pack.n);
    if (f)
        (void)fclose(f);
    return jw_arena_str(&rig.a, scratch("x.tar.zst"));
}

static void with_faults(bool (*once)(const char *path, struct jw_err *err))
{
    const char *path = saved();
    struct jw_err err;

    EACH_FAULT (f, 1) {
        bool ok = FAULTED(f, once(path, &err));

        told(ok, &err);
        CHECK(f.fired || (ok && f.nth > 6));
    }
    pack_rig_free(&rig);
}

TEST(reading) { with_faults(read_once); }

TEST(peeking) { with_faults(peek_once); }

TEST(keys)
{
    struct jw_minisign_secret_text text;
    struct jw_minisign_secret key;

    FREED(jw_buf) one = JW_BUF(1024);

    CHECK(jw_minisign_make(&key, &err) && jw_minisign_secret_write(&text, &key, NULL, &err));
    const struct jw_minisign_public made = jw_minisign_public_of(&key);

    jw_minisign_public_put(&one, &made);
    set_variable("XDG_CONFIG_HOME", scratch("config"));
    set_variable("APPDATA", built_path(scratch("config")));
    EACH_FAULT (f, 1) {
        const char *secret = scratch("config/x.key"), *public = scratch("config/x.pub");

        scratch_empty(scratch("config"));
        bool ok = FAULTED(f, jw_key_pair_save(secret, &text, public, false, &made, &err));

        told(ok, &err);
        /* Both, or neither; but for the one whose removal is what failed, which the sentence then
         * names. */
        if (ok)
            scratch_holds(public, jw_buf_cstr(&one));
        CHECK(scratch_there(secret) == ok || strstr(err.msg, "x.key"));
        CHECK(ok || !scratch_there(public) || strstr(err.msg, "x.pub"));
        CHECK(f.fired || (ok && f.nth > 10));
    }
}
