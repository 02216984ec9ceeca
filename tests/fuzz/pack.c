#include "base/buf.h"
#include "base/limits.h"
#include "base/num.h"
#include "fuzz.h"
#include "os/machine/time.h"
#include "pack/file/pack_read.h"
#include "pack/format/pack_layout.h"
#include "pack/format/pack_manifest.h"
#include "pack/format/tar.h"
#include "pack/format/zstd.h"

#include <string.h>

/* ---- pack ---- */

/* A whole pack through all steps, as it is and with an end put behind it: a pointer to the
 * manifest's frame, wherever in these bytes the last two say that it begins, and a trailer with the
 * right digest. */

static bool count_entries(void *ctx, size_t first, size_t n, const struct jw_bytes *files,
                          struct jw_err *err)
{
    size_t *seen = ctx;
    uint64_t bytes = 0;

    FUZZ_CHECK(first == *seen && n);
    *seen += n;
    for (size_t i = 0; i < n; i++)
        if (!fuzz_put(&bytes, files[i].p, files[i].n, err))
            return false;
    return true;
}

static bool is_small(const struct jw_pack_manifest *m)
{
    uint64_t all = 0;

    for (size_t i = 0; i < m->n_entries; i++)
        all += jw_pack_entry_bytes(&m->entries[i]);
    return all <= (uint64_t)64 << 20;
}

/* A file of this process: a pack is one. */
static const char *saved(struct jw_bytes pack)
{
    static char path[48];
    struct jw_err err = {0};

    if (!*path)
        (void)snprintf(path, sizeof path, "fuzz-%llu.tar.zst",
                       (unsigned long long)jw_time_monotonic_ns());
    FUZZ_CHECK(jw_file_put(path, JW_OUT_REPLACE, pack, &err));
    return path;
}

static void read_pack(struct jw_bytes pack)
{
    const char *path = saved(pack);
    struct jw_run check = {0};
    struct jw_trusted_keys none = {0};
    FREED(jw_arena) a = {.max = (size_t)64 << 20};
    const struct jw_pack_manifest *m = NULL;
    struct jw_pack_verdict v;
    struct jw_err err = {0};
    struct jw_pack_in in;
    size_t n = 0;
    bool ok = jw_pack_open(&in, path, &err) && jw_pack_check(&in, &none, &check, &a, &v, &err)
              && jw_pack_manifest(&in, &a, &m, &err);

    if (ok && is_small(m)) {
        ok = jw_pack_read(&in, m, (struct jw_pack_visitor){count_entries, &n}, 1, NULL, &err);
        FUZZ_CHECK(!ok || (n && n == m->n_entries));
    }
    fuzz_error(ok, &err);
    jw_pack_close(&in);
    FUZZ_CHECK(remove(path) == 0);
}

FUZZ(pack)
{
    FREED(jw_buf) pack = JW_BUF((size_t)64 << 20);
    struct jw_trailer t = {0};
    struct jw_err err = {0};
    size_t body = size < 2 ? 0 : size - 2;

    read_pack((struct jw_bytes){data, size});
    jw_buf_add(&pack, data, body);
    jw_pack_pointer_put(&pack, body - jw_min(body, size < 2 ? 0 : jw_le16(data + body)));
    jw_digest(t.digest, pack.p, pack.n);
    FUZZ_CHECK(jw_trailer_write(&pack, &t, &err));
    read_pack(jw_buf_bytes(&pack));
}

/* ---- pack_manifest ---- */

/* What is read can be written again, and is the same text. */

FUZZ(pack_manifest)
{
    FREED(jw_arena) a = {.max = (size_t)64 << 20};
    FREED(jw_buf) again = JW_BUF(JW_MAX_MANIFEST);
    struct jw_pack_manifest m;
    struct jw_err err = {0};
    bool ok = jw_pack_manifest_read((struct jw_bytes){data, size}, &a, &m, &err);

    fuzz_error(ok, &err);
    if (ok) {
        FUZZ_CHECK(jw_pack_manifest_write(&again, &m, &err));
        FUZZ_CHECK(again.n == size && memcmp(again.p, data, size) == 0);
    }
}

/* ---- pack_trailer ---- */

/* What is read can be written again, and is the fuzz_same. */

static void check_trailer(struct jw_bytes file)
{
    struct jw_source src = jw_source_memory(&file);
    FREED(jw_buf) frame = JW_BUF(JW_MAX_TRAILER), again = JW_BUF(JW_MAX_TRAILER);
    struct jw_trailer t;
    struct jw_err err = {0};
    uint64_t at;
    bool found = jw_trailer_find(&src, &frame, &t, &at, &err);

    fuzz_error(found, &err);
    if (found) {
        FUZZ_CHECK(jw_trailer_write(&again, &t, &err));
        FUZZ_CHECK(
            fuzz_same(jw_buf_bytes(&again), (struct jw_bytes){file.p + at, file.n - (size_t)at}));
    }
}

/* Once as it is; once with the digest that it should have, where there is a trailer. */
FUZZ(pack_trailer)
{
    struct jw_bytes file = {data, size};
    struct jw_source src = jw_source_memory(&file);
    FREED(jw_buf) frame = JW_BUF(JW_MAX_TRAILER), sealed = JW_BUF(size + 1);
    struct jw_trailer t;
    struct jw_err err = {0};
    uint64_t at;

    check_trailer(file);
    if (jw_trailer_find(&src, &frame, &t, &at, &err)) {
        jw_buf_add(&sealed, data, size);
        FUZZ_CHECK(!sealed.bad);
        jw_digest(sealed.p + at + 16, data, (size_t)at);
        check_trailer(jw_buf_bytes(&sealed));
    }
}

/* ---- tar ---- */

/* A member that is taken is what our writer makes of it. The first two bytes are how long it is
 * said to be. */
FUZZ(tar)
{
    FREED(jw_buf) again = JW_BUF(size + 2 * JW_TAR_BLOCK);
    struct jw_bytes tar = {data + jw_min(size, 2), size - jw_min(size, 2)}, member;
    struct jw_err err = {0};
    size_t at = 0;
    bool ok = jw_tar_take(tar, &at, "cache/4/2/3e06b9e6ec62aa", size < 2 ? 0 : jw_le16(data),
                          &member, &err);

    fuzz_error(ok, &err);
    if (ok) {
        jw_tar_put(&again, "cache/4/2/3e06b9e6ec62aa", member);
        FUZZ_CHECK(again.n == at && memcmp(again.p, tar.p, at) == 0);
    }
}

/* ---- zstd_frame ---- */

/* Where we take a frame, what is in it is as long as we said, or zstd refuses it. */

enum { MAX_OF_FRAME = 1 << 20 };

static void unpack_frame(struct jw_bytes in, const struct jw_zstd_frame *frame)
{
    struct jw_err err = {0};
    size_t n = (size_t)frame->content;
    uint8_t *out = malloc(n + 1);

    in.n = (size_t)frame->bytes;
    FUZZ_CHECK(out != NULL);
    fuzz_error(jw_zstd_unpack(in, out, n, &err), &err);
    FUZZ_CHECK(!jw_zstd_unpack(in, out, n + 1, &err));
    free(out);
}

FUZZ(zstd_frame)
{
    struct jw_bytes bytes = {data, size};
    struct jw_source source = jw_source_memory(&bytes);
    struct jw_zstd_frame frame;
    struct jw_err err = {0};
    bool ok = jw_zstd_frame_measure(&source, 0, size, MAX_OF_FRAME, &frame, &err);

    fuzz_error(ok, &err);
    if (ok) {
        FUZZ_CHECK(frame.bytes <= size);
        if (frame.content <= MAX_OF_FRAME)
            unpack_frame(bytes, &frame);
    }
}
