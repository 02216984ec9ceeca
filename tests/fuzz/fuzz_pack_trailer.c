/* What is read can be written again, and is the same. */
#include "fuzz.h"
#include "pack/format/pack_layout.h"

static bool same(struct jw_bytes a, struct jw_bytes b)
{
    return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static void check_file(struct jw_bytes file)
{
    struct jw_source src = jw_source_memory(&file);
    struct jw_buf frame = JW_BUF(JW_TRAILER_MOST), again = JW_BUF(JW_TRAILER_MOST);
    struct jw_trailer t;
    struct jw_err err = { 0 };
    uint64_t at;
    bool found = jw_trailer_find(&src, &frame, &t, &at, &err);

    fuzz_error(found, &err);
    if (found) {
        FUZZ_CHECK(jw_trailer_write(&again, &t, &err));
        FUZZ_CHECK(same(jw_buf_bytes(&again), (struct jw_bytes){ file.p + at, file.n - (size_t)at }));
    }
    jw_buf_free(&frame);
    jw_buf_free(&again);
}

/* Once as it is; once with the digest that it should have, where there is a trailer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_bytes file = { data, size };
    struct jw_source src = jw_source_memory(&file);
    struct jw_buf frame = JW_BUF(JW_TRAILER_MOST), sealed = JW_BUF(size + 1);
    struct jw_trailer t;
    struct jw_err err = { 0 };
    uint64_t at;

    check_file(file);
    if (jw_trailer_find(&src, &frame, &t, &at, &err)) {
        jw_buf_add(&sealed, data, size);
        FUZZ_CHECK(!sealed.bad);
        jw_digest(sealed.p + at + 16, data, (size_t)at);
        check_file(jw_buf_bytes(&sealed));
    }
    jw_buf_free(&frame);
    jw_buf_free(&sealed);
    return 0;
}
