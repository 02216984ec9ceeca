#include "base/mem.h"
#include "cache/place/cacheplace.h"
#include "check.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"

static struct jw_arena arena;

static struct jw_cache_place place(const char *path)
{
    struct jw_cache_place p;
    struct jw_err err = { 0 };

    CHECK(jw_cache_place(path, &arena, &p));
    CHECK_TEXT(err.msg, "");
    return p;
}

TEST(a_folder_that_is_there)
{
    struct jw_cache_place p;
    struct jw_err err = { 0 };

    CHECK(jw_make_dirs(scratch("there"), &err));
    p = place(scratch("there"));
    CHECK(p.exists && p.folder && p.nearest_folder && p.may_write && p.disk_known && p.trust.exists);
    CHECK(p.disk.total > 0 && !p.disk.read_only && p.trust.owner == NULL);
}

TEST(one_that_is_not)
{
    struct jw_cache_place p;
    struct jw_err err = { 0 };

    CHECK(jw_make_dirs(scratch("there"), &err));
    p = place(scratch("there/not/yet"));
    CHECK(!p.exists && !p.folder && p.nearest_folder && p.may_write && p.disk_known && !p.trust.exists);
    CHECK_TEXT(p.nearest, scratch("there"));
}

TEST(a_file_in_its_place)
{
    struct jw_cache_place p;

    scratch_write(scratch("file"), "x");
    p = place(scratch("file"));
    CHECK(p.exists && !p.folder && !p.nearest_folder && !p.may_write);
    p = place(scratch("file/below"));
    CHECK(!p.exists && !p.nearest_folder && !p.may_write);
}

TEST(a_relative_path_ends_here)
{
    struct jw_cache_place p = place("no-such-folder/of/mine");

    CHECK(!p.exists && p.nearest_folder);
    CHECK_TEXT(p.nearest, ".");
}

/* What Windows makes of AppData for Python out of the Store. */
TEST(pythons_of_the_store)
{
    const char *const *found = NULL;
    struct jw_err err = { 0 };
    size_t n = 7;

    CHECK(jw_cache_store_pythons(scratch("no-local"), &arena, &found, &n, &err));
    CHECK_NUM(n, 0);
    CHECK(jw_make_dirs(scratch("local/Packages/PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0/LocalCache/"
                               "Roaming/NVIDIA/ComputeCache"),
                       &err));
    CHECK(jw_make_dirs(scratch("local/Packages/PythonSoftwareFoundation.Python.3.12_qbz5n2kfra8p0"), &err));
    CHECK(jw_make_dirs(scratch("local/Packages/Somebody.Else/LocalCache/Roaming/NVIDIA/ComputeCache"), &err));
    CHECK(jw_cache_store_pythons(scratch("local"), &arena, &found, &n, &err));
    CHECK_NUM(n, 1);
    if (n == 1)
        CHECK_HAS(found[0], "Python.3.11_qbz5n2kfra8p0");
}

int main(int argc, char **argv)
{
    int rc;

    scratch_begin();
    rc = RUN(argc, argv, T(a_folder_that_is_there), T(one_that_is_not), T(a_file_in_its_place),
             T(a_relative_path_ends_here), T(pythons_of_the_store));
    jw_arena_free(&arena);
    return rc;
}
