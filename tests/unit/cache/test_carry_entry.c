/* One entry for another build: the stamp changes, and nothing else; what is not sound is refused without a trace. */
#include "base/path.h"
#include "cache/format/carry_entry.h"
#include "check.h"
#include "os/files/file.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"

#include <stdlib.h>

static struct jw_arena arena;
static unsigned made;

/* A cache of one entry, and its name. */
static uint64_t one(struct cache *c, struct jw_bytes key, size_t payload)
{
    char name[16];

    (void)snprintf(name, sizeof name, "c%u", made++);
    *c = cache_make(&arena, jw_arena_str(&arena, name));
    uint64_t hash = key.n ? cache_add_key(c, key, payload) : cache_add(c, CACHE_BEFORE, "sm_86", 7, payload);

    cache_done(c);
    return hash;
}

static char *path_of(const struct cache *c, uint64_t hash)
{
    char *path = jw_path_join(&arena, c->root, jw_cache_name(hash).text);

    CHECK(path != NULL);
    return path;
}

static void refused(const struct cache *c, uint64_t hash, const char *word)
{
    const char *to = scratch("to");
    struct carried_entry out;
    struct jw_err err = { 0 };

    CHECK(!carry_entry(path_of(c, hash), hash, to, CACHE_NOW, &out, &err));
    CHECK_HAS(err.msg, word);
    CHECK_HAS(err.msg, jw_cache_name(hash).text);
    CHECK(!scratch_there(to));
}

TEST(only_the_stamp_changes)
{
    static const size_t sizes[] = { 100, 4096, 300 * 1024, 600 * 1024 };

    for (size_t i = 0; i < JW_COUNT(sizes); i++) {
        struct cache c, d;
        struct jw_err err = { 0 };
        struct carried_entry out;
        uint64_t old = one(&c, (struct jw_bytes){ NULL, 0 }, sizes[i]), name = 0;
        struct jw_buf before = cache_get(&c, old), now;

        /* What the driver of today would have made of it. */
        d = cache_make(&arena, "today");
        uint64_t want = cache_add(&d, CACHE_NOW, "sm_86", 7, sizes[i]);

        cache_done(&d);
        char *to = jw_path_join(&arena, c.root, "staged");
        CHECK(carry_entry(path_of(&c, old), old, to, CACHE_NOW, &out, &err));
        CHECK_TEXT(err.msg, "");
        CHECK(out.name == want);
        CHECK(carry_name(path_of(&c, old), CACHE_NOW, &name, &err) && name == want);
        now = JW_BUF((size_t)4 << 20);
        bool found = false;

        CHECK(jw_file_slurp(to, &now, &found, &err) && found && now.n == before.n);
        CHECK(memcmp(now.p + JW_CACHE_HEADER, CACHE_NOW, JW_CACHE_STAMP) == 0);
        memcpy(now.p + JW_CACHE_HEADER, CACHE_BEFORE, JW_CACHE_STAMP);
        CHECK(memcmp(now.p, before.p, before.n) == 0);
        CHECK(out.sizes.key_size + out.sizes.payload_size + JW_CACHE_HEADER == now.n);
        jw_buf_free(&now);
        jw_buf_free(&before);
        cache_remove(&d, want);
    }
}

TEST(every_damaged_byte_is_found)
{
    struct cache c;
    uint64_t hash = one(&c, (struct jw_bytes){ NULL, 0 }, 64);
    struct jw_buf whole = cache_get(&c, hash);

    for (size_t i = 0; i < whole.n; i++) {
        whole.p[i] ^= 0x20;
        cache_put(&c, jw_cache_name(hash).text, whole.p, whole.n);
        refused(&c, hash, "");
        whole.p[i] ^= 0x20;
    }
    for (size_t n = 0; n < whole.n; n++) {
        cache_put(&c, jw_cache_name(hash).text, whole.p, n);
        refused(&c, hash, "");
    }
    jw_buf_free(&whole);
}

TEST(what_is_no_module_is_refused)
{
    static const char opencl[] =
        CACHE_BEFORE "HOST64sm_86.version 8.4\n.target sm_86\n\0 --reserve-null-pointer";
    static const char no_stamp[] = "__kernel void k(__global float *x) { x[0] = 1.0f; }";
    struct cache c;
    uint64_t hash = one(&c, (struct jw_bytes){ (const uint8_t *)opencl, sizeof opencl - 1 }, 64);

    refused(&c, hash, "it is OpenCL's");
    hash = one(&c, (struct jw_bytes){ (const uint8_t *)no_stamp, sizeof no_stamp - 1 }, 64);
    refused(&c, hash, "begins with no stamp");
}

TEST(a_file_that_is_gone_or_in_the_way)
{
    struct cache c;
    struct carried_entry out;
    struct jw_err err = { 0 };
    uint64_t hash = one(&c, (struct jw_bytes){ NULL, 0 }, 64), name;

    CHECK(!carry_entry(scratch("nothing"), hash, scratch("to"), CACHE_NOW, &out, &err));
    CHECK(err.code == JW_E_IO && !scratch_there(scratch("to")));
    CHECK(!carry_name(scratch("nothing"), CACHE_NOW, &name, &err));
    CHECK(!carry_entry(path_of(&c, hash), hash, scratch("no/such/folder"), CACHE_NOW, &out, &err));
    CHECK(!carry_entry(path_of(&c, hash), hash, scratch("to"), "yesterday", &out, &err));
    CHECK_HAS(err.msg, "not of a form that is known");
}

int main(int argc, char **argv)
{
    scratch_begin();
    int code = RUN(argc, argv, T(only_the_stamp_changes), T(every_damaged_byte_is_found),
                   T(what_is_no_module_is_refused), T(a_file_that_is_gone_or_in_the_way));

    jw_arena_free(&arena);
    return code;
}
