#include "check.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"

static struct jw_disk look(const char *path)
{
    struct jw_disk d = {0};
    struct jw_err err = {0};

    CHECK_OK(jw_disk_look(path, &d, &err), err);
    return d;
}

TEST(a_folder_is_on_a_disk)
{
    struct jw_disk d = look(scratch(""));

    CHECK(d.total > 0 && d.free <= d.total);
    CHECK(!d.read_only);
    printf("%llu of %llu MB free, kind %d\n", (unsigned long long)d.free >> 20,
           (unsigned long long)d.total >> 20, (int)d.kind);
}

TEST(what_is_not_there_yet_is_judged_by_its_parent)
{
    struct jw_disk here = look(scratch(""));

    CHECK_NUM(look(scratch("not/yet/there/")).mounted, here.mounted);
    CHECK_NUM(look(scratch("not/yet/there")).total, here.total);
    CHECK(look("neither-this").total > 0);
    CHECK(look("neither/this").total > 0);
    CHECK(look(".").total > 0);
    CHECK(look(jw_os_is_windows() ? "C:\\no such folder\\at all" : "/no such folder/at all").total
          > 0);
}

TEST(a_barrier_only_where_it_is_known_to_hold)
{
    static const uint64_t known[] = {0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994};
    static const uint64_t others[] = {0x6969, 0x65735546, 0x794c7630, 0xff534d42, 0x2fc12fc1, 1};

    for (size_t i = 0; i < JW_COUNT(known); i++) {
        CHECK(jw_disk_has_barrier(known[i], "5.8.0-63-generic"));
        CHECK(jw_disk_has_barrier(known[i], "5.10"));
        CHECK(jw_disk_has_barrier(known[i], "6.1.0-18-amd64"));
        CHECK(jw_disk_has_barrier(known[i], "10.0.1"));
        CHECK(!jw_disk_has_barrier(known[i], "5.7.19"));
        CHECK(!jw_disk_has_barrier(known[i], "4.18.0-553.el8.x86_64"));
        CHECK(!jw_disk_has_barrier(known[i], "3.10.0"));
        CHECK(!jw_disk_has_barrier(known[i], "5"));
        CHECK(!jw_disk_has_barrier(known[i], "strange"));
    }
    for (size_t i = 0; i < JW_COUNT(others); i++)
        CHECK(!jw_disk_has_barrier(others[i], "6.1.0"));
}

TEST(what_cannot_be_says_why)
{
    struct jw_disk d;

    CHECK_SAYS(jw_disk_look("", &d, &err), err, "the name is empty");
    if (!jw_os_is_windows())
        return;
    CHECK_SAYS(jw_disk_look("Q:\\nowhere\\x", &d, &err), err, "no such drive or server");
}

TEST(file_systems_are_known_by_number)
{
    CHECK(jw_disk_of_magic(0xef53) == JW_DISK_LOCAL);
    CHECK(jw_disk_of_magic(0x794c7630) == JW_DISK_LOCAL); /* overlay */
    CHECK(jw_disk_of_magic(0x01021994) == JW_DISK_MEMORY);
    CHECK(jw_disk_of_magic(0x6969) == JW_DISK_NETWORK);
    CHECK(jw_disk_of_magic(0x65735546) == JW_DISK_NETWORK); /* FUSE */
    CHECK(jw_disk_of_magic(0x9fa0) == JW_DISK_KERNEL);
    CHECK(jw_disk_of_magic(1) == JW_DISK_LOCAL);
}

#ifndef _WIN32
#include "rigs/as_nobody.h"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

TEST(memory_is_told_from_disks)
{
    struct jw_disk shm, proc;
    struct statfs fs;

    CHECK(jw_disk_look("/proc/self", &proc, &err));
    CHECK(proc.kind == JW_DISK_KERNEL);
    if (statfs("/dev/shm", &fs) != 0 || fs.f_type != 0x01021994)
        SKIP("/dev/shm is no tmpfs here");
    CHECK(jw_disk_look("/dev/shm/not/there", &shm, &err));
    CHECK(shm.kind == JW_DISK_MEMORY);
    CHECK(shm.mounted != proc.mounted);
}

/* On Linux a backslash is a letter like others: a folder with the name up to it is another one. */
TEST(a_name_with_a_backslash_is_one_name)
{
    struct jw_disk d, here, proc;

    CHECK(symlink("/proc", scratch("m")) == 0);
    CHECK(jw_disk_look(scratch(""), &here, &err) && jw_disk_look("/proc", &proc, &err));
    CHECK(here.mounted != proc.mounted);
    CHECK(jw_disk_look(scratch("m\\not-there-yet"), &d, &err));
    CHECK(d.mounted == here.mounted);
}

TEST(a_file_in_the_way_is_said)
{
    struct jw_disk d;

    scratch_write(scratch("file"), "x");
    CHECK(jw_disk_look(scratch("file/below"), &d,
                       &err)); /* what has to be made fails later, and says so */
    CHECK(symlink("nowhere", scratch("dangling")) == 0);
    CHECK(jw_disk_look(scratch("dangling/x"), &d, &err));
    CHECK(symlink("circle", scratch("circle")) == 0);
    CHECK(jw_disk_look(scratch("circle/x"), &d, &err));
}

static void prepare_locked(const char *folder)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/locked", folder);
    CHECK(mkdir(path, 0700) == 0);
    if (geteuid() != 0)
        CHECK(chmod(path, 0) == 0);
}

static void look_into_locked(const char *folder)
{
    struct jw_disk d;
    struct jw_err err = {0};
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/locked", folder);
    CHECK(jw_disk_look(path, &d, &err));
    (void)snprintf(path, sizeof path, "%s/locked/inside", folder);
    CHECK_SAYS(jw_disk_look(path, &d, &err), err, "permission denied");
}

TEST(what_we_may_not_enter_is_said) { as_nobody(look_into_locked, prepare_locked); }

/* The kernel keeps some for root. */
TEST(free_is_what_this_user_may_take)
{
    struct statfs fs;
    struct jw_disk d;

    CHECK(statfs(scratch(""), &fs) == 0 && jw_disk_look(scratch(""), &d, &err));
    CHECK(d.free <= (uint64_t)fs.f_bfree * (uint64_t)fs.f_bsize + ((uint64_t)64 << 20));
    CHECK_NUM(d.total, (uint64_t)fs.f_blocks * (uint64_t)fs.f_frsize);
}

#endif
