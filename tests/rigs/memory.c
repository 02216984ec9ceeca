#include "memory.h"

#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "tree.h"
#include "variables.h"

#include <string.h>

struct jw_cache_memory memory_begin(struct jw_arena *a, const char *name)
{
    const char *cache = jw_path_join(a, tree_path(a, "caches-of-users"), name);
    struct jw_cache_memory f;
    struct jw_err err = {0};

    set_variable("JITWARM_STATE", tree_path(a, name));
    CHECK_OK(jw_cache_memory_find(cache, a, &f, &err), err);
    return f;
}

const char *memory_path(const struct jw_cache_memory *f, struct jw_arena *a, const char *file)
{
    bool of_lock = strcmp(file, "lock") == 0 || strcmp(file, "holder") == 0;

    return jw_path_join(a, of_lock ? f->lock : f->dir, file);
}

struct jw_cache_lock *memory_lock(const struct jw_cache_memory *f)
{
    struct jw_cache_lock *l = NULL;
    struct jw_lock_holder holder;
    struct jw_err err = {0};

    CHECK_OK(jw_cache_lock(f, &l, &holder, &err), err);
    CHECK(l != NULL && holder.pid == 0);
    return l;
}

static void put(const char *path, const uint8_t *p, size_t n)
{
    struct jw_err err = {0};

    CHECK_OK(jw_file_put(path, JW_OUT_REPLACE | JW_OUT_PRIVATE | JW_OUT_FAST,
                         (struct jw_bytes){p, n}, &err),
             err);
}

void memory_spoil(const struct jw_cache_memory *f, const char *file,
                  void (*try)(const struct jw_cache_memory *f))
{
    FREED(jw_arena) a = {0};
    const char *path = memory_path(f, &a, file);
    FREED(jw_buf) good = JW_BUF(JW_MAX_STATE), other = JW_BUF(JW_MAX_STATE);
    bool found;

    CHECK(jw_file_slurp(path, &good, &found, JW_IGNORED) && found && good.n > JW_RECORD_FRAME);
    jw_buf_add(&good, "x", 1); /* longer than it is */
    for (size_t n = 0; n <= good.n; n++)
        if (n != good.n - 1) {
            put(path, good.p, n);
            try(f);
        }
    for (size_t i = 0; i + 1 < good.n; i++) {
        good.p[i] ^= 0x41;
        put(path, good.p, good.n - 1);
        try(f);
        good.p[i] ^= 0x41;
    }
    jw_record_put(&other, 4711, (const struct jw_field[]){{0}}, NULL);
    put(path, other.p, other.n);
    try(f);
    put(path, good.p, good.n - 1);
}
