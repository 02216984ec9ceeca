/* A whole pack through all steps, as it is and with an end put behind it: a pointer to the manifest's frame, wherever in these
 * bytes the last two say that it begins, and a trailer with the right digest. */
#include "base/num.h"
#include "fuzz.h"
#include "pack/file/pack_read.h"

static bool on_entry(void *ctx, size_t i, struct jw_bytes file, struct jw_err *err)
{
    size_t *n = ctx;
    uint64_t bytes = 0;

    FUZZ_CHECK(i == *n);
    ++*n;
    return fuzz_put(&bytes, file.p, file.n, err);
}

static bool is_small(const struct jw_pack_manifest *m)
{
    uint64_t all = 0;

    for (size_t i = 0; i < m->n_entries; i++)
        all += jw_pack_entry_bytes(&m->entries[i]);
    return all <= (uint64_t)64 << 20;
}

static void read_it(struct jw_bytes pack)
{
    struct jw_pack_check_options check = { 0 };
    struct jw_pack_read_options read = { .threads = 1 };
    struct jw_trusted_keys none = { 0 };
    struct jw_arena a = { .max = (size_t)64 << 20 };
    const struct jw_pack_manifest *m = NULL;
    struct jw_pack_verdict v;
    struct jw_err err = { 0 };
    struct jw_pack_in in;
    size_t n = 0;
    bool ok = jw_pack_open_source(&in, jw_source_memory(&pack), "x", &err)
              && jw_pack_check(&in, &none, &check, &a, &v, &err) && jw_pack_manifest(&in, &a, &m, &err);

    if (ok && is_small(m)) {
        ok = jw_pack_read(&in, m, (struct jw_pack_visitor){ on_entry, &n }, &read, &err);
        FUZZ_CHECK(!ok || (n && n == m->n_entries));
    }
    fuzz_error(ok, &err);
    jw_pack_close(&in);
    jw_arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_buf pack = JW_BUF((size_t)64 << 20);
    struct jw_trailer t = { 0 };
    struct jw_err err = { 0 };
    size_t body = size < 2 ? 0 : size - 2;

    read_it((struct jw_bytes){ data, size });
    jw_buf_add(&pack, data, body);
    jw_pack_pointer_put(&pack, body - jw_min(body, size < 2 ? 0 : jw_le16(data + body)));
    jw_digest(t.digest, pack.p, pack.n);
    FUZZ_CHECK(jw_trailer_write(&pack, &t, &err));
    read_it(jw_buf_bytes(&pack));
    jw_buf_free(&pack);
    return 0;
}
