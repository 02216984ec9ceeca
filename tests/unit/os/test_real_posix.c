#include "check.h"
#include "os/real.h"
#include "scratch.h"

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

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(two_names_of_one_folder), T(links_that_lead_nowhere));
}
