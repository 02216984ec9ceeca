#include "os/files/scratch.h"

#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "os/process/process.h"
#include "rigs/faults.h"
#include "rigs/scratch.h"

#include <stdlib.h>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

static struct jw_arena arena;

static const char *parent(const char *name) { return jw_arena_str(&arena, scratch(name)); }

static const char *below(const char *folder, const char *name)
{
    return jw_path_join(&arena, folder, name);
}

static const char *make(const char *folder)
{
    struct jw_err err = {0};
    char *path = NULL;

    CHECK_OK(jw_scratch_make(folder, "probe", &arena, &path, &err), err);
    return path ? path : "";
}

static const char *named(uint32_t system, unsigned long pid)
{
    char name[64];

    (void)snprintf(name, sizeof name, "probe-%08lx-%lu-0", (unsigned long)system, pid);
    return jw_arena_str(&arena, name);
}

/* A folder with something in it, as a process that was killed leaves it. */
static const char *leave(const char *folder, const char *name)
{
    const char *path = below(folder, name);

    CHECK(jw_make_dirs(below(path, "cache/4/2"), JW_IGNORED));
    scratch_write(below(path, "cache/4/2/3e06b9e6ec62aa"), "x");
    scratch_write(below(path, "text.ptx"), "x");
    return path;
}

TEST(a_new_folder_each_time)
{
    const char *folder = parent("new"), *first = make(folder), *second = make(folder);

    CHECK(strcmp(first, second) != 0);
    CHECK(scratch_there(first) && scratch_there(second));
    CHECK_TEXT(jw_path_base(first), named(jw_boot_id(), jw_process_id()));
    CHECK_NUM(scratch_count(first), 0);
    scratch_write(below(first, "a"), "x");
    jw_scratch_remove(first);
    CHECK(!scratch_there(first) && scratch_there(second));
    jw_scratch_remove(second);
    jw_scratch_remove(second);
    jw_scratch_remove(NULL);
    CHECK_NUM(scratch_count(folder), 0);
}

TEST(parents_are_made)
{
    const char *folder = parent("made/by/us"), *path = make(folder);

    CHECK(scratch_there(path));
    jw_scratch_remove(path);
}

TEST(private_folders)
{
    const char *folder = parent("private");

    CHECK(jw_make_private_dir(folder, &err));
    CHECK_OK(jw_make_private_dir(folder, &err), err);
    CHECK(!jw_make_private_dir(below(folder, "no/parent"), &err));
    CHECK(err.os != 0);
}

/* Two processes of this system: one is us, and lives; the other number is one that no
 * process has. */
TEST(dead_owners_are_swept)
{
    const char *folder = parent("sweep");
    const char *dead = leave(folder, named(jw_boot_id(), INT32_MAX));
    const char *ours = leave(folder, named(jw_boot_id(), jw_process_id()));
    const char *stranger = leave(folder, named(jw_boot_id() + 1, INT32_MAX));
    const char *drivers = leave(folder, "drivers"), *other = leave(folder, "lab-0000002a-4711-0");
    const char *path;

    scratch_write(below(folder, named(jw_boot_id(), INT32_MAX - 1)),
                  "a file, and no folder of ours");
    CHECK(!jw_process_alive(INT32_MAX));
    CHECK(jw_process_alive(jw_process_id()));
    jw_scratch_sweep(folder, "probe");
    path = make(folder);
    CHECK(!scratch_there(dead));
    CHECK(scratch_there(ours));
    CHECK(strcmp(path, ours) != 0);
    CHECK(scratch_there(stranger));
    CHECK(scratch_there(drivers) && scratch_there(other));
    CHECK(scratch_there(below(folder, named(jw_boot_id(), INT32_MAX - 1))));
    jw_scratch_remove(path);
}

TEST(refusals)
{
    const char *folder = parent("refused");
    char *path = (char[]){"junk"};

    scratch_write(folder, "a file where a folder should be");
    CHECK(!jw_scratch_make(folder, "probe", &arena, &path, &err));
    CHECK(path == NULL);
    CHECK_HAS(err.msg, "refused");
}

/* Every verb and every allocation fails in turn: an error that is reported, and never a path to
 * what is not there. */
TEST(faults)
{
    const char *folder = parent("faults");

    EACH_FAULT (f, 1) {
        FREED(jw_arena) a = {0};
        char *path = NULL;
        bool ok = FAULTED(f, jw_scratch_make(folder, "probe", &a, &path, &err));

        CHECK(ok ? path && scratch_there(path) : !path && err.msg[0]);
        jw_scratch_remove(path);
        CHECK(f.nth < 1000);
    }
    CHECK_NUM(scratch_count(folder), 0);
}

#if !defined(_WIN32)

static unsigned mode_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_mode & 07777u : 0;
}

TEST(modes)
{
    mode_t before = umask(0);
    const char *folder = parent("modes/state"), *path = make(folder);

    CHECK_NUM(mode_of(folder), 0700);
    CHECK_NUM(mode_of(path), 0700);
    CHECK_NUM(mode_of(parent("modes")), 0755); /* no group may write to it, whatever the umask is */
    (void)umask(before);
    jw_scratch_remove(path);
}

/* A link to another folder goes, and what it leads to stays. */
TEST(links_are_not_followed)
{
    const char *folder = parent("links");
    const char *dead = leave(folder, named(jw_boot_id(), INT32_MAX)),
               *precious = leave(folder, "precious");

    CHECK(symlink(precious, below(dead, "cache/5")) == 0);
    CHECK(symlink(below(precious, "text.ptx"), below(dead, "zstd.fatbin")) == 0);
    CHECK(symlink(precious, below(folder, named(jw_boot_id(), INT32_MAX - 1))) == 0);
    jw_scratch_sweep(folder, "probe");
    CHECK(!scratch_there(dead));
    CHECK(scratch_there(below(precious, "text.ptx")));
    CHECK(scratch_there(below(precious, "cache/4/2/3e06b9e6ec62aa")));
    CHECK(scratch_there(below(folder, named(jw_boot_id(), INT32_MAX - 1))));
}

/* Deeper than the system takes a path in one piece. */
TEST(deep_folders)
{
    enum { LEVELS = 24, NAME = 200 };
    const char *folder = parent("deep"), *path = make(folder);
    char name[NAME + 1] = "";
    int at = open(path, O_RDONLY | O_DIRECTORY), below_it;

    memset(name, 'n', NAME);
    for (unsigned i = 0; i < LEVELS; i++, at = below_it) {
        CHECK(mkdirat(at, name, 0700) == 0);
        below_it = openat(at, name, O_RDONLY | O_DIRECTORY);
        (void)close(at);
    }
    (void)close(at);
    jw_scratch_remove(path);
    CHECK_NUM(scratch_count(folder), 0);
}

static const char *leave_old(const char *folder, const char *name)
{
    struct timespec then[2] = {{.tv_sec = time(NULL) - 25 * 60 * 60},
                               {.tv_sec = time(NULL) - 25 * 60 * 60}};
    const char *path = leave(folder, name);

    CHECK(utimensat(AT_FDCWD, path, then, 0) == 0);
    return path;
}

/* The number of a process in another container, or before the last boot, tells nothing; a day
 * does. */
TEST(strangers_by_age)
{
    const char *folder = parent("age");
    const char *young = leave(folder, named(jw_boot_id() + 1, jw_process_id()));
    const char *old = leave_old(folder, named(jw_boot_id() + 2, jw_process_id()));

    jw_scratch_sweep(folder, "probe");
    CHECK(scratch_there(young));
    CHECK(!scratch_there(old));
}

TEST(names_that_are_none_of_ours_stay)
{
    static const char *const strange[] = {
        "probe",
        "probe-",
        "probe-1-0",
        "probe-0000002a",
        "probe-0000002a-",
        "probe-0000002a-4711",
        "probe-0000002a-4711-",
        "probe-0000002a-4711-0-",
        "probe-0000002a-4711-0x",
        "probe-0000002a-4711--0",
        "probe-0000002a-4711-0.json",
        "probe-0000002a-0-0",
        "probe-0000002a-01-0",
        "probe-0000002a--1-0",
        "probe-0000002a-+1-0",
        "probe-0000002a- 1-0",
        "probe-0000002A-4711-0",
        "probe-000002a-4711-0",
        "probe-00000002a-4711-0",
        "probe-0000002a-2147483648-0",
        "probe-0000002a-99999999999999999999-0",
        "probed-0000002a-4711-0",
        "xprobe-0000002a-4711-0",
        "drivers",
    };
    const char *folder = parent("strange");

    for (size_t i = 0; i < JW_COUNT(strange); i++)
        (void)leave_old(folder, strange[i]);
    jw_scratch_sweep(folder, "probe");
    for (size_t i = 0; i < JW_COUNT(strange); i++)
        CHECK(scratch_there(below(folder, strange[i])));
}

/* What a child that was killed leaves behind, the next one removes. */
TEST(a_killed_process)
{
    const char *folder = parent("killed");
    int status, told[2];
    char word;

    CHECK(pipe(told) == 0);
    pid_t pid = fork();

    if (pid == 0) {
        (void)leave(make(folder), "deep");
        (void)!write(told[1], "x", 1);
        for (;;)
            (void)pause();
    }
    CHECK(read(told[0], &word, 1) == 1);
    CHECK_NUM(scratch_count(folder), 1);
    jw_scratch_sweep(folder, "probe");
    CHECK_NUM(scratch_count(folder), 1);
    CHECK(kill(pid, 9) == 0 && waitpid(pid, &status, 0) == pid);
    jw_scratch_sweep(folder, "probe");
    CHECK_NUM(scratch_count(folder), 0);
    (void)close(told[0]);
    (void)close(told[1]);
}

#endif
