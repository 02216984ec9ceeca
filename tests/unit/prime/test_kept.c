/* PTX that is in no file: kept with its entry's key, and removed when no root needs it. */
#include "prime/kept.h"

#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"

static struct jw_cache_memory folder_of(struct jw_arena *a, const char *name)
{
    return (struct jw_cache_memory){.cache = scratch("cache"), .dir = tree_dir(a, name)};
}

static const char *entry_of(struct cache *c, uint64_t name, struct jw_cache_entry *e)
{
    FREED(jw_buf) bytes = cache_get(c, name);
    struct jw_err err = {0};

    CHECK_OK(jw_cache_entry_read(jw_buf_bytes(&bytes), bytes.n, e, &err), err);
    return jw_arena_printf(c->a, "%s/%s", c->folder, jw_cache_name(name).text);
}

TEST_ARENA(head_and_key_are_kept_without_the_code)
{
    struct cache c = cache_make(a, "cache");
    struct jw_cache_memory f = folder_of(a, "kept");
    uint64_t name = cache_add(&c, CACHE_NOW, "sm_86", 1, 5000), room = 1 << 20;
    const uint8_t id[JW_DIGEST] = {1}, other[JW_DIGEST] = {2};
    struct jw_cache_entry e;
    struct jw_file_info info;
    const char *entry = entry_of(&c, name, &e);

    CHECK_OK(jw_kept_put(&f, entry, e.key_size, id, &room, &err), err);
    CHECK_OK(jw_file_stat(jw_kept_path(&f, id, a), &info, &err), err);
    CHECK_NUM(info.size, JW_CACHE_HEADER + e.key_size);
    CHECK_NUM(room, (1 << 20) - info.size);
    CHECK_OK(jw_kept_put(&f, entry, e.key_size, id, &room, &err), err);
    CHECK_NUM(room, (1 << 20) - info.size); /* it was there */
    CHECK_REFUSED(jw_kept_put(&f, entry, 1 << 16, other, &room, &err), err, "ends early");
    room = 20;
    CHECK_REFUSED(
        jw_kept_put(&f, entry, e.key_size, other, &room, (err = (struct jw_err){0}, &err)), err,
        "256 MiB");
    CHECK(err.code == JW_E_LIMIT && !scratch_there(jw_kept_path(&f, other, a)));
    cache_done(&c);
}

TEST_ARENA(a_sweep_leaves_what_roots_need)
{
    struct cache c = cache_make(a, "cache");
    struct jw_cache_memory f = folder_of(a, "swept");
    uint64_t name = cache_add(&c, CACHE_NOW, "sm_86", 1, 50), room = 1 << 20;
    struct jw_root_module modules[] = {{.id = {1}}, {.digest = {2}, .file = "/lib/in-a-file.so"}};
    struct jw_root root = {.kind = JW_ROOT_COMMAND, .modules = modules, .n_modules = 2};
    struct jw_cache_entry e;
    const char *entry = entry_of(&c, name, &e);

    for (uint8_t n = 1; n <= 3; n++)
        CHECK_OK(jw_kept_put(&f, entry, e.key_size, (const uint8_t[JW_DIGEST]){n}, &room, &err),
                 err);
    CHECK_OK(jw_file_put(jw_path_join(a, f.dir, "03.58.kept"), JW_OUT_NEW,
                         JW_BYTES("another version's"), &err),
             err);
    CHECK_NUM(jw_kept_sweep(&f, &(struct jw_roots){.v = &root, .n = 1}),
              JW_CACHE_HEADER + e.key_size);
    CHECK(scratch_there(jw_kept_path(&f, modules[0].id, a)));
    CHECK_NUM(scratch_count(f.dir), 2);
    (void)jw_kept_sweep(&f, &(struct jw_roots){.damaged = "cannot be read"});
    CHECK_NUM(scratch_count(f.dir), 2);
    CHECK_NUM(jw_kept_sweep(&f, &(struct jw_roots){0}), 0);
    CHECK_NUM(scratch_count(f.dir), 1);
    cache_done(&c);
}
