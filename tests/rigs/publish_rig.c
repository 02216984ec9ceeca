#include "publish_rig.h"

#include "base/path.h"
#include "os/files/file.h"
#include "rigs/scratch.h"

struct jw_arena pub_arena;

const char *pub_folder(void) { return tree_path(&pub_arena, "root"); }

struct cache pub_cache(void) { return cache_make(&pub_arena, "root"); }

void pub_begin(void) { scratch_empty(tree_path(&pub_arena, ".")); }

struct jw_publish_entry pub_entry(unsigned n, size_t size)
{
    struct cache from = cache_make(&pub_arena, "from");
    struct jw_publish_entry e = {.name = cache_add(&from, CACHE_NOW, "sm_86", n, size)};

    e.from = jw_path_join(&pub_arena, from.folder, jw_cache_name(e.name).text);
    CHECK(e.from != NULL);
    e.size = from.index.total;
    jw_cache_index_free(&from.index);
    return e;
}

const char *pub_target(uint64_t name)
{
    const char *path = jw_path_join(&pub_arena, pub_folder(), jw_cache_name(name).text);

    CHECK(path != NULL);
    return path ? path : "";
}

struct jw_publish_entry pub_again(const struct jw_publish_entry *e)
{
    bool again = e->result == JW_PUBLISH_REFUSED && e->from && scratch_there(e->from);

    return (struct jw_publish_entry){.name = e->name, .from = again ? e->from : NULL};
}

void pub_add(struct jw_publish_entry *list, size_t n)
{
    struct jw_publisher *p = NULL;
    struct jw_err err = {0};

    CHECK(jw_publisher_open(&p, pub_folder(), &err));
    CHECK_OK(p && jw_publisher_add(p, list, n, &pub_arena, &err), err);
    jw_publisher_close(p);
}

void pub_refused(struct jw_publish_entry *e, const char *words)
{
    bool was = e->from && scratch_there(e->from);

    pub_add(e, 1);
    CHECK_NUM(e->result, JW_PUBLISH_REFUSED);
    CHECK_HAS(e->why ? e->why : "", words);
    CHECK(!was || scratch_there(e->from));
}

struct jw_cache_listing pub_list(void)
{
    struct jw_cache_listing l = {0};
    struct jw_err err = {0};

    CHECK_OK(jw_cache_list(pub_folder(), true, NULL, &pub_arena, &l, &err), err);
    return l;
}

void pub_expect(size_t files, size_t records)
{
    FREED(jw_cache_listing) l = pub_list();
    size_t damaged = 0, orphans = 0, wrong = 0;

    for (size_t i = 0; i < l.n; i++) {
        const struct jw_cache_file *f = &l.files[i];

        damaged += f->damage != NULL;
        orphans += !f->indexed;
        wrong += f->indexed && f->recorded != f->entry.key_size + f->entry.payload_size;
    }
    CHECK_NUM(l.n, files);
    CHECK_NUM(damaged, 0);
    CHECK_NUM(orphans, files - records);
    CHECK_NUM(wrong, 0);
    CHECK_TEXT(l.index_damage ? l.index_damage : "", "");
    CHECK_NUM(l.index.n, records);
    CHECK_NUM(l.missing, 0);
    CHECK_NUM(l.foreign, 0);
}

struct jw_buf pub_slurp(const char *path)
{
    struct jw_buf bytes = JW_BUF(1 << 24);
    bool found = false;

    CHECK(jw_file_slurp(path, &bytes, &found, JW_IGNORED) && found);
    return bytes;
}

void pub_write(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(p, 1, n, f) == n);
    CHECK(f && fclose(f) == 0);
}
