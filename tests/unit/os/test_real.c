#include "base/path.h"
#include "base/text.h"
#include "check.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "rigs/faults.h"
#include "rigs/scratch.h"

static const char *real(struct jw_arena *a, const char *path)
{
    struct jw_err err = {0};
    const char *out = NULL;

    CHECK_OK(jw_real_path(path, a, &out, &err), err);
    return out ? out : "";
}

static const char *native(struct jw_arena *a, const char *path)
{
    char *out = jw_arena_str(a, path);

    for (char *p = out; p && jw_os_is_windows() && *p; p++)
        if (*p == '/')
            *p = '\\';
    return out ? out : "";
}

TEST_ARENA(it_is_the_same_before_and_after_it_is_made)
{
    const char *before = real(a, scratch("deep/er/cache"));

    CHECK(jw_path_absolute(before));
    CHECK(jw_text_ends(before, native(a, "/deep/er/cache")));
    CHECK(jw_make_dirs(scratch("deep"), &err));
    CHECK_TEXT(real(a, scratch("deep/er/cache")), before);
    CHECK(jw_make_dirs(scratch("deep/er/cache"), &err));
    CHECK_TEXT(real(a, scratch("deep/er/cache")), before);
}

TEST_ARENA(detours_are_no_other_place)
{
    CHECK(jw_make_dirs(scratch("there"), &err));

    const char *there = real(a, scratch("there")), *new = real(a, scratch("there/new/sub"));

    CHECK_TEXT(real(a, scratch("there/")), there);
    CHECK_TEXT(real(a, scratch("./there//.")), there);
    CHECK_TEXT(real(a, scratch("there/new/..")), there);
    CHECK_TEXT(real(a, scratch("there/new/../new//./sub/")), new);
    CHECK_TEXT(real(a, scratch("there/a/b/../../new/sub")), new);
    CHECK_TEXT(real(a, scratch("there/new/sub/../../../there/new/sub")), new);
}

TEST_ARENA(a_relative_one_starts_in_the_current_folder)
{
    const char *here = real(a, ".");

    CHECK(jw_path_absolute(here));
    CHECK_TEXT(real(a, ""), here);
    CHECK_TEXT(real(a, "jw-not-there"), native(a, jw_path_join(a, here, "jw-not-there")));
    CHECK_TEXT(real(a, "jw-not-there/../x/.."), here);
}

TEST_ARENA(the_top_is_its_own_parent)
{
    const char *top = real(a, "/");

    CHECK_TEXT(real(a, "/jw-not-there/../.."), top);
    CHECK_TEXT(real(a, "/jw-not-there/../../jw-x"), native(a, jw_path_join(a, top, "jw-x")));
}

TEST_ARENA(every_call_fails_once)
{
    EACH_FAULT (f, 1) {
        const char *out = NULL;
        bool ok = FAULTED(f, jw_real_path(scratch("not/there/yet"), a, &out, &err));

        CHECK(ok == !f.fired);
        CHECK(ok ? out != NULL : !out && err.msg[0]);
    }
}

#ifndef _WIN32

#include <sys/stat.h>
#include <unistd.h>

TEST_ARENA(two_names_of_one_folder)
{
    CHECK(mkdir(scratch("disk"), 0700) == 0 && mkdir(scratch("disk/cache"), 0700) == 0);
    CHECK(symlink("disk", scratch("home")) == 0 && symlink("home/cache", scratch("nv")) == 0);

    const char *cache = real(a, scratch("disk/cache"));

    CHECK_TEXT(real(a, scratch("home/cache")), cache);
    CHECK_TEXT(real(a, scratch("nv")), cache);
    /* Also of what is not there yet, and a way out of a link leads to where it leads. */
    CHECK_TEXT(real(a, scratch("home/new")), real(a, scratch("disk/new")));
    CHECK_TEXT(real(a, scratch("nv/../new")), real(a, scratch("disk/new")));
}

TEST_ARENA(links_that_lead_nowhere)
{
    CHECK(symlink("round", scratch("round")) == 0
          && symlink("/jw-nowhere/x", scratch("away")) == 0);
    CHECK_TEXT(real(a, scratch("round")), real(a, scratch("./round")));
    CHECK_TEXT(real(a, scratch("away")), real(a, scratch("away/.")));
}

#endif
