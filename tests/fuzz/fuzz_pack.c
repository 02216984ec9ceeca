/* A whole pack through all steps, as it is and with a trailer put behind it that has the right digest. */
#include "fuzz.h"
#include "pack/file/pack_read.h"

struct sum {
    uint64_t bytes;
    size_t entries, done;
};

static bool on_manifest(void *ctx, const struct jw_pack_manifest *m, struct jw_err *err)
{
    uint64_t all = 0;

    (void)ctx;
    for (size_t i = 0; i < m->n_entries; i++)
        all += jw_pack_entry_bytes(&m->entries[i]);
    return all <= (uint64_t)64 << 20 || jw_fail(err, JW_E_LIMIT, "too much for a fuzzer");
}

static bool on_entry(void *ctx, const struct jw_pack_entry *e, struct jw_err *err)
{
    (void)e;
    (void)err;
    ((struct sum *)ctx)->entries++;
    return true;
}

static bool on_data(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    return fuzz_put(&((struct sum *)ctx)->bytes, p, n, err);
}

static bool on_done(void *ctx, struct jw_err *err)
{
    (void)err;
    ((struct sum *)ctx)->done++;
    return true;
}

static void read_it(struct jw_bytes pack)
{
    struct jw_pack_check_options check = { 0 };
    struct jw_pack_read_options read = { .threads = 1 };
    struct jw_trusted_keys none = { 0 };
    struct jw_arena a = { .max = (size_t)64 << 20 };
    struct sum sum = { 0 };
    struct jw_pack_verdict v;
    struct jw_err err = { 0 };
    struct jw_pack_in in;
    bool ok = jw_pack_open_source(&in, jw_source_memory(&pack), "x", &err)
              && jw_pack_check(&in, &none, &check, &a, &v, &err)
              && jw_pack_read(&in, (struct jw_pack_visitor){ on_manifest, on_entry, on_data, on_done, &sum },
                              &read, &a, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || (sum.entries && sum.entries == sum.done));
    jw_pack_close(&in);
    jw_arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jw_buf pack = JW_BUF((size_t)64 << 20);
    struct jw_trailer t = { 0 };
    struct jw_err err = { 0 };

    read_it((struct jw_bytes){ data, size });
    jw_digest(t.digest, data, size);
    jw_buf_add(&pack, data, size);
    FUZZ_CHECK(jw_trailer_write(&pack, &t, &err));
    read_it(jw_buf_bytes(&pack));
    jw_buf_free(&pack);
    return 0;
}
