#include "base/path.h"
#include "check.h"
#include "memory/bans.h"
#include "memory/sound.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/memory.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"
#ifndef _WIN32
#include "rigs/as_nobody.h"

#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

static bool is_held(const struct jw_cache_memory *f, struct jw_lock_holder *holder)
{
    struct jw_err err = {0};
    bool held = false;

    CHECK_OK(jw_cache_lock_ask(f, &held, holder, &err), err);
    return held;
}

/* ---- the folder ---- */

TEST_ARENA(asking_makes_nothing)
{
    struct jw_cache_memory f = memory_begin(a, "nothing");
    struct jw_lock_holder holder;

    CHECK(!f.unusable && !is_held(&f, &holder) && !jw_cache_lock_any(a, &holder));
    CHECK(!scratch_there(tree_path(a, "nothing")));
}

TEST_ARENA(a_cache_is_the_same_before_and_after_it_is_made)
{
    struct jw_cache_memory before = memory_begin(a, "made"), other;

    CHECK_OK(jw_make_dirs(before.cache, &err)
                 && jw_cache_memory_find(tree_path(a, "caches-of-users/MADE"), a, &other, &err),
             err);
    CHECK((strcmp(other.dir, before.dir) == 0) == jw_os_is_windows());
    CHECK_TEXT(memory_begin(a, "made").dir, before.dir);
    CHECK(strcmp(memory_begin(a, "other").dir, before.dir) != 0);
}

TEST_ARENA(a_file_in_the_place_of_a_folder)
{
    struct jw_cache_memory f;
    struct jw_cache_lock *l;
    struct jw_lock_holder holder;

    scratch_put("blocked/caches", "a file");
    f = memory_begin(a, "blocked");
    CHECK_HAS(f.unusable ? f.unusable : "", "caches: is not a folder");
    CHECK_REFUSED(jw_cache_lock(&f, &l, &holder, &err), err, "is not a folder");
}

/* ---- the lock ---- */

static void is_unknown(const struct jw_cache_memory *f)
{
    struct jw_lock_holder holder;

    CHECK(is_held(f, &holder) && !holder.pid);
}

TEST_ARENA(a_second_one_is_told_who_has_it)
{
    struct jw_cache_memory f = memory_begin(a, "held");
    struct jw_cache_lock *l = memory_lock(&f), *other = NULL;
    struct jw_lock_holder holder;
    int64_t now = jw_time_unix();

    CHECK_OK(jw_cache_lock(&f, &other, &holder, &err) && !other && holder.pid == jw_process_id(),
             err);
    CHECK(holder.since <= now && holder.since > now - 60);
    CHECK(is_held(&f, &holder) && holder.pid == jw_process_id());
    CHECK(jw_cache_lock_any(a, &holder) && holder.pid == jw_process_id());
    memory_spoil(&f, "holder", is_unknown);
    jw_cache_unlock(l);
    CHECK(!is_held(&f, &holder) && holder.pid == 0);
    CHECK(!jw_cache_lock_any(a, &holder));
    jw_cache_unlock(memory_lock(&f));
    jw_cache_unlock(NULL);
}

#ifndef _WIN32
TEST_ARENA(it_is_this_users_alone_whatever_the_umask)
{
    mode_t before = umask(0);
    struct jw_cache_memory f = memory_begin(a, "mode/deep");
    struct jw_cache_lock *l = memory_lock(&f);
    const char *const folders[] = {tree_path(a, "mode/deep"), jw_path_dir(a, f.dir), f.dir};
    const char *const files[] = {"lock", "holder", "sound"};
    struct stat st;

    jw_sound_save(&f, NULL, 0);
    for (size_t i = 0; i < 3; i++) {
        CHECK(stat(folders[i], &st) == 0 && (st.st_mode & 0777) == 0700);
        CHECK(stat(memory_path(&f, a, files[i]), &st) == 0 && (st.st_mode & 0777) == 0600);
    }
    jw_cache_unlock(l);
    (void)umask(before);
}

static void nothing_is_used(struct jw_arena *a, const char *name, const char *why,
                            const char *where)
{
    const struct jw_bans none = {0};
    struct jw_cache_memory f = memory_begin(a, name);
    struct jw_cache_lock *l;
    struct jw_lock_holder holder;
    struct jw_err err = {0};

    CHECK_HAS(f.unusable ? f.unusable : "", why);
    CHECK_HAS(f.unusable ? f.unusable : "", where);
    CHECK(!is_held(&f, &holder));
    CHECK_REFUSED(jw_bans_change(&f, &none, &err), err, why);
    CHECK_REFUSED(jw_cache_lock(&f, &l, &holder, &err), err, why);
    CHECK(!scratch_there(memory_path(&f, a, "bans")));
}

TEST_ARENA(what_others_may_write_is_not_used)
{
    struct jw_cache_memory f = memory_begin(a, "open");
    const char *const folders[] = {tree_path(a, "open"), jw_path_dir(a, f.dir), f.dir,
                                   jw_path_dir(a, tree_path(a, "open"))};

    jw_cache_unlock(memory_lock(&f));
    for (size_t i = 0; i < JW_COUNT(folders); i++) {
        CHECK(chmod(folders[i], 0702) == 0);
        nothing_is_used(a, "open", "may be changed by everybody", folders[i]);
        CHECK(chmod(folders[i], 0700) == 0);
    }
    jw_cache_unlock(memory_lock(&f));
}

/* Nobody, too: only in a user namespace is it the host's root. */
TEST_ARENA(a_folder_of_another_user_is_not_used)
{
    struct jw_cache_memory f = memory_begin(a, "theirs");
    const char *const folders[] = {tree_path(a, "theirs"), f.dir,
                                   jw_path_dir(a, tree_path(a, "theirs"))};

    if (geteuid() != 0)
        SKIP("giving a folder away needs root");
    jw_cache_unlock(memory_lock(&f));
    for (size_t i = 0; i < JW_COUNT(folders); i++) {
        CHECK(chown(folders[i], 65534, 65534) == 0);
        nothing_is_used(a, "theirs", "belongs to user 65534", folders[i]);
        CHECK(chown(folders[i], 0, 0) == 0);
    }
    /* Root of a container may be given a home of its host's user. */
    CHECK(chown(folders[2], 1234, 1234) == 0);
    set_variable("HOME", folders[2]);
    CHECK(!memory_begin(a, "theirs").unusable);
    CHECK(chown(folders[2], 0, 0) == 0);
    set_variable("HOME", NULL);
}

/* In a sticky folder a link is as good as its owner. */
TEST_ARENA(a_link_of_others_is_not_followed)
{
    const char *in = tree_path(a, "of-all"), *link = jw_path_join(a, in, "link");

    CHECK_OK(jw_make_dirs(in, &err) && jw_make_dirs(tree_path(a, "led/to"), &err), err);
    CHECK(symlink("../led", link) == 0 && chmod(in, 01777) == 0);
    CHECK(!memory_begin(a, "of-all/link/to").unusable);
    if (geteuid() == 0) {
        CHECK(lchown(link, 1234, 1234) == 0);
        nothing_is_used(a, "of-all/link/to", "may be changed by everybody", in);
    }
    CHECK(chmod(in, 0777) == 0);
    nothing_is_used(a, "of-all/link/to", "may be changed by everybody", in);
}

TEST_ARENA(what_is_remembered_follows_the_name_and_the_lock_the_folder)
{
    struct jw_cache_memory f = memory_begin(a, "linked"), moved, same;
    const char *real = tree_dir(a, "caches-of-users/on-a-disk");
    struct jw_cache_lock *l;
    struct jw_lock_holder holder;

    CHECK(symlink("on-a-disk", f.cache) == 0);
    moved = memory_begin(a, "linked");
    CHECK_TEXT(moved.dir, f.dir);
    CHECK_OK(jw_cache_memory_find(jw_arena_printf(a, "%s/", real), a, &same, &err), err);
    CHECK_TEXT(moved.cache, same.cache);
    CHECK(strcmp(moved.dir, same.dir) != 0);
    l = memory_lock(&moved);
    CHECK(is_held(&same, &holder) && holder.pid == jw_process_id());
    jw_cache_unlock(l);
}

static void only_where_it_may(const char *folder)
{
    FREED(jw_arena) a = {0};
    const char *state = jw_path_join(&a, folder, "state");
    const struct jw_bans none = {0};
    struct jw_cache_memory f;
    struct jw_err err = {0};

    set_variable("JITWARM_STATE", state);
    CHECK_OK(jw_cache_memory_find("/jw-cache", &a, &f, &err), err);
    if (access(folder, W_OK) == 0) {
        CHECK_OK(jw_bans_change(&f, &none, &err), err);
    } else {
        CHECK_REFUSED(jw_bans_change(&f, &none, &err), err, state);
        CHECK_HAS(err.msg, "permission denied");
    }
}

static void forbid(const char *folder) { CHECK(chmod(folder, 0555) == 0); }

/* As Kubernetes makes a volume: root's, and by fsGroup open to the group that has the user's
 * number. */
static void give_group(const char *folder)
{
    CHECK(geteuid() != 0 || (chown(folder, 0, NOBODY) == 0 && chmod(folder, 02775) == 0));
}

TEST(a_folder_that_cannot_be_made_is_named)
{
    as_nobody(only_where_it_may, forbid);
    as_nobody(only_where_it_may, give_group);
}

static void on_a_small_disk(void)
{
    FREED(jw_arena) a = {0};
    struct jw_err err = {0};
    struct jw_cache_memory f;
    struct jw_ban ban = {.build = "gnu:1"};
    struct jw_bans bans = {.v = &ban, .n = 1};

    if (!mount_at(scratch("disk"), "size=64k,mode=700"))
        SKIP("no tmpfs");
    f = memory_begin(&a, "disk");
    char *large = jw_arena_alloc(&a, 100000);

    ban.why = "short";
    CHECK_OK(jw_bans_change(&f, &bans, &err), err);
    memset(large, 'x', 99999);
    bans.v = jw_arena_alloc(&a, 30 * sizeof ban);
    for (bans.n = 0; bans.n < 30; bans.n++)
        bans.v[bans.n] =
            (struct jw_ban){.sm = (uint16_t)bans.n, .build = "gnu:1", .why = large + 95000};
    CHECK_REFUSED(jw_bans_change(&f, &bans, &err), err, "the disk is full");
    jw_bans_load(&f, &a, &bans);
    CHECK(bans.n == 1);
    CHECK_TEXT(bans.n ? bans.v[0].why : NULL, "short");
}

TEST(a_full_disk_leaves_the_old_file) { in_child("on_a_small_disk", on_a_small_disk); }

/* ---- a holder that dies, and one in another container ---- */

static pid_t start_holder(const struct jw_cache_memory *f)
{
    int ready[2];
    char byte;

    CHECK(pipe(ready) == 0);

    pid_t pid = fork();

    if (pid == 0) {
        if (memory_lock(f) && write(ready[1], "x", 1) == 1)
            for (;;)
                (void)pause();
        _exit(1);
    }
    CHECK(pid > 0 && close(ready[1]) == 0 && read(ready[0], &byte, 1) == 1 && close(ready[0]) == 0);
    return pid;
}

TEST_ARENA(kill_9_frees_the_lock)
{
    struct jw_cache_memory f = memory_begin(a, "killed");
    pid_t pid = start_holder(&f);
    struct jw_cache_lock *l = NULL;
    struct jw_lock_holder holder;

    CHECK_OK(jw_cache_lock(&f, &l, &holder, &err) && !l && holder.pid == (unsigned long)pid, err);
    CHECK(is_held(&f, &holder) && holder.pid == (unsigned long)pid);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    CHECK(!is_held(&f, &holder) && holder.pid == 0);
    jw_cache_unlock(memory_lock(&f));
}

static void share_with_a_container(void)
{
    FREED(jw_arena) a = {0};
    struct jw_cache_memory f = memory_begin(&a, "shared");

    if (unshare(CLONE_NEWPID) != 0) /* for its children */
        SKIP("no container");
    pid_t pid = start_holder(&f);

    is_unknown(&f);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

TEST(a_number_of_another_container_is_no_process_here)
{
    in_child("share_with_a_container", share_with_a_container);
}
#endif
