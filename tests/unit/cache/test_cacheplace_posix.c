/* Real file systems and rights: in memory, full, read-only, somebody else's, open to all. */
#include "cache/place/cacheplace.h"
#include "check.h"
#include "rigs/as_nobody.h"
#include "rigs/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static struct jw_arena arena;

static struct jw_cache_place place(const char *path)
{
    struct jw_cache_place p;

    CHECK(jw_cache_place(path, &arena, &p));
    return p;
}

TEST(open_to_others)
{
    CHECK(mkdir(scratch("open"), 0700) == 0);
    CHECK(place(scratch("open")).trust.writers == NULL);
    CHECK(chmod(scratch("open"), 0777) == 0);
    CHECK_TEXT(place(scratch("open")).trust.writers, "everybody");
}

static void closed_places(const char *folder)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/closed", folder);
    CHECK(mkdir(path, 0755) == 0);
}

static void as_another(const char *folder)
{
    struct jw_cache_place p;
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/closed", folder);
    p = place(path);
    CHECK(p.exists && !p.may_write);
    (void)snprintf(path, sizeof path, "%s/closed/ComputeCache", folder);
    p = place(path);
    CHECK(!p.exists && p.nearest_folder && !p.may_write);
}

TEST(somebody_elses)
{
    as_nobody(as_another, closed_places);
}

/* A file system of our own, where we may mount one. */
static bool mounted(const char *at, const char *options, unsigned long flags)
{
    CHECK(mkdir(at, 0700) == 0 || errno == EEXIST);
    return mount("none", at, "tmpfs", flags, options) == 0;
}

TEST(in_memory_full_and_read_only)
{
    char path[4096];
    struct jw_cache_place p;
    FILE *big;

    (void)snprintf(path, sizeof path, "%s", scratch("tmpfs"));
    if (geteuid() != 0 || !mounted(path, "size=1m", 0))
        SKIP("only root may mount, and not in every container");
    p = place(scratch("tmpfs/ComputeCache"));
    CHECK(p.disk_known && p.disk.kind == JW_DISK_MEMORY && !p.with_system && p.may_write);
    CHECK_TEXT(p.type, "tmpfs");
    CHECK(p.disk.free <= 1 << 20);
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
    CHECK(symlink("nowhere", scratch("dangling")) == 0);
    CHECK(!place(scratch("dangling/x")).exists);
}

int main(int argc, char **argv)
{
    int rc;

    scratch_begin();
    rc = RUN(argc, argv, T(open_to_others), T(somebody_elses), T(in_memory_full_and_read_only),
             T(a_link_leads_to_the_disk_behind_it));
    jw_arena_free(&arena);
    return rc;
}
