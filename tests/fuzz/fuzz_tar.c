/* A tar that is read, in whatever parts, is what our writer makes of its members. */
#include "base/buf.h"
#include "base/num.h"
#include "fuzz.h"
#include "pack/format/tar.h"

#include <string.h>

enum { LARGEST = 1 << 16 };

struct copy {
    struct jw_buf out;
    struct jw_tar_writer w;
    bool open; /* between member and done */
};

static bool on_member(void *ctx, const char *name, uint64_t size, struct jw_err *err)
{
    struct copy *c = ctx;

    FUZZ_CHECK(!c->open && size <= LARGEST && jw_tar_name_plain(name));
    c->open = true;
    return jw_tar_write_member(&c->w, name, size, err);
}

static bool on_data(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct copy *c = ctx;

    FUZZ_CHECK(c->open && n);
    return jw_tar_write_data(&c->w, p, n, err);
}

static bool on_done(void *ctx, struct jw_err *err)
{
    struct copy *c = ctx;

    (void)err;
    FUZZ_CHECK(c->open && !c->w.left);
    c->open = false;
    return true;
}

static bool read_tar(struct jw_bytes tar, size_t step, struct jw_err *err)
{
    struct copy c = { .out = JW_BUF(tar.n + 2 * JW_TAR_BLOCK) };
    struct jw_tar_reader r;
    struct jw_sink in = jw_tar_read_sink(&r);
    bool ok = true;

    jw_tar_write_begin(&c.w, jw_sink_buf(&c.out));
    jw_tar_read_begin(&r, (struct jw_tar_visitor){ on_member, on_data, on_done, &c }, LARGEST);
    for (size_t i = 0; i < tar.n && ok; i += step)
        ok = in.put(in.ctx, tar.p + i, (size_t)jw_min(step, tar.n - i), err);
    ok = ok && jw_tar_read_end(&r, err);
    fuzz_error(ok, err);
    if (ok) {
        FUZZ_CHECK(jw_tar_write_end(&c.w, err));
        FUZZ_CHECK(c.out.n == tar.n && memcmp(c.out.p, tar.p, tar.n) == 0);
    }
    jw_buf_free(&c.out);
    return ok;
}

static void check_tar(struct jw_bytes tar)
{
    struct jw_err whole = { 0 }, parts = { 0 };
    bool ok = read_tar(tar, tar.n + 1, &whole);

    FUZZ_CHECK(read_tar(tar, 13, &parts) == ok && strcmp(whole.msg, parts.msg) == 0);
}

/* A copy whose checksums hold, so that what lies behind that check is reached, too. */
static void seal(uint8_t *p, size_t n)
{
    while (n >= JW_TAR_BLOCK && p[0]) {
        uint64_t size = 0, span;
        unsigned sum = 0;

        memset(p + 148, ' ', 8);
        for (size_t i = 0; i < JW_TAR_BLOCK; i++)
            sum += p[i];
        for (unsigned i = 0; i < 6; i++)
            p[153 - i] = (uint8_t)('0' + (sum >> 3 * i & 7));
        p[154] = 0;
        for (unsigned i = 124; i < 135; i++)
            size = size << 3 | (p[i] & 7);
        span = jw_tar_span(size);
        if (span > n)
            return;
        p += span;
        n -= (size_t)span;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    FUZZ_CHECK(copy != NULL);
    check_tar((struct jw_bytes){ data, size });
    if (size)
        memcpy(copy, data, size);
    seal(copy, size);
    check_tar((struct jw_bytes){ copy, size });
    free(copy);
    return 0;
}
