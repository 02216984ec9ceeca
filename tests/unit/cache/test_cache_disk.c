#include "base/path.h"
#include "cache/place/cache_disk.h"
#include "check.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "rigs/scratch.h"

static struct jw_arena arena;

static struct jw_cache_disk place(const char *path)
{
    struct jw_cache_disk p;

    jw_cache_disk(path, &arena, &p);
    return p;
}

TEST(a_folder_that_is_there)
{
    struct jw_cache_disk p;

    CHECK(jw_make_dirs(scratch("there"), &err));
    p = place(scratch("there"));
    CHECK(p.folder && p.nearest_folder && p.may_write && p.disk_known);
    CHECK(p.disk.total > 0 && !p.disk.read_only);
}

/* The folder behind all links, above which another disk begins, or nothing. */
TEST(the_top_of_its_disk)
{
    struct jw_disk top, above;
    struct jw_cache_disk p;

    CHECK(jw_make_dirs(scratch("there"), &err));
    p = place(scratch("there/not/yet"));
    CHECK(p.mount && jw_path_absolute(p.mount));
    CHECK(jw_disk_look(p.mount, &top, &err) && top.mounted == p.disk.mounted);
    if (strcmp(jw_path_dir(&arena, p.mount), p.mount) != 0)
        CHECK(jw_disk_look(jw_path_dir(&arena, p.mount), &above, &err)
              && above.mounted != p.disk.mounted);
}

TEST(one_that_is_not)
{
    struct jw_cache_disk p;

    CHECK(jw_make_dirs(scratch("there"), &err));
    p = place(scratch("there/not/yet"));
    CHECK(!p.folder && p.nearest_folder && p.may_write && p.disk_known);
    CHECK_TEXT(p.nearest, scratch("there"));
}

TEST(a_file_in_its_place)
{
    struct jw_cache_disk p;

    scratch_write(scratch("file"), "x");
    p = place(scratch("file"));
    CHECK(!p.folder && !p.nearest_folder && !p.may_write);
    p = place(scratch("file/below"));
    CHECK(!p.nearest_folder && !p.may_write);
}

TEST(a_link_to_what_is_not_there)
{
#ifdef _WIN32
    SKIP("links are Linux's here");
#else
    struct jw_cache_disk p;

    CHECK(jw_make_dirs(scratch("there"), &err)
          && jw_make_link(scratch("nowhere-link"), scratch("gone"), &err));
    p = place(scratch("nowhere-link"));
    CHECK(!p.nearest_folder && !p.may_write);
    CHECK_TEXT(p.nearest, scratch("nowhere-link"));
    CHECK(jw_make_link(scratch("leads"), scratch("there"), &err));
    CHECK(place(scratch("leads/below")).nearest_folder);
#endif
}

TEST(a_relative_path_ends_here)
{
    struct jw_cache_disk p = place("no-such-folder/of/mine");

    CHECK(p.nearest_folder);
    CHECK_TEXT(p.nearest, ".");
}

#ifndef _WIN32
#include <errno.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file system of our own, where we may mount one. */
static bool mounted(const char *at, const char *options, unsigned long flags)
{
    CHECK(mkdir(at, 0700) == 0 || errno == EEXIST);
    return mount("none", at, "tmpfs", flags, options) == 0;
}

TEST(in_memory_mounted_twice_full_and_read_only)
{
    char path[4096];
    struct jw_cache_disk p;
    FILE *big;

    (void)snprintf(path, sizeof path, "%s", scratch("tmpfs"));
    if (geteuid() != 0 || !mounted(path, "size=1m", 0))
        SKIP("only root may mount, and not in every container");
    p = place(scratch("tmpfs/ComputeCache"));
    CHECK(p.disk_known && p.disk.kind == JW_DISK_MEMORY && p.mount[1] && p.may_write);
    CHECK(p.disk.free <= 1 << 20);
    CHECK(mkdir(scratch("tmpfs/v"), 0700)
          == 0); /* a container's volume, with the storage driver vfs */
    CHECK(mount(scratch("tmpfs/v"), scratch("tmpfs/v"), NULL, MS_BIND, NULL) == 0);
    CHECK_TEXT(jw_path_base(place(scratch("tmpfs/v/cuda")).mount), "v");
    CHECK(umount(scratch("tmpfs/v")) == 0);
    big = fopen(scratch("tmpfs/big"), "w");
    for (unsigned i = 0; big && i < 4096; i++)
        (void)!fwrite(path, 1, 512, big);
    if (big)
        (void)fclose(big);
    CHECK_NUM(place(scratch("tmpfs/ComputeCache")).disk.free, 0);
    CHECK(mount("none", path, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=1m") == 0);
    p = place(path);
    CHECK(p.disk.read_only && !p.may_write);
    CHECK(umount(path) == 0);
}

TEST(a_link_leads_to_the_disk_behind_it)
{
    CHECK(mkdir(scratch("real"), 0700) == 0);
    CHECK(symlink("real", scratch("link")) == 0);
    CHECK(place(scratch("link")).folder);
}

#endif
