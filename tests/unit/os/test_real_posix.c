#include "base/mem.h"
#include "check.h"
#include "os/files/real.h"
#include "rigs/scratch.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *real(struct jw_arena *a, const char *path)
{
    struct jw_err err = { 0 };
    const char *out = NULL;

    CHECK(jw_real_path(path, a, &out, &err));
    return out ? out : "";
}

TEST(two_names_of_one_folder)
{
    struct jw_arena a = { 0 };

    CHECK(mkdir(scratch("disk"), 0700) == 0 && mkdir(scratch("disk/cache"), 0700) == 0);
    CHECK(symlink("disk", scratch("home")) == 0 && symlink("home/cache", scratch("nv")) == 0);

    const char *cache = real(&a, scratch("disk/cache"));

    CHECK_TEXT(real(&a, scratch("home/cache")), cache);
    CHECK_TEXT(real(&a, scratch("nv")), cache);
    /* Also of what is not there yet, and a way out of a link leads to where it leads. */
    CHECK_TEXT(real(&a, scratch("home/new")), real(&a, scratch("disk/new")));
    CHECK_TEXT(real(&a, scratch("nv/../new")), real(&a, scratch("disk/new")));
    jw_arena_free(&a);
}

TEST(links_that_lead_nowhere)
{
    struct jw_arena a = { 0 };

    CHECK(symlink("round", scratch("round")) == 0 && symlink("/jw-nowhere/x", scratch("away")) == 0);
    CHECK_TEXT(real(&a, scratch("round")), real(&a, scratch("./round")));
    CHECK_TEXT(real(&a, scratch("away")), real(&a, scratch("away/.")));
    jw_arena_free(&a);
}

/* An image whose links would lead out of it. */
static void image(void)
{
    static const char *const folders[] = { "image", "image/etc", "image/usr", "image/usr/units",
                                           "image/plain" };

    for (size_t i = 0; i < JW_COUNT(folders); i++)
        CHECK(mkdir(scratch(folders[i]), 0700) == 0);
    CHECK(symlink("/usr/units", scratch("image/etc/absolute")) == 0);
    CHECK(symlink("../../../../../../../../usr/units", scratch("image/etc/upwards")) == 0);
    CHECK(symlink("/tmp/jw-nothing-there", scratch("image/etc/nothing")) == 0);
    CHECK(symlink("absolute", scratch("image/etc/twice")) == 0);
    CHECK(symlink("/usr", scratch("image/etc/host")) == 0); /* which this machine has, too */
}

TEST(links_of_an_image_stay_in_it)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *out = NULL, *root;
    static const char *const leads[] = { "etc/absolute", "etc/upwards", "etc/twice" };

    image();
    root = real(&a, scratch("image"));
    for (size_t i = 0; i < JW_COUNT(leads); i++) {
        char path[64];

        (void)snprintf(path, sizeof path, "%s/new/folder", leads[i]);
        CHECK(jw_real_in_root(scratch("image"), path, &a, &out, &err));
        CHECK_TEXT(out ? out : "", real(&a, scratch("image/usr/units/new/folder")));
    }
    CHECK(jw_real_in_root(scratch("image"), "plain/new", &a, &out, &err));
    CHECK_HAS(out ? out : "", root);
    CHECK(!jw_real_in_root(scratch("image"), "etc/nothing/x", &a, &out, &err));
    CHECK_HAS(err.msg, "etc/nothing");
    CHECK_HAS(err.msg, "is a link to nothing in it");
    jw_arena_free(&a);
}

/* Where the kernel cannot resolve inside of a root, links are refused. */
TEST(a_walk_follows_no_link)
{
    struct jw_err err = { 0 };
    char *out = NULL;
    bool there = false;

    CHECK(jw_sys_real_in_root(scratch("image"), "usr/units", true, &out, &there, &err) && there);
    jw_free(out);
    CHECK(jw_sys_real_in_root(scratch("image"), "usr/units/new", true, &out, &there, &err) && !there);
    CHECK(!jw_sys_real_in_root(scratch("image"), "etc/absolute", true, &out, &there, &err));
    CHECK_HAS(err.msg, "is a link that cannot be followed inside of it here");
    CHECK(!jw_sys_real_in_root(scratch("image"), "etc/host", true, &out, &there, &err));
    CHECK(!jw_sys_real_in_root(scratch("image"), "etc/host/bin", true, &out, &there, &err) || !there);
    CHECK(!jw_sys_real_in_root(scratch("image"), "usr/../..", true, &out, &there, &err));
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(two_names_of_one_folder), T(links_that_lead_nowhere),
               T(links_of_an_image_stay_in_it), T(a_walk_follows_no_link));
}
