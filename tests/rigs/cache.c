#include "cache.h"

#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "os/files/folder.h"
#include "os/sys.h"
#include "rigs/cache_entry.h"

enum { MAX = 1 << 20 };

struct cache cache_make(struct jw_arena *a, const char *name)
{
    return (struct cache){.a = a, .name = name, .folder = tree_dir(a, name)};
}

/* As a driver does it: in place, and nothing is synced, for tests make thousands. */
void cache_put(struct cache *c, const char *below, const void *p, size_t n)
{
    const char *path = jw_path_join(c->a, c->folder, below),
               *dir = path ? jw_path_dir(c->a, path) : NULL;
    struct jw_folder folder = JW_FOLDER_CLOSED;
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err err = {0};
    bool found;

    CHECK_OK(
        dir && jw_make_dirs(dir, &err) && jw_folder_open(&folder, dir, &err)
            && jw_folder_open_file(&folder, jw_path_base(path), JW_FOLDER_MAKE, &f, &found, &err)
            && jw_file_truncate(&f, 0, &err) && jw_file_write(&f, 0, p, n, &err),
        err);
    jw_file_close(&f);
    jw_folder_close(&folder);
}

uint64_t cache_add_key(struct cache *c, struct jw_bytes key, size_t size)
{
    FREED(jw_buf) payload = JW_BUF(MAX), file = JW_BUF(MAX);
    uint64_t name = 0;

    jw_buf_add(&payload, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\276\0", 20);
    jw_buf_fill(&payload, 0, size > 20 ? size - 20 : 0);
    CHECK(cache_entry_write(&file, key, jw_buf_bytes(&payload), &name, JW_IGNORED));
    CHECK(jw_cache_index_add(&c->index, (struct jw_cache_record){name, key.n + payload.n},
                             JW_IGNORED));
    cache_put(c, jw_cache_name(name).text, file.p, file.n);
    return name;
}

uint64_t cache_add(struct cache *c, const char *stamp, const char *arch, unsigned n, size_t size)
{
    FREED(jw_buf) ptx = JW_BUF(MAX), key = JW_BUF(MAX);

    jw_buf_printf(&ptx, ".version 8.0\n.target sm_70\n.address_size 64\n// %u\n", n);
    jw_cache_key_make(&key, stamp, arch, jw_buf_bytes(&ptx), 2, NULL);

    return cache_add_key(c, jw_buf_bytes(&key), size);
}

void cache_forget(struct cache *c, uint64_t hash)
{
    for (size_t i = 0; i < c->index.n; i++) {
        if (c->index.list[i].hash != hash)
            continue;
        c->index.total -= c->index.list[i].size;
        c->index.list[i] = c->index.list[--c->index.n];
        return;
    }
    check_failed(__FILE__, __LINE__, "a record to forget");
}

void cache_done(struct cache *c)
{
    FREED(jw_buf) file = JW_BUF(MAX * 16);

    CHECK(jw_cache_index_write(&c->index, &file, JW_IGNORED));
    cache_put(c, "index", file.p, file.n);
    jw_cache_index_free(&c->index);
}

struct jw_buf cache_get(struct cache *c, uint64_t hash)
{
    struct jw_buf file = JW_BUF(MAX);
    const char *path = jw_path_join(c->a, c->folder, jw_cache_name(hash).text);
    bool found = false;

    CHECK(path && jw_file_slurp(path, &file, &found, JW_IGNORED) && found);
    return file;
}

void cache_remove(struct cache *c, uint64_t hash)
{
    const char *path = jw_path_join(c->a, c->folder, jw_cache_name(hash).text);

    CHECK(path != NULL);
    if (path)
        jw_sys_remove(path);
}
