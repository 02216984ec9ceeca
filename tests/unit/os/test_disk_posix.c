#include "check.h"
#include "os/files/disk.h"
#include "rigs/as_nobody.h"
#include "rigs/scratch.h"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

TEST(memory_is_told_from_disks)
{
    struct jw_disk shm, proc;
    struct jw_err err = { 0 };
    struct statfs fs;

    CHECK(jw_disk_look("/proc/self", &proc, &err));
    CHECK(proc.kind == JW_DISK_LOCAL);
    if (statfs("/dev/shm", &fs) != 0 || fs.f_type != 0x01021994)
        SKIP("/dev/shm is no tmpfs here");
    CHECK(jw_disk_look("/dev/shm/not/there", &shm, &err));
    CHECK(shm.kind == JW_DISK_MEMORY);
    CHECK(shm.volume != proc.volume);
}

TEST(a_file_in_the_way_is_said)
{
    struct jw_disk d;
    struct jw_err err = { 0 };

    scratch_write(scratch("file"), "x");
    CHECK(jw_disk_look(scratch("file/below"), &d, &err)); /* what has to be made fails later, and says so */
    CHECK(symlink("nowhere", scratch("dangling")) == 0);
    CHECK(jw_disk_look(scratch("dangling/x"), &d, &err));
    CHECK(symlink("circle", scratch("circle")) == 0);
    CHECK(!jw_disk_look(scratch("circle/x"), &d, &err));
    CHECK_TEXT(err.msg, "the links lead in a circle");
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
    struct jw_err err = { 0 };
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/locked", folder);
    CHECK(jw_disk_look(path, &d, &err));
    (void)snprintf(path, sizeof path, "%s/locked/inside", folder);
    CHECK(!jw_disk_look(path, &d, &err));
    CHECK_TEXT(err.msg, "permission denied");
}

TEST(what_we_may_not_enter_is_said)
{
    as_nobody(look_into_locked, prepare_locked);
}

/* The kernel keeps some for root. */
TEST(free_is_what_this_user_may_take)
{
    struct statfs fs;
    struct jw_disk d;
    struct jw_err err = { 0 };

    CHECK(statfs(scratch(""), &fs) == 0 && jw_disk_look(scratch(""), &d, &err));
    CHECK(d.free <= (uint64_t)fs.f_bfree * (uint64_t)fs.f_bsize + ((uint64_t)64 << 20));
    CHECK_NUM(d.total, (uint64_t)fs.f_blocks * (uint64_t)fs.f_frsize);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(memory_is_told_from_disks), T(a_file_in_the_way_is_said),
               T(what_we_may_not_enter_is_said), T(free_is_what_this_user_may_take));
}
