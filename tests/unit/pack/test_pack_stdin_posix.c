/* Packs through a pipe: kept until their end, to be read and to be looked at. */
#include "rigs/pack_rig.h"

#include "base/limits.h"
#include "rigs/scratch.h"

#include <unistd.h>

static struct pack_rig rig;
static struct jw_arena arena;

static struct jw_buf made(size_t n, size_t size)
{
    struct jw_buf pack = JW_BUF(PACK_RIG_MOST);

    pack_rig_make(&rig, n, size, 300);
    (void)pack_rig_write(&rig, NULL, &pack);
    return pack;
}

/* Bytes into a pipe that is standard input; they fit into it. Gives its other end, or closes it. */
static int pipe_in(struct jw_bytes bytes, bool keep_open)
{
    int ends[2];

    CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    (void)close(ends[0]);
    CHECK(write(ends[1], bytes.p, bytes.n) == (ssize_t)bytes.n);
    if (keep_open)
        return ends[1];
    (void)close(ends[1]);
    return -1;
}

static bool read_it(uint64_t most, const atomic_bool *interrupted, struct pack_reader *got,
                    struct jw_err *err)
{
    struct jw_pack_open_options open = { .spool_dir = rig.spool,
                                         .spool_max = most,
                                         .interrupted = interrupted };
    struct jw_pack_check_options check = { 0 };
    struct jw_pack_read_options read = { 0 };
    struct jw_trusted_keys none = { 0 };
    struct jw_pack_verdict v;
    struct jw_pack_in in;
    bool ok = jw_pack_open(&in, "-", &open, err) && jw_pack_check(&in, &none, &check, &arena, &v, err)
              && pack_rig_entries(&in, got, &read, &arena, err);

    jw_pack_close(&in);
    CHECK_NUM(scratch_count(scratch("spool")), 0);
    return ok;
}

static void refused(struct jw_bytes bytes, uint64_t most, enum jw_code code, const char *sentence)
{
    struct pack_reader got = { .rig = NULL };
    struct jw_err err = { 0 };

    (void)pipe_in(bytes, false);
    CHECK(!read_it(most, NULL, &got, &err));
    CHECK_NUM(err.code, code);
    CHECK_HAS(err.msg, "standard input: ");
    CHECK_HAS(err.msg, sentence);
}

TEST(a_pack_is_read)
{
    struct jw_buf pack = made(5, 3000);
    struct pack_reader got = { .rig = &rig };
    struct jw_err err = { 0 };

    (void)pipe_in(jw_buf_bytes(&pack), false);
    CHECK(read_it(0, NULL, &got, &err));
    CHECK_TEXT(err.msg, "");
    CHECK_NUM(got.whole, 5);
    jw_buf_free(&pack);
    pack_rig_free(&rig);
}

TEST(what_is_no_pack)
{
    struct jw_buf pack = made(5, 3000);

    refused(JW_BYTES(""), 0, JW_E_FORMAT, "it is empty");
    refused(JW_BYTES("\x1f\x8b\x08 gzip, they said"), 0, JW_E_FORMAT,
            "it is not a pack: it does not begin with a zstd frame");
    refused((struct jw_bytes){ pack.p, pack.n - 1 }, 0, JW_E_FORMAT,
            "it is cut off, no pack, or something follows");
    refused(jw_buf_bytes(&pack), pack.n - 1, JW_E_LIMIT, "more than ");
    pack.p[40] ^= 1;
    refused(jw_buf_bytes(&pack), 0, JW_E_FORMAT, "wrong digest: the pack is damaged");
    jw_buf_free(&pack);
    pack_rig_free(&rig);
}

TEST(a_look_at_a_pack)
{
    struct jw_buf pack = made(300, 100);
    struct jw_pack_open_options open = { .spool_dir = rig.spool };
    struct jw_pack_peeked seen;
    struct jw_err err = { 0 };

    CHECK(pack.n < 60000);
    (void)pipe_in(jw_buf_bytes(&pack), false);
    CHECK(jw_pack_peek("-", &open, &arena, &seen, &err));
    CHECK_TEXT(err.msg, "");
    CHECK_NUM(seen.manifest.n_entries, 300);
    CHECK(seen.bytes == pack.n && seen.signature == JW_PACK_SEEN_NONE);
    CHECK_NUM(scratch_count(scratch("spool")), 0);
    jw_buf_free(&pack);
    pack_rig_free(&rig);
}

TEST(a_look_at_what_ends_too_early)
{
    struct jw_buf pack = made(300, 100);
    struct jw_pack_open_options open = { .spool_dir = rig.spool };
    struct jw_pack_peeked seen;

    for (size_t n = 0; n < 200; n += n < 8 ? 1 : 50) {
        struct jw_err err = { 0 };

        (void)pipe_in((struct jw_bytes){ pack.p, n }, false);
        CHECK(!jw_pack_peek("-", &open, &arena, &seen, &err));
        CHECK_NUM(err.code, JW_E_FORMAT);
        CHECK_HAS(err.msg, n == 0  ? "standard input: it is empty"
                           : n < 4 ? "standard input: it is not a pack"
                                   : "standard input: trailer: the file does not end in one");
    }
    jw_buf_free(&pack);
    pack_rig_free(&rig);
}

TEST(interrupted_while_waiting)
{
    static const atomic_bool yes = true;
    struct jw_buf pack = made(3, 100);
    struct pack_reader got = { .rig = NULL };
    struct jw_pack_open_options open = { .spool_dir = rig.spool, .interrupted = &yes };
    struct jw_pack_peeked seen;
    struct jw_err err = { 0 };
    int out = pipe_in((struct jw_bytes){ pack.p, 20 }, true);

    CHECK(!read_it(0, &yes, &got, &err));
    CHECK_NUM(err.code, JW_E_INTERRUPTED);
    err = (struct jw_err){ 0 };
    CHECK(!jw_pack_peek("-", &open, &arena, &seen, &err));
    CHECK_NUM(err.code, JW_E_INTERRUPTED);
    (void)close(out);
    jw_buf_free(&pack);
    pack_rig_free(&rig);
}

int main(int argc, char **argv)
{
    int code;

    scratch_begin();
    code = RUN(argc, argv, T(a_pack_is_read), T(what_is_no_pack), T(a_look_at_a_pack),
               T(a_look_at_what_ends_too_early), T(interrupted_while_waiting));
    jw_arena_free(&arena);
    return code;
}
