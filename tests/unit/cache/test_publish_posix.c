/* A root with links, strange files and other people's folders in it. */
#include "rigs/publish_rig.h"

#include "base/path.h"
#include "rigs/scratch.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *below(const char *root, const char *name)
{
    const char *path = jw_path_join(&pub_arena, root, name);

    CHECK(path != NULL);
    return path ? path : "";
}

/* "ROOT/4" of ROOT/4/2/3e06b9e6ec62aa */
static const char *level(const struct jw_pub_entry *e, int n)
{
    char name[20];

    (void)snprintf(name, sizeof name, "%.*s", n, jw_cache_name(e->name).text);
    return below(pub_root(), name);
}

TEST(no_link_is_followed)
{
    static const int levels[] = { 1, 3, 18 };
    struct jw_pub_entry e;

    for (size_t i = 0; i < 3; i++) {
        pub_begin();
        e = pub_entry(1, 300);

        const char *away = tree_dir(&pub_arena, "away"), *at = level(&e, levels[i]);

        /* What the links lead to would do: a folder of folders, and a damaged file that is asking to be replaced. */
        CHECK(mkdir(below(away, "x"), 0700) == 0);
        scratch_write(below(away, "file"), "theirs");
        CHECK(mkdir(pub_root(), 0700) == 0);
        CHECK(levels[i] < 3 || mkdir(level(&e, 1), 0700) == 0);
        CHECK(levels[i] < 18 || mkdir(level(&e, 3), 0700) == 0);
        CHECK(symlink(levels[i] < 18 ? away : below(away, "file"), at) == 0);
        pub_refused(&e, "is a link");
        CHECK_HAS(e.why, at);
        e.replace = true;
        pub_refused(&e, "is a link");
        CHECK_NUM(scratch_count(away), 2);
        CHECK_NUM(scratch_count(below(away, "x")), 0);
        scratch_holds(below(away, "file"), "theirs");

        struct stat st;

        CHECK(lstat(at, &st) == 0 && S_ISLNK(st.st_mode));
    }
}

TEST(a_link_to_nothing_is_no_free_name)
{
    struct jw_pub_entry e;

    pub_begin();
    e = pub_entry(1, 300);
    CHECK(mkdir(pub_root(), 0700) == 0);
    CHECK(mkdir(level(&e, 1), 0700) == 0 && mkdir(level(&e, 3), 0700) == 0);
    CHECK(symlink(tree_path(&pub_arena, "nowhere"), pub_target(e.name)) == 0);
    pub_refused(&e, "is a link");
    CHECK(!scratch_there(tree_path(&pub_arena, "nowhere")));
}

TEST(an_index_that_is_a_link)
{
    struct jw_pub_entry e;
    const char *away;

    pub_begin();
    e = pub_entry(1, 300);
    away = tree_file(&pub_arena, "away-index", "");
    CHECK(mkdir(pub_root(), 0700) == 0 && symlink(away, below(pub_root(), "index")) == 0);
    pub_refused(&e, "root/index: is a link"); /* an entry without an index would be lost with it */
    scratch_holds(away, "");
}

TEST(the_source_is_a_link)
{
    struct jw_pub_entry e;
    const char *real;

    pub_begin();
    e = pub_entry(1, 300);
    real = e.from;
    e.from = tree_path(&pub_arena, "link");
    CHECK(symlink(real, e.from) == 0);
    pub_refused(&e, "is a link");
    CHECK(scratch_there(real));
}

TEST(the_root_may_be_a_link)
{
    struct jw_pub_entry e;

    pub_begin();
    e = pub_entry(1, 300);
    CHECK(symlink(tree_dir(&pub_arena, "other-disk"), pub_root()) == 0);
    (void)pub_add(&e, 1);
    CHECK_NUM(e.result, JW_PUB_PLACED);
    pub_expect(1, 1);
    CHECK_NUM(scratch_count(tree_path(&pub_arena, "other-disk")), 2);
}

TEST(strange_files)
{
    struct jw_pub_entry e;

    pub_begin();
    e = pub_entry(1, 300);
    CHECK(mkdir(pub_root(), 0700) == 0);
    scratch_write(level(&e, 1), "a file");
    pub_refused(&e, "is not a folder");
    CHECK(unlink(level(&e, 1)) == 0 && mkdir(level(&e, 1), 0700) == 0 && mkdir(level(&e, 3), 0700) == 0);
    CHECK(mkfifo(pub_target(e.name), 0600) == 0);
    pub_refused(&e, "is not a regular file");
    CHECK(unlink(pub_target(e.name)) == 0 && mkdir(pub_target(e.name), 0700) == 0);
    pub_refused(&e, "is a folder");
    CHECK(rmdir(pub_target(e.name)) == 0 && unlink(below(pub_root(), "index")) == 0);
    CHECK(mkfifo(below(pub_root(), "index"), 0600) == 0);
    pub_refused(&e, "index: is not a regular file");
    CHECK(unlink(below(pub_root(), "index")) == 0);
    e = pub_entry(2, 300);
    CHECK(unlink(e.from) == 0 && mkfifo(e.from, 0600) == 0);
    pub_refused(&e, "is not a regular file");
}

static void open_fails(const char *words)
{
    struct jw_publisher *p = NULL;
    struct jw_err err = { 0 };

    CHECK(!jw_publisher_open(&p, pub_root(), &err));
    CHECK(!p);
    CHECK_HAS(err.msg, pub_root());
    CHECK_HAS(err.msg, words);
}

TEST(folders_that_others_may_write_to)
{
    struct jw_pub_entry e;
    struct stat st;

    pub_begin();
    e = pub_entry(1, 300);
    (void)pub_add(&e, 1);
    CHECK(stat(pub_root(), &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(stat(level(&e, 1), &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(stat(level(&e, 3), &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(chmod(pub_root(), 0777) == 0);
    open_fails("everybody may write to it");
    CHECK(chmod(pub_root(), 0700) == 0);
    for (int n = 1; n <= 3; n += 2) {
        CHECK(chmod(level(&e, n), 0707) == 0);
        e = pub_entry(1, 300);
        pub_refused(&e, "everybody may write to it");
        CHECK_HAS(e.why, level(&e, n));
        CHECK(chmod(level(&e, n), 0700) == 0);
    }
    pub_expect(1, 1);
}

TEST(folders_of_others)
{
    struct jw_pub_entry e;

    if (geteuid() != 0)
        SKIP("giving folders to others needs root");
    pub_begin();
    e = pub_entry(1, 300);
    (void)pub_add(&e, 1);
    CHECK(chown(pub_root(), 1000, 1000) == 0);
    open_fails("is owned by user 1000, not by you");
    CHECK(chown(pub_root(), 0, 0) == 0 && chown(level(&e, 3), 1000, 1000) == 0);
    e = pub_entry(1, 300);
    pub_refused(&e, "is owned by user 1000, not by you");
}

int main(int argc, char **argv)
{
    scratch_begin();
    int code = RUN(argc, argv, T(no_link_is_followed), T(a_link_to_nothing_is_no_free_name),
                   T(an_index_that_is_a_link), T(the_source_is_a_link), T(the_root_may_be_a_link),
                   T(strange_files), T(folders_that_others_may_write_to), T(folders_of_others));

    jw_arena_free(&pub_arena);
    return code;
}
