#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "pack/format/pack_layout.h"
#include "rigs/packs.h"
#include "rigs/scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NEWEST "580.126.09-sm_86-20260107-225146.tar.zst"
#define OLDER "580.126.09-sm_86-20260107-225146.old.tar.zst"

TEST(the_folder)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    cache_env("JITWARM_STORE", NULL);
    cache_env("XDG_DATA_HOME", "/data");
    CHECK_TEXT(jw_store_dir(&a, &err), "/data/jitwarm/packs");
    cache_env("XDG_DATA_HOME", NULL);
    cache_env("HOME", "/home/me");
    CHECK_TEXT(jw_store_dir(&a, &err), "/home/me/.local/share/jitwarm/packs");
    jw_arena_free(&a);
}

static void mode_is(const char *path, mode_t mode)
{
    struct stat st = { 0 };

    CHECK(lstat(path, &st) == 0);
    CHECK_NUM(st.st_mode & 07777, mode);
}

TEST(it_is_this_users_alone_whatever_the_umask)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    mode_t before = umask(0);
    const char *dir = packs_begin(&a, "modes/packs");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86),
                              .file = packs_file(&a, "packs-in/m.tar.zst", "1", 300),
                              .signature = tree_file(&a, "packs-in/m.minisig", "1"),
                              .cap = 1 << 20 };

    CHECK(chmod(x.file, 0666) == 0);
    CHECK(jw_store_add(&x, &a, &err));
    CHECK_TEXT(err.msg, "");
    mode_is(dir, 0700);
    mode_is(x.path, 0600);
    mode_is(jw_path_join(&a, dir, NEWEST ".minisig"), 0600);
    mode_is(jw_path_join(&a, dir, "used.json"), 0600);
    (void)umask(before);
    jw_arena_free(&a);
}

TEST(what_others_may_write_is_not_believed)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *dir = packs_begin(&a, "theirs");
    struct jw_store_add x = packs_add(&a, packs_key(CACHE_NOW, 86), "1", 300);
    const char *path = x.path;
    struct jw_store s;

    CHECK(chmod(path, 0666) == 0);
    s = packs_load(&a);
    CHECK(s.n == 1 && s.packs[0].refused);
    CHECK(!jw_store_find(&s, &x.key));
    CHECK(!jw_store_add(&x, &a, &err)); /* nor is it replaced */
    CHECK_HAS(err.msg, "everybody");
    CHECK(chmod(path, 0600) == 0 && chmod(dir, 0777) == 0);
    s = packs_load(&a);
    CHECK(s.refused && s.n == 0);
    err = (struct jw_err){ 0 };
    CHECK(!jw_store_add(&x, &a, &err));
    CHECK_HAS(err.msg, "everybody may write");
    CHECK(chmod(dir, 0700) == 0);
    if (geteuid() == 0) {
        CHECK(chown(path, 1234, 1234) == 0);
        s = packs_load(&a);
        CHECK(s.n == 1 && s.packs[0].refused);
        CHECK(chown(dir, 1234, 1234) == 0);
        s = packs_load(&a);
        CHECK(s.refused && s.n == 0);
        CHECK(chown(dir, 0, 0) == 0);
    }
    jw_arena_free(&a);
}

/* Links: as a pack, as its signature, as the folder in the making. None is followed, nothing behind them changes. */
TEST(links_are_not_followed)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *dir = packs_begin(&a, "links"), *victim = tree_file(&a, "links-victim/file", "mine");
    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86), .cap = 1 << 20 };

    (void)packs_add(&a, packs_key(CACHE_NOW, 90), "9", 300);
    CHECK(symlink(victim, jw_path_join(&a, dir, NEWEST)) == 0);
    x.file = packs_file(&a, "packs-in/l.tar.zst", "1", 300);
    CHECK(!jw_store_add(&x, &a, &err));
    CHECK_HAS(err.msg, "is a link");
    CHECK(packs_load(&a).n == 2 && !jw_store_find(&(struct jw_store){ 0 }, &x.key));
    CHECK(unlink(jw_path_join(&a, dir, NEWEST)) == 0);
    CHECK(symlink(victim, jw_path_join(&a, dir, NEWEST ".minisig")) == 0);
    CHECK(symlink(victim, jw_path_join(&a, dir, OLDER ".minisig")) == 0);
    CHECK(unlink(jw_path_join(&a, dir, "used.json")) == 0);
    CHECK(jw_store_add(&x, &a, &err));
    CHECK(packs_first(dir, NEWEST ".minisig") == '-');
    CHECK(unlink(jw_path_join(&a, dir, "lock")) == 0);
    CHECK(symlink(victim, jw_path_join(&a, dir, "lock")) == 0);
    x.file = packs_file(&a, "packs-in/l.tar.zst", "2", 300);
    CHECK(!jw_store_add(&x, &a, &err));
    CHECK_HAS(err.msg, "is a link");
    scratch_holds(victim, "mine");
    jw_arena_free(&a);
}

/* ---- several at once ---- */

static void add_some(unsigned who, unsigned n)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    for (unsigned i = 0; i < n; i++) {
        char name[64], text[] = { (char)('a' + (who + i) % 26), '\0' };
        struct jw_store_add x = { .key = packs_key(CACHE_NOW, i % 2 ? 86 : 90), .cap = 1 << 20 };

        (void)snprintf(name, sizeof name, "packs-in/%u.tar.zst", who);
        x.file = packs_file(&a, name, text, 3000);
        if (!jw_store_add(&x, &a, &err)) {
            printf("%s\n", err.msg);
            _exit(1);
        }
    }
    _exit(0);
}

static void whole(struct jw_arena *a, size_t most)
{
    struct jw_store s = packs_load(a);

    CHECK(s.n <= most);
    for (size_t i = 0; i < s.n; i++)
        CHECK(s.packs[i].key.stamp && !s.packs[i].refused && s.packs[i].size == 3000);
}

TEST(eight_at_once)
{
    struct jw_arena a = { 0 };
    pid_t pids[8];

    (void)packs_begin(&a, "eight");
    for (unsigned i = 0; i < 8; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            add_some(i, 10);
        CHECK(pids[i] > 0);
    }
    for (unsigned i = 0; i < 8; i++) {
        int status = 1;

        CHECK(waitpid(pids[i], &status, 0) == pids[i] && status == 0);
    }
    whole(&a, 4);
    CHECK_NUM(packs_load(&a).n, 4);
    jw_arena_free(&a);
}

TEST(killed_at_any_instant)
{
    struct jw_arena a = { 0 };
    const char *dir = packs_begin(&a, "killed");
    struct jw_store_key key = packs_key(CACHE_NOW, 86);

    (void)packs_add(&a, key, "1", 3000);
    (void)packs_add(&a, packs_key(CACHE_NOW, 90), "1", 3000);
    for (unsigned i = 0; i < 100; i++) {
        struct timespec t = { 0, 37000L * (i + 1) };
        int status;
        pid_t pid = fork();

        if (pid == 0)
            add_some(i, 1000);
        (void)nanosleep(&t, NULL);
        CHECK(pid > 0 && kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid);

        struct jw_store s = packs_load(&a);

        CHECK(jw_store_find(&s, &key) != NULL);
        whole(&a, 4);
    }
    (void)packs_add(&a, key, "1", 3000);
    CHECK(scratch_count(dir)
          <= 4 + 3); /* packs, used.json, lock, .new; what else the dead had in the making is gone */
    jw_arena_free(&a);
}

/* Somebody who may write to it changes it between the moment when it was verified and the moment when it is kept. */
TEST(what_is_kept_is_what_was_verified)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *dir = packs_begin(&a, "verified"), *by = NULL;
    const char *file = packs_file(&a, "packs-in/v.tar.zst", "1", 300),
               *aside = tree_path(&a, "packs-in/aside");
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_buf frame = JW_BUF(JW_TRAILER_MOST);
    struct jw_trailer trailer;
    uint64_t at;

    CHECK(jw_file_open(&f, file, &err));

    struct jw_source source = jw_file_source(&f, 300);

    CHECK(jw_trailer_find(&source, &frame, &trailer, &at, &err));

    struct jw_store_add x = { .key = packs_key(CACHE_NOW, 86),
                              .file = file,
                              .bytes = &source,
                              .digest = trailer.digest,
                              .vouched = JW_STORE_MADE_HERE,
                              .cap = 1 << 20 };

    CHECK(rename(file, aside) == 0);
    (void)packs_file(&a, "packs-in/v.tar.zst", "2", 300);
    CHECK(jw_store_add(&x, &a, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(packs_first(dir, NEWEST) == '1');

    struct jw_store s = packs_load(&a);

    CHECK_NUM(s.n, 1);
    by = jw_store_vouched(&s, trailer.digest, &a);
    CHECK_TEXT(by ? by : "nobody", JW_STORE_MADE_HERE);
    trailer.digest[0] ^= 1;
    CHECK(!jw_store_vouched(&s, trailer.digest, &a));
    trailer.digest[0] ^= 1;

    int fd = open(aside, O_WRONLY); /* the very file that is open */

    CHECK(fd >= 0 && pwrite(fd, "3", 1, 0) == 1 && close(fd) == 0);
    CHECK(!jw_store_add(&x, &a, &err));
    CHECK_NUM(err.code, JW_E_FORMAT);
    CHECK_HAS(err.msg, "was changed after it was verified");
    CHECK(packs_first(dir, NEWEST) == '1');
    jw_buf_free(&frame);
    jw_file_close(&f);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(the_folder), T(it_is_this_users_alone_whatever_the_umask),
               T(what_others_may_write_is_not_believed), T(links_are_not_followed), T(eight_at_once),
               T(what_is_kept_is_what_was_verified), T(killed_at_any_instant));
}
