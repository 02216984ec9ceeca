#include "base/fault.h"
#include "check.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"

static struct jw_disk look(const char *path)
{
    struct jw_disk d = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_disk_look(path, &d, &err));
    CHECK_TEXT(err.msg, "");
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

TEST(the_volume_is_that_of_its_files)
{
    struct jw_file_info info;
    struct jw_err err = { 0 };

    scratch_write(scratch("file"), "x");
    CHECK(jw_file_stat(scratch("file"), &info, &err));
    CHECK_NUM(look(scratch("")).volume, info.id.volume);
    CHECK_NUM(look(scratch("file")).volume, info.id.volume);
}

TEST(what_is_not_there_yet_is_judged_by_its_parent)
{
    struct jw_disk here = look(scratch(""));

    CHECK_NUM(look(scratch("not/yet/there/")).volume, here.volume);
    CHECK_NUM(look(scratch("not/yet/there")).total, here.total);
    CHECK(look("neither-this").total > 0);
    CHECK(look("neither/this").total > 0);
    CHECK(look(".").total > 0);
    CHECK(look(jw_os_is_windows() ? "C:\\no such folder\\at all" : "/no such folder/at all").total > 0);
}

TEST(what_cannot_be_says_why)
{
    struct jw_disk d;
    struct jw_err err = { 0 };

    CHECK(!jw_disk_look("", &d, &err));
    CHECK_TEXT(err.msg, "the name is empty");
    if (!jw_os_is_windows())
        return;
    CHECK(!jw_disk_look("Q:\\nowhere\\x", &d, &err));
    CHECK_TEXT(err.msg, "no such drive or server");
}

TEST(every_fault_is_told)
{
    for (unsigned long nth = 1;; nth++) {
        struct jw_disk d;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_disk_look(scratch("not/yet"), &d, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(fired ? err.msg[0] != '\0' : ok);
        if (!fired)
            break;
    }
}

TEST(file_systems_are_known_by_number_and_by_name)
{
    enum jw_disk_kind kind;

    CHECK(jw_disk_of_magic(0xef53, &kind) && kind == JW_DISK_LOCAL);
    CHECK(jw_disk_of_magic(0x6969, &kind) && kind == JW_DISK_NETWORK);
    CHECK(jw_disk_of_magic(0xff534d42, &kind) && kind == JW_DISK_NETWORK);
    CHECK(jw_disk_of_magic(0x01021994, &kind) && kind == JW_DISK_MEMORY);
    CHECK(!jw_disk_of_magic(0x65735546, &kind) && kind == JW_DISK_LOCAL);
    CHECK(!jw_disk_of_magic(1, &kind) && kind == JW_DISK_LOCAL);
    CHECK(jw_disk_of_type("ext4") == JW_DISK_LOCAL);
    CHECK(jw_disk_of_type("nfs4") == JW_DISK_NETWORK);
    CHECK(jw_disk_of_type("fuse.sshfs") == JW_DISK_NETWORK);
    CHECK(jw_disk_of_type("fuse.fuse-overlayfs") == JW_DISK_LOCAL);
    CHECK(jw_disk_of_type("fuseblk") == JW_DISK_LOCAL);
    CHECK(jw_disk_of_type("virtiofs") == JW_DISK_NETWORK);
    CHECK(jw_disk_of_type("fuse.") == JW_DISK_LOCAL);
    CHECK(jw_disk_of_type("") == JW_DISK_LOCAL);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(a_folder_is_on_a_disk), T(the_volume_is_that_of_its_files),
               T(what_is_not_there_yet_is_judged_by_its_parent), T(what_cannot_be_says_why),
               T(every_fault_is_told), T(file_systems_are_known_by_number_and_by_name));
}
