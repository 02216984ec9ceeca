#include "base/path.h"
#include "cache/memory/state.h"
#include "cache/place/cachedir.h"
#include "check.h"
#include "machine/trust.h"
#include "rigs/as_nobody.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *join(struct jw_arena *a, const char *dir, const char *name)
{
    const char *path = jw_path_join(a, dir, name);

    CHECK(path != NULL);
    return path ? path : "";
}

TEST(links_are_not_followed)
{
    struct jw_arena a = { 0 };
    struct cache real = cache_make(&a, "real"), c = cache_make(&a, "links");
    struct jw_cache_listing l;
    struct jw_err err = { 0 };
    uint64_t name = cache_add(&real, CACHE_NOW, "sm_86", 1, 100);
    const struct jw_cache_name entry = jw_cache_name(name);
    char folder[] = { entry.text[0], '\0' };

    cache_done(&real);
    CHECK(symlink(join(&a, real.root, folder), join(&a, c.root, folder)) == 0);
    (void)tree_dir(&a, "links/g");
    CHECK(symlink("/nowhere", join(&a, c.root, "0")) == 0 || entry.text[0] == '0');
    CHECK(mkdir(join(&a, c.root, "e"), 0700) == 0 && mkdir(join(&a, c.root, "e/e"), 0700) == 0);
    CHECK(symlink(join(&a, real.root, entry.text), join(&a, c.root, "e/e/3e06b9e6ec62aa")) == 0);
    CHECK(jw_cachedir_list(c.root, true, &a, &l, &err));
    CHECK_NUM(l.n, 0);
    CHECK_NUM(l.links, entry.text[0] == '0' ? 2 : 3);
    CHECK_NUM(l.foreign, 1);
    jw_cache_listing_free(&l);
    /* The root itself may be one: people move their cache to another disk. */
    CHECK(symlink(real.root, tree_path(&a, "to-real")) == 0);
    CHECK(jw_cachedir_list(tree_path(&a, "to-real"), true, &a, &l, &err));
    CHECK(l.n == 1 && l.links == 0);
    jw_cache_listing_free(&l);
    jw_arena_free(&a);
}

TEST(what_is_no_file)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "odd");
    struct jw_cache_listing l;
    struct jw_err err = { 0 };

    (void)tree_dir(&a, "odd/a/b");
    CHECK(mkfifo(join(&a, c.root, "a/b/3e06b9e6ec62aa"), 0600) == 0);
    CHECK(mkfifo(join(&a, c.root, "index"), 0600) == 0);
    CHECK(jw_cachedir_list(c.root, true, &a, &l, &err));
    CHECK_NUM(l.n, 0);
    CHECK_NUM(l.foreign, 1);
    CHECK_HAS(l.index_damage, "is not a regular file");
    jw_cache_listing_free(&l);
    jw_arena_free(&a);
}

/* A terabyte that is not there, under a header that says so: refused by its size, not read. */
TEST(a_huge_file)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "huge");
    struct jw_cache_listing l;
    struct jw_err err = { 0 };
    uint8_t head[JW_CACHE_HEADER] = { 0x41 };
    const char *path;
    int fd;

    jw_put64(head + 4, 100);
    jw_put64(head + 12, ((uint64_t)1 << 40) - 128);
    cache_put(&c, "a/b/3e06b9e6ec62aa", head, sizeof head);
    path = join(&a, c.root, "a/b/3e06b9e6ec62aa");
    fd = open(path, O_WRONLY);
    if (fd < 0 || ftruncate(fd, (off_t)1 << 40) != 0) {
        (void)close(fd);
        SKIP("this file system has no sparse files");
    }
    (void)close(fd);
    CHECK(jw_cachedir_list(c.root, true, &a, &l, &err));
    CHECK(l.n == 1 && l.files[0].damage && !l.files[0].unread);
    CHECK(l.bytes_read < 1 << 20);
    jw_cache_listing_free(&l);
    CHECK(unlink(path) == 0);
    jw_arena_free(&a);
}

static void prepare_rights(const char *folder)
{
    struct jw_arena a = { 0 };

    CHECK(mkdir(join(&a, folder, "1"), 0755) == 0 && mkdir(join(&a, folder, "2"), 0700) == 0);
    CHECK(mkdir(join(&a, folder, "1/1"), 0755) == 0);
    scratch_write(join(&a, folder, "1/1/3e06b9e6ec62aa"), "secret");
    CHECK(chmod(join(&a, folder, "1/1/3e06b9e6ec62aa"), 0) == 0);
    jw_arena_free(&a);
}

static void look_without_rights(const char *folder)
{
    struct jw_arena a = { 0 };
    struct jw_cache_listing l;
    struct jw_err err = { 0 };

    CHECK(jw_cachedir_list(folder, false, &a, &l, &err));
    CHECK(l.found && l.n == 1 && l.files[0].unread);
    CHECK_HAS(l.files[0].damage, "permission denied");
    CHECK_NUM(l.notes.n, 1);
    CHECK_HAS(l.notes.v[0], "2: permission denied");
    jw_cache_listing_free(&l);
    jw_arena_free(&a);
}

TEST(without_rights)
{
    scratch_begin();
    as_nobody(look_without_rights, prepare_rights);
}

TEST(whose_folder)
{
    struct jw_arena a = { 0 };
    struct jw_trust t;
    struct jw_err err = { 0 };
    const char *dir = tree_dir(&a, "trust");

    CHECK(chmod(dir, 0700) == 0 && jw_trust_read(dir, &a, &t, &err));
    CHECK(t.exists && !t.owner && !t.writers);
    CHECK(chmod(dir, 0777) == 0 && jw_trust_read(dir, &a, &t, &err));
    CHECK_TEXT(t.writers, "everybody");
    CHECK(jw_trust_read(tree_path(&a, "not-there"), &a, &t, &err) && !t.exists);
    if (geteuid() == 0) {
        CHECK(chown(dir, 12345, 54321) == 0 && chmod(dir, 0770) == 0 && jw_trust_read(dir, &a, &t, &err));
        CHECK_TEXT(t.owner, "user 12345");
        CHECK_TEXT(t.writers, "its group");
        CHECK(chown(dir, 0, 0) == 0);
    }
    jw_arena_free(&a);
}

TEST(the_state_folder_is_private)
{
    static const struct jw_driver_state s = { .build = "gnu:1", .level = JW_LEVEL_OPAQUE };
    struct jw_arena a = { 0 };
    struct jw_driver_state got;
    struct jw_driver_states all;
    struct jw_err err = { 0 };
    const char *dir = tree_path(&a, "state/above/jitwarm"), *why;
    bool found;
    struct stat st;

    cache_env("JITWARM_STATE", dir);
    CHECK(jw_state_save_driver(&s, &err));
    CHECK(stat(dir, &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(jw_state_load_driver("gnu:1", &a, &got, &found, &why, &err) && found);
    /* Where everybody may write, anybody may have. */
    CHECK(chmod(dir, 0777) == 0);
    CHECK(jw_state_load_driver("gnu:1", &a, &got, &found, &why, &err) && !found);
    CHECK_HAS(why, "everybody may write");
    CHECK(jw_state_list_drivers(&a, &all, &err) && all.n == 0 && all.notes.n == 1);
    CHECK(chmod(dir, 0755) == 0);
    CHECK(stat(join(&a, dir, "drivers"), &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(chmod(join(&a, dir, "drivers"), 0777) == 0);
    CHECK(jw_state_load_driver("gnu:1", &a, &got, &found, &why, &err) && !found);
    CHECK_HAS(why, "drivers: everybody may write to the folder");
    CHECK(jw_state_list_drivers(&a, &all, &err) && all.n == 0 && all.notes.n == 1);
    CHECK(chmod(join(&a, dir, "drivers"), 0755) == 0
          && chmod(join(&a, dir, "drivers/gnu-1.json"), 0666) == 0);
    CHECK(jw_state_load_driver("gnu:1", &a, &got, &found, &why, &err) && !found);
    CHECK_HAS(why, "everybody may write to the file");
    CHECK(jw_state_list_drivers(&a, &all, &err) && all.n == 0 && all.notes.n == 1);
    CHECK(chmod(join(&a, dir, "drivers/gnu-1.json"), 0644) == 0);
    CHECK(jw_state_load_driver("gnu:1", &a, &got, &found, &why, &err) && found);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(without_rights), T(links_are_not_followed), T(what_is_no_file), T(a_huge_file),
               T(whose_folder), T(the_state_folder_is_private));
}
