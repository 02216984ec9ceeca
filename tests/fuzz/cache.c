#include "../rigs/cache_entry.h"
#include "cache/format/jitcache.h"
#include "fuzz.h"

/* ---- jitcache ---- */

/* One input as entry, key and index of the driver's cache: what is accepted comes back when
 * written. */

/* `part` lies inside of `whole`. */
static bool inside(struct jw_bytes part, struct jw_bytes whole)
{
    return !part.n
           || (part.p >= whole.p && part.n <= whole.n
               && part.p - whole.p <= (ptrdiff_t)(whole.n - part.n));
}

/* A module's key, made again from its parts. */
static void check_made(struct jw_bytes key, const struct jw_cache_key *k)
{
    FREED(jw_buf) made = JW_BUF(key.n), options = JW_BUF(key.n);

    if (!k->options.n || k->options.p[0] != ' ' || memchr(k->options.p, 0, k->options.n))
        return;
    jw_buf_add(&options, k->options.p + 1, k->options.n - 1);
    jw_cache_key_make(&made, k->stamp, k->arch, k->input, k->nuls, jw_buf_cstr(&options));
    FUZZ_CHECK(!made.bad && fuzz_same(jw_buf_bytes(&made), key));
}

static void check_key(struct jw_bytes key)
{
    struct jw_cache_key k, head;
    struct jw_bytes part = {key.p, key.n < JW_CACHE_KEY_HEAD ? key.n : JW_CACHE_KEY_HEAD};

    jw_cache_key_read(part, key.n, &head);
    jw_cache_key_read(key, key.n, &k);
    FUZZ_CHECK(memchr(k.stamp, 0, sizeof k.stamp) && memchr(k.arch, 0, sizeof k.arch));
    FUZZ_CHECK(strcmp(k.stamp, head.stamp) == 0 && (!k.stamp[0] || strcmp(k.arch, head.arch) == 0));
    FUZZ_CHECK(inside(k.input, key) && inside(k.options, key));
    FUZZ_CHECK(k.input.n + k.nuls + k.options.n <= key.n);
    if (k.kind == JW_CACHE_CUDA || k.kind == JW_CACHE_NVVM) {
        FUZZ_CHECK(k.stamp[0] && k.arch[0] && (head.kind == k.kind));
        check_made(key, &k);
    }
}

/*
 * What is sound is written again to the fuzz_same bytes; what is not has a sentence. The copy has
 * hashes that hold, so that what is behind that check is reached, too.
 */
static void check_entry(struct jw_bytes file)
{
    struct jw_source src = jw_source_memory(&file);
    struct jw_cache_entry e;
    struct jw_bytes key, payload, sealed;
    FREED(jw_buf) again = JW_BUF(file.n);
    struct jw_err err = {0};
    bool ok = jw_cache_entry_read(file, file.n, &e, &err);
    uint64_t name;

    fuzz_error(ok, &err);
    if (!ok)
        return;
    FUZZ_CHECK(jw_slice(file, JW_CACHE_HEADER, e.key_size, &key));
    FUZZ_CHECK(jw_slice(file, JW_CACHE_HEADER + e.key_size, e.payload_size, &payload));
    check_key(key);
    FUZZ_CHECK(cache_entry_write(&again, key, payload, &name, &err));
    sealed = jw_buf_bytes(&again);
    ok = jw_cache_entry_check(&src, name, &e, &err);
    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || fuzz_same(sealed, file));
    FUZZ_CHECK(!jw_cache_entry_check(&src, name + 1, &e, &err));
    src = jw_source_memory(&sealed);
    err = (struct jw_err){0};
    fuzz_error(jw_cache_entry_check(&src, name, &e, &err), &err);
}

/* Whatever was read of a damaged index makes a sound one. */
static void check_index(struct jw_bytes file)
{
    FREED(jw_cache_index) index, again;
    FREED(jw_buf) written = JW_BUF(file.n + JW_CACHE_INDEX_HEADER);
    struct jw_err err = {0};
    bool whole = jw_cache_index_read(file, &index, &err) == JW_INDEX_WHOLE;

    fuzz_error(whole || !file.n, &err);
    FUZZ_CHECK(jw_cache_index_write(&index, &written, &err));
    FUZZ_CHECK(!whole || fuzz_same(jw_buf_bytes(&written), (struct jw_bytes){file.p, index.end}));
    FUZZ_CHECK(jw_cache_index_read(jw_buf_bytes(&written), &again, &err) == JW_INDEX_WHOLE);
    FUZZ_CHECK(again.n == index.n && again.total == index.total);
}

FUZZ(jitcache)
{
    struct jw_bytes bytes = {data, size};

    check_entry(bytes);
    check_key(bytes);
    check_index(bytes);
}
