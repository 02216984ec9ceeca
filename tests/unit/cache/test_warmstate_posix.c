#include "check.h"
#include "rigs/as_nobody.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/warm.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool may_open(const char *root, struct jw_err *err)
{
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    bool ok = jw_warm_open(root, &l, &holder, err);

    jw_warm_close(l);
    return ok;
}

TEST(it_is_this_users_alone_whatever_the_umask)
{
    struct jw_arena a = { 0 };
    mode_t before = umask(0);
    const char *root = warm_begin(&a, "mode");
    struct jw_warm_place p = warm_place(&a, root);
    struct jw_warm_log *l = warm_open(root);
    struct jw_err err = { 0 };
    struct stat st;

    CHECK(jw_warm_write_status(l, "{}", 2, &err));
    for (unsigned i = 0; i < 2; i++) {
        const char *const folders[] = { p.state, p.roots, p.dir }, *const files[] = { p.log, p.lock,
                                                                                      p.status };

        for (size_t k = 0; k < 3; k++) {
            CHECK(stat(folders[k], &st) == 0 && (st.st_mode & 0777) == 0700);
            CHECK(stat(files[k], &st) == 0 && (st.st_mode & 0777) == 0600);
        }
        for (unsigned k = 0; k < 10; k++)
            warm_add_job(l, 1, k);
        jw_warm_close(l);
        l = warm_open(root); /* compacts it */
        CHECK(jw_warm_write_status(l, "{}", 2, &err));
    }
    jw_warm_close(l);
    (void)umask(before);
    jw_arena_free(&a);
}

TEST(what_others_may_write_is_not_believed)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "theirs"), *status;
    struct jw_warm_place p = warm_place(&a, root);
    const char *const paths[] = { p.state, p.roots, p.dir, p.log };
    struct jw_warm_log *l = warm_open(root);

    warm_add_job(l, 1, 1);
    jw_warm_close(l);
    for (size_t i = 0; i < JW_COUNT(paths); i++) {
        mode_t mode = i < 3 ? 0700 : 0600;
        struct jw_warm_holder holder;
        struct jw_err err = { 0 };
        bool busy;

        CHECK(chmod(paths[i], mode | S_IWOTH) == 0);

        struct jw_warm_state s = warm_load(&a, root);

        CHECK(s.n_jobs == 0 && s.notes.n == 1);
        CHECK_HAS(s.notes.n ? s.notes.v[0] : "", "everybody may write to the");
        CHECK_HAS(s.notes.n ? s.notes.v[0] : "", paths[i]);
        CHECK(!may_open(root, &err));
        CHECK_HAS(err.msg, "is not believed");
        CHECK(!jw_warm_busy(root, &a, &busy, &holder, &status, &err));
        CHECK(chmod(paths[i], mode) == 0);
        CHECK(warm_load(&a, root).n_jobs == 1);
    }
    jw_arena_free(&a);
}

TEST(two_names_of_one_root_are_one)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "linked"), *link = tree_path(&a, "link-to-root");
    struct jw_warm_log *l = warm_open(root);
    struct jw_warm_holder holder;
    const char *status;

    warm_add_job(l, 1, 1);
    (void)tree_dir(&a, "roots/linked");
    CHECK(symlink("roots/linked", link) == 0);
    CHECK(warm_load(&a, link).n_jobs == 1);
    CHECK(warm_busy(&a, link, &holder, &status));
    jw_warm_close(l);
    jw_arena_free(&a);
}

/* ---- rights and room ---- */

static void nothing(const char *folder)
{
    (void)folder;
}

static void forbid(const char *folder)
{
    CHECK(chmod(folder, 0555) == 0);
}

static void not_in_a_folder_of_others(const char *folder)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    char state[4096];

    (void)snprintf(state, sizeof state, "%s/state", folder);
    cache_env("JITWARM_STATE", state);
    CHECK(!may_open("/jw-root", &err));
    CHECK_HAS(err.msg, state);
    CHECK_HAS(err.msg, "permission denied");
    CHECK(warm_load(&a, "/jw-root").notes.n == 0); /* there is none, which is no failure */
    jw_arena_free(&a);
}

TEST(a_folder_that_cannot_be_made_is_named)
{
    as_nobody(not_in_a_folder_of_others, geteuid() == 0 ? nothing : forbid);
}

/* A memory of the child's own that was made read-only. */
static void not_where_it_is_read_only(const char *folder)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    char state[4096];

    (void)snprintf(state, sizeof state, "%s/open/state", folder);
    cache_env("JITWARM_STATE", state);

    struct jw_warm_log *l = warm_open("/jw-root");
    struct jw_warm_place p = warm_place(&a, "/jw-root");

    warm_add_job(l, 1, 1);
    jw_warm_close(l);
    CHECK(chmod(p.lock, 0400) == 0 && chmod(p.log, 0400) == 0 && chmod(p.dir, 0500) == 0);
    CHECK(!may_open("/jw-root", &err));
    CHECK_HAS(err.msg, p.lock);
    CHECK_HAS(err.msg, "permission denied");
    CHECK(warm_load(&a, "/jw-root").n_jobs == 1);
    CHECK(!warm_busy(&a, "/jw-root", &(struct jw_warm_holder){ 0 }, &(const char *){ NULL }));
    CHECK(chmod(p.dir, 0700) == 0);
    jw_arena_free(&a);
}

static void open_folder(const char *folder)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/open", folder);
    CHECK(mkdir(path, 0777) == 0 && chmod(path, 0777) == 0);
}

TEST(a_memory_that_is_read_only_is_read)
{
    as_nobody(not_where_it_is_read_only, open_folder);
}

/* In a mount namespace of its own, so that nothing stays mounted. 77: cannot be done here. */
static int on_a_small_disk(void)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    struct jw_warm_job j = warm_job(0, 0);
    unsigned added = 0;

    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
        || mkdir(scratch("disk"), 0755) != 0
        || mount("jw", scratch("disk"), "tmpfs", 0, "size=64k,mode=700") != 0)
        return 77;

    const char *root = warm_begin(&a, "disk");
    struct jw_warm_log *l = warm_open(root);

    while (added < 1000 && jw_warm_add_job(l, &j, &err))
        j = warm_job(++added, 0);
    CHECK_HAS(err.msg, "warm.log: the disk is full");
    CHECK(!jw_warm_write_status(l, "{}", 2, &err));
    CHECK_HAS(err.msg, "status.json: the disk is full");
    jw_warm_close(l);

    struct jw_warm_state s = warm_load(&a, root);
    bool whole = added > 100 && s.n_jobs == added && s.notes.n == 0;

    /* The next one learns it at once, by name, or finds room enough to begin. */
    CHECK(may_open(root, &err) || strstr(err.msg, "the disk is full"));
    return whole && strstr(err.msg, "the disk is full") ? 0 : 1;
}

TEST(a_full_disk_costs_only_what_did_not_fit)
{
    int status = -1;

    if (geteuid() != 0)
        SKIP("mounting a small disk needs root");

    pid_t pid = fork();

    if (pid == 0)
        _exit(on_a_small_disk());
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        SKIP("this system does not let root mount a tmpfs");
    CHECK_NUM(WEXITSTATUS(status), 0);
}

/* ---- a holder that dies ---- */

/* Works on `root`, says so, and waits to be killed. */
static void hold(const char *root, int tell)
{
    struct jw_warm_log *l = warm_open(root);
    struct jw_err err = { 0 };

    warm_add_job(l, 1, 1);
    if (jw_warm_write_status(l, "{ \"pid\": 1 }", 12, &err) && write(tell, "x", 1) == 1)
        for (;;)
            (void)pause();
    _exit(1);
}

TEST(kill_9_frees_the_lock_and_leaves_the_log)
{
    struct jw_arena a = { 0 };
    const char *root = warm_begin(&a, "killed"), *status;
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    struct jw_err err = { 0 };
    int tell[2];
    char byte;

    CHECK(pipe(tell) == 0);

    pid_t pid = fork();

    if (pid == 0)
        hold(root, tell[1]);
    (void)close(tell[1]);
    CHECK(pid > 0 && read(tell[0], &byte, 1) == 1);
    CHECK(jw_warm_open(root, &l, &holder, &err) && !l);
    CHECK_NUM(holder.pid, (unsigned long)pid);
    CHECK(warm_busy(&a, root, &holder, &status));
    CHECK_TEXT(status ? status : "none", "{ \"pid\": 1 }");
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    (void)close(tell[0]);

    CHECK(scratch_there(warm_place(&a, root).status));
    CHECK(!warm_busy(&a, root, &holder, &status) && !status);
    l = warm_open(root);
    CHECK(!scratch_there(warm_place(&a, root).status));
    warm_add_job(l, 2, 2);
    jw_warm_close(l);
    CHECK(warm_load(&a, root).n_jobs == 2);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(it_is_this_users_alone_whatever_the_umask),
               T(what_others_may_write_is_not_believed), T(two_names_of_one_root_are_one),
               T(a_folder_that_cannot_be_made_is_named), T(a_memory_that_is_read_only_is_read),
               T(a_full_disk_costs_only_what_did_not_fit), T(kill_9_frees_the_lock_and_leaves_the_log));
}
