/* A root with links, strange files and other people's folders in it. */
#include "rigs/faults.h"
#include "rigs/publish_rig.h"

#include "base/path.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#include "os/files/file.h"
#include "os/machine/time.h"
#include "rigs/as_nobody.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *below(const char *cache, const char *name)
{
    const char *path = jw_path_join(&pub_arena, cache, name);

    CHECK(path != NULL);
    return path ? path : "";
}

/* "ROOT/4" of ROOT/4/2/3e06b9e6ec62aa */
static const char *level(const struct jw_publish_entry *e, int n)
{
    char name[20];

    (void)snprintf(name, sizeof name, "%.*s", n, jw_cache_name(e->name).text);
    return below(pub_folder(), name);
}

EACH(pub_begin, NULL)

TEST(no_link_is_followed)
{
    static const int levels[] = {1, 3, 18};
    struct jw_publish_entry e;

    for (size_t i = 0; i < 3; i++) {
        pub_begin();
        e = pub_entry(1, 300);

        const char *away = tree_dir(&pub_arena, "away"), *at = level(&e, levels[i]);

        /* What the links lead to would do: a folder of folders, and a damaged file that is asking
         * to be replaced. */
        CHECK(mkdir(below(away, "x"), 0700) == 0);
        scratch_write(below(away, "file"), "theirs");
        CHECK(mkdir(pub_folder(), 0700) == 0);
        CHECK(levels[i] < 3 || mkdir(level(&e, 1), 0700) == 0);
        CHECK(levels[i] < 18 || mkdir(level(&e, 3), 0700) == 0);
        CHECK(symlink(levels[i] < 18 ? away : below(away, "file"), at) == 0);
        pub_refused(&e, "is a link");
        CHECK_HAS(e.why, at);
        CHECK_NUM(scratch_count(away), 2);
        CHECK_NUM(scratch_count(below(away, "x")), 0);
        scratch_holds(below(away, "file"), "theirs");

        struct stat st;

        CHECK(lstat(at, &st) == 0 && S_ISLNK(st.st_mode));
    }
}

TEST(a_link_to_nothing_is_replaced_and_not_followed)
{
    struct stat st;
    struct jw_publish_entry e = pub_entry(1, 300);

    CHECK(mkdir(pub_folder(), 0700) == 0);
    CHECK(mkdir(level(&e, 1), 0700) == 0 && mkdir(level(&e, 3), 0700) == 0);
    CHECK(symlink(tree_path(&pub_arena, "nowhere"), pub_target(e.name)) == 0);
    pub_add(&e, 1);
    CHECK(e.result == JW_PUBLISH_REPLACED);
    CHECK(lstat(pub_target(e.name), &st) == 0 && S_ISREG(st.st_mode));
    CHECK(!scratch_there(tree_path(&pub_arena, "nowhere")));
}

TEST(an_index_that_is_a_link)
{
    const char *away;
    struct jw_publish_entry e = pub_entry(1, 300);

    away = tree_file(&pub_arena, "away-index", "");
    CHECK(mkdir(pub_folder(), 0700) == 0 && symlink(away, below(pub_folder(), "index")) == 0);
    pub_refused(&e, "root/index: is a link"); /* an entry without an index would be lost with it */
    scratch_holds(away, "");
}

TEST(the_source_is_a_link)
{
    struct jw_publish_entry e = pub_entry(1, 300);
    const char *real = e.from;

    e.from = tree_path(&pub_arena, "link");
    CHECK(symlink(real, e.from) == 0);
    pub_refused(&e, "is a link");
    CHECK(scratch_there(real));
}

TEST(the_root_may_be_a_link)
{
    struct jw_publish_entry e = pub_entry(1, 300);

    CHECK(symlink(tree_dir(&pub_arena, "other-disk"), pub_folder()) == 0);
    pub_add(&e, 1);
    CHECK_NUM(e.result, JW_PUBLISH_PLACED);
    pub_expect(1, 1);
    CHECK_NUM(scratch_count(tree_path(&pub_arena, "other-disk")), 2);
}

TEST(strange_files)
{
    struct jw_publish_entry e = pub_entry(1, 300);

    CHECK(mkdir(pub_folder(), 0700) == 0);
    scratch_write(level(&e, 1), "a file");
    pub_refused(&e, "is not a folder");
    CHECK(unlink(level(&e, 1)) == 0 && mkdir(level(&e, 1), 0700) == 0
          && mkdir(level(&e, 3), 0700) == 0);
    CHECK(mkfifo(pub_target(e.name), 0600) == 0);
    pub_refused(&e, "is not a regular file");
    CHECK(unlink(pub_target(e.name)) == 0 && mkdir(pub_target(e.name), 0700) == 0);
    pub_refused(&e, "is a folder");
    CHECK(rmdir(pub_target(e.name)) == 0 && unlink(below(pub_folder(), "index")) == 0);
    CHECK(mkfifo(below(pub_folder(), "index"), 0600) == 0);
    pub_refused(&e, "index: is not a regular file");
    CHECK(unlink(below(pub_folder(), "index")) == 0);
    e = pub_entry(2, 300);
    CHECK(unlink(e.from) == 0 && mkfifo(e.from, 0600) == 0);
    pub_refused(&e, "is not a regular file");
}

static void open_fails(const char *words)
{
    struct jw_publisher *p = NULL;
    struct jw_err err = {0};

    CHECK(!jw_publisher_open(&p, pub_folder(), &err));
    CHECK(!p);
    CHECK_HAS(err.msg, pub_folder());
    CHECK_HAS(err.msg, words);
}

TEST(folders_that_others_may_write_to)
{
    struct stat st;
    struct jw_publish_entry e = pub_entry(1, 300);

    pub_add(&e, 1);
    CHECK(stat(pub_folder(), &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(stat(level(&e, 1), &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(stat(level(&e, 3), &st) == 0 && (st.st_mode & 0777) == 0700);
    CHECK(chmod(pub_folder(), 0777) == 0);
    open_fails("everybody may write to it");
    CHECK(chmod(pub_folder(), 0700) == 0);
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
    struct jw_publish_entry e;

    if (geteuid() != 0)
        SKIP("giving folders to others needs root");
    e = pub_entry(1, 300);
    pub_add(&e, 1);
    CHECK(chown(pub_folder(), 1000, 1000) == 0);
    open_fails("is owned by user 1000, not by you");
    CHECK(chown(pub_folder(), 0, 0) == 0 && chown(level(&e, 3), 1000, 1000) == 0);
    e = pub_entry(1, 300);
    pub_refused(&e, "is owned by user 1000, not by you");
}

/* Disks that are full, read-only, elsewhere or gone, and a publisher that is killed at any instant.
 * Root alone can set up some of the disks, in a mount namespace of its own. */
enum { LIST = 12 };

static void make_list(struct jw_publish_entry *list, size_t size)
{
    for (unsigned i = 0; i < LIST; i++)
        list[i] = pub_entry(i, size);
}

/* `before` are there, and it fails after some more; those are there with their records, the others
 * where they were, and nothing is left over. */
static void add_fails(struct jw_publish_entry *list, size_t before, const char *words)
{
    struct jw_publisher *p = NULL;
    struct jw_err err = {0};
    size_t placed = 0, pending = 0;

    CHECK(jw_publisher_open(&p, pub_folder(), &err));
    CHECK(p && !jw_publisher_add(p, list, LIST, &pub_arena, &err));
    CHECK_HAS(err.msg, pub_folder());
    CHECK_HAS(err.msg, words);
    while (placed < LIST && list[placed].result == JW_PUBLISH_PLACED)
        placed++;
    for (size_t i = placed; i < LIST; i++)
        CHECK(list[i].result == JW_PUBLISH_REFUSED && scratch_there(list[i].from));

    for (size_t i = 0; i < placed; i++)
        pending += list[i].why != NULL;
    jw_publisher_close(p);
    pub_expect(before + placed, before + placed - pending);
    printf("  %zu of %d placed, then: %s\n", placed, LIST, err.msg);
}

/* A move takes no room; a folder for it may. */
static void with_inodes(void)
{
    struct jw_publish_entry list[LIST];

    if (!mount_at(tree_path(&pub_arena, "."), "nr_inodes=90,mode=700"))
        SKIP("no tmpfs");
    make_list(list, 300);
    for (unsigned i = 0;; i++) { /* five are left: the root, the folders of one entry or two */
        char name[32];

        (void)snprintf(name, sizeof name, "fill-%u", i);
        if (mkdir(tree_path(&pub_arena, name), 0700) != 0)
            break;
    }
    for (unsigned i = 0; i < 5; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "fill-%u", i);
        CHECK(rmdir(tree_path(&pub_arena, name)) == 0);
    }
    add_fails(list, 0, "the disk is full");
}

TEST(no_room_for_another_folder) { in_child("with_inodes", with_inodes); }

static void read_only(void)
{
    struct jw_publish_entry list[LIST];

    if (!mount_at(tree_path(&pub_arena, "."), "mode=700"))
        SKIP("no tmpfs");
    make_list(list, 300);
    pub_add(list, 1);
    list[0] = pub_entry(100, 300);
    for (unsigned i = 0; i < LIST; i++)
        list[i].synced = true; /* such a disk opens no file for writing, either */
    CHECK(mount("jw", tree_path(&pub_arena, "."), "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) == 0);
    add_fails(list, 1, "the file system is read-only");
}

TEST(a_read_only_disk) { in_child("read_only", read_only); }

/* ---- elsewhere, gone, not ours to write ---- */

static void from_elsewhere(void)
{
    struct jw_publish_entry list[LIST];

    if (!mount_at(pub_folder(), "mode=700"))
        SKIP("no tmpfs");
    make_list(list, 300);
    add_fails(list, 0, "cross-device");
}

TEST(another_file_system) { in_child("from_elsewhere", from_elsewhere); }

TEST(a_root_that_vanishes)
{
    struct jw_publisher *p = NULL;
    struct jw_publish_entry e = pub_entry(1, 300);

    CHECK(jw_publisher_open(&p, pub_folder(), &err));
    CHECK(rmdir(pub_folder()) == 0);
    CHECK_REFUSED(jw_publisher_add(p, &e, 1, &pub_arena, &err), err, pub_folder());
    CHECK_HAS(err.msg, "its folder vanished");
    CHECK(e.result == JW_PUBLISH_REFUSED && scratch_there(e.from));
    jw_publisher_close(p);
    CHECK(!scratch_there(pub_folder()));
}

/* The index is removed between two batches, as a user does who clears the cache. */
TEST(an_index_that_vanishes)
{
    struct jw_publisher *p = NULL;
    struct jw_publish_entry e = pub_entry(1, 300);

    CHECK(jw_publisher_open(&p, pub_folder(), &err)
          && jw_publisher_add(p, &e, 1, &pub_arena, &err));
    scratch_empty(pub_folder());
    e = pub_entry(2, 300);
    CHECK_OK(jw_publisher_add(p, &e, 1, &pub_arena, &err), err);
    jw_publisher_close(p);
    pub_expect(1, 1);
}

static uint64_t forbidden; /* name of the entry that nobody may place */

/* A root that may be read only, and an entry of theirs to place in it. */
static void begin_forbidden(const char *folder)
{
    char cache[256], own[256], file[300];
    struct jw_publish_entry e;
    struct jw_buf bytes;
    bool give = geteuid() == 0;

    pub_begin();
    e = pub_entry(1, 300);
    bytes = pub_slurp(e.from);
    forbidden = e.name;
    (void)snprintf(cache, sizeof cache, "%s/root", folder);
    (void)snprintf(own, sizeof own, "%s/own", folder);
    (void)snprintf(file, sizeof file, "%s/entry", own);
    CHECK(mkdir(cache, 0500) == 0 && mkdir(own, 0700) == 0);
    pub_write(file, bytes.p, bytes.n);
    jw_buf_free(&bytes);
    CHECK(!give || (chown(cache, NOBODY, NOBODY) == 0 && chown(own, NOBODY, NOBODY) == 0));
    CHECK(give ? chown(file, NOBODY, NOBODY) == 0 : chmod(folder, 0555) == 0);
}

static void ask_forbidden(const char *folder)
{
    struct jw_publisher *p = NULL;
    struct jw_publish_entry e = {.name = forbidden};
    struct jw_err err = {0};
    char path[256], file[256];

    (void)snprintf(path, sizeof path, "%s/root", folder);
    (void)snprintf(file, sizeof file, "%s/own/entry", folder);
    CHECK(jw_publisher_open(&p, path, &err));
    CHECK(jw_publisher_add(p, &e, 1, &pub_arena,
                           &err)); /* reading is allowed: it is just not there */
    CHECK_HAS(e.why ? e.why : "", "no such file");
    e.from = file;
    CHECK_REFUSED(jw_publisher_add(p, &e, 1, &pub_arena, &err), err, path);
    CHECK_HAS(err.msg, "permission denied");
    CHECK(e.result == JW_PUBLISH_REFUSED && scratch_there(file));
    CHECK_TEXT(e.why, err.msg);
    jw_publisher_close(p);

    err = (struct jw_err){0};
    (void)snprintf(path, sizeof path, "%s/new", folder);
    CHECK_REFUSED(jw_publisher_open(&p, path, &err), err, path);
    CHECK_HAS(err.msg, "permission denied");
}

TEST(no_rights) { as_nobody(ask_forbidden, begin_forbidden); }

/* ---- locks and kills ---- */

/* A program that holds the index's lock as the driver takes it, until it is asked to let go. */
static pid_t hold_lock(const char *index, int *let_go)
{
    int tell[2], ready[2];
    char c;

    CHECK(pipe(tell) == 0 && pipe(ready) == 0);

    pid_t pid = fork();

    if (pid == 0) {
        struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = open(index, O_RDWR);
        bool ok = fd >= 0 && fcntl(fd, F_SETLK, &all) == 0 && write(ready[1], "x", 1) == 1;

        (void)close(tell[1]);
        _exit(ok && read(tell[0], &c, 1) == 0 ? 0 : 1);
    }
    (void)close(tell[0]);
    CHECK(pid > 0 && read(ready[0], &c, 1) == 1);
    (void)close(ready[0]);
    (void)close(ready[1]);
    *let_go = tell[1];
    return pid;
}

TEST(a_lock_that_lasts)
{
    struct jw_publisher *p = NULL;
    struct jw_publish_entry list[2];
    int let_go = -1, status = -1;

    list[0] = pub_entry(1, 300);
    pub_add(list, 1);

    pid_t pid = hold_lock(jw_path_join(&pub_arena, pub_folder(), "index"), &let_go);
    uint64_t since = jw_time_monotonic_ns();

    list[0] = pub_entry(2, 300);
    list[1] = pub_entry(3, 300);
    CHECK(jw_publisher_open(&p, pub_folder(), &err)
          && jw_publisher_add(p, list, 2, &pub_arena, &err));
    uint64_t ms = (jw_time_monotonic_ns() - since) / 1000000;

    CHECK(ms >= 1900 && ms < 10000);
    CHECK(list[0].result == JW_PUBLISH_PLACED && list[1].result == JW_PUBLISH_PLACED);
    CHECK_REFUSED(jw_publisher_flush(p, 1000, NULL, &err), err, "is locked by another program");
    pub_expect(3, 1);

    (void)close(let_go);
    CHECK(jw_publisher_flush(p, 10000, NULL, &err));
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    jw_publisher_close(p);
    pub_expect(3, 3);
}

/* A program that stores the same entry, with another payload, in place and in pieces as the driver
 * does, again and again until it is killed between two of them. */
static pid_t keep_storing(const char *path, const struct jw_buf *file)
{
    pid_t parent = getpid(), pid = fork();

    while (pid == 0) {
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
        bool ok = fd >= 0 && write(fd, file->p, file->n / 2) > 0;

        (void)sched_yield();
        ok = ok && write(fd, file->p + file->n / 2, file->n - file->n / 2) > 0;
        (void)close(fd);
        if (!ok || getppid() != parent || scratch_there(scratch("enough")))
            _exit(ok ? 0 : 1);
    }
    return pid;
}

TEST(written_meanwhile)
{
    unsigned seen[4] = {0};
    int status = -1;
    pid_t pid;
    struct jw_publish_entry e = pub_entry(1, 5000);
    FREED(jw_buf) theirs = pub_slurp(e.from);

    e = pub_entry(1, 300);
    pub_add(&e, 1);
    pid = keep_storing(pub_target(e.name), &theirs);
    for (unsigned i = 0; i < 300; i++) {
        e = pub_entry(1, 300);
        pub_add(&e, 1);
        seen[e.result]++;
        if (e.result == JW_PUBLISH_REFUSED)
            CHECK(e.why && *e.why && scratch_there(e.from));
    }
    scratch_write(scratch("enough"), "");
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    e = (struct jw_publish_entry){.name = e.name};
    pub_add(&e, 1);
    CHECK_NUM(e.result, JW_PUBLISH_THERE);
    pub_expect(1, 1);
    printf("  %u placed, %u there, %u replaced, %u refused\n", seen[0], seen[1], seen[2], seen[3]);
}

/* As a reader that trusts the header: its records are whole, each hash once, and of files that are
 * there and sound. Gives how many. */
static size_t check_by_header(void)
{
    FREED(jw_cache_listing) l = pub_list();
    FREED(jw_cache_index) index = {0};
    struct jw_err err = {0};
    FREED(jw_buf) bytes = JW_BUF(1 << 20);
    bool found = false;
    size_t n = 0;

    CHECK(jw_file_slurp(jw_path_join(&pub_arena, pub_folder(), "index"), &bytes, &found, &err));
    if (found && bytes.n) {
        CHECK_OK(jw_cache_index_read(jw_buf_bytes(&bytes), &index, &err) == JW_INDEX_WHOLE, err);
        n = index.n;
    }
    CHECK(l.foreign == 0 && l.missing == 0);
    for (size_t i = 0; i < l.n; i++)
        CHECK_TEXT(l.files[i].damage ? l.files[i].damage : "", "");
    return n;
}

static void publish_one_by_one(void)
{
    struct jw_publisher *p = NULL;
    struct jw_publish_entry list[LIST];

    for (unsigned i = 0; i < LIST; i++)
        list[i] = pub_entry(i, 300);
    if (!jw_publisher_open(&p, pub_folder(), JW_IGNORED))
        _exit(1);
    for (unsigned i = 0; i < LIST; i++)
        if (!jw_publisher_add(p, &list[i], 1, &pub_arena, JW_IGNORED))
            _exit(1);
    for (;;) /* killed in the end, whenever that is */
        (void)pause();
}

TEST(killed_at_any_instant)
{
    unsigned rounds = getenv("JW_TEST_SLOW") ? 1000 : 60;
    size_t records = 0, torn = 0;

    for (unsigned i = 0; i < rounds; i++) {
        if (i % 10 == 0) /* into an empty root, and into what the ones before it left */
            pub_begin();
        pid_t pid = fork();

        if (pid == 0)
            publish_one_by_one();
        /* From the first step of it to after its end. */
        (void)usleep(200 + i * 7919 % 40000);
        CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
        if (!scratch_there(pub_folder()))
            continue;
        records += check_by_header();

        FREED(jw_cache_listing) l = pub_list();

        torn += l.index_damage != NULL;
    }

    struct jw_publish_entry list[LIST];

    make_list(list, 300);
    pub_add(list, LIST);
    pub_expect(LIST, LIST);
    printf("  %u kills, %zu records seen, %zu indexes longer than their header says\n", rounds,
           records, torn);
}
