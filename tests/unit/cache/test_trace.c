#include "cache/memory/trace.h"

#include "base/compiler.h"
#include "check.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#define SECOND 1000000000LL
#define LOOKED (1790000000 * SECOND + 5)

/* Whether a file with these times is trusted to be as it was, though neither of them has changed. */
static bool is_trusted(int64_t mtime, int64_t ctime, int64_t looked)
{
    struct jw_arena a = { 0 };
    struct jw_trace t = { .a = &a, .looked = looked };
    const struct jw_file_info info = { .kind = JW_FILE_REGULAR, .size = 7, .mtime = mtime, .ctime = ctime };
    struct jw_err err = { 0 };

    CHECK(jw_trace_seen(&t, "/a/k.ptx", &info, 0, &err));
    bool trusted = t.files[0].mtime == mtime && t.files[0].ctime == ctime;

    jw_arena_free(&a);
    return trusted;
}

/* As git has it: a file that was changed within the step of its clock before it was looked at may change again, and its times stay. */
TEST(a_file_that_is_as_young_as_the_look)
{
    const int64_t old = LOOKED - 20000000, young = LOOKED - 9000000, whole = 1790000000 * SECOND;

    CHECK(is_trusted(old, old, LOOKED));
    CHECK(!is_trusted(young, young, LOOKED));
    CHECK(!is_trusted(old, young, LOOKED)); /* its time was put back */
    CHECK(!is_trusted(LOOKED + 5, old, LOOKED));
    CHECK(is_trusted(LOOKED + 100 * SECOND, old, LOOKED)); /* set by hand */
    CHECK(!is_trusted(whole, whole, LOOKED));
    CHECK(!is_trusted(whole - SECOND, whole - SECOND, LOOKED));
    CHECK(is_trusted(whole - 2 * SECOND, whole - 2 * SECOND, LOOKED));
    CHECK(is_trusted(young, young, 0)); /* a look whose time is not known */
}

/* A folder of LD_LIBRARY_PATH with other libraries has programs load the same driver. */
TEST(folders_that_lead_the_loader_elsewhere)
{
    struct jw_arena a = { 0 };
    const char *empty = tree_dir(&a, "empty"), *cublas = tree_dir(&a, "cublas"),
               *driver = tree_dir(&a, "compat"), *level = tree_dir(&a, "level");

    if (jw_os_is_windows())
        return;
    tree_file(&a, "cublas/libcublas.so.12", "");
    tree_file(&a, "compat/libcuda.so.1", "");
    tree_file(&a, "compiler/libnvidia-ptxjitcompiler.so.1", "");
    tree_dir(&a, "level/glibc-hwcaps");

    const char *compiler = tree_path(&a, "compiler");
    const char *all =
        jw_arena_printf(&a, "%s:%s:%s::lib:%s:%s:%s:/absent", empty, cublas, driver, level, compiler, driver);

    CHECK_TEXT(jw_trace_folders(all, true, &a),
               jw_arena_printf(&a, "%s:.:lib:%s:%s", driver, level, compiler));
    CHECK_TEXT(jw_trace_folders(all, false, &a),
               jw_arena_printf(&a, "%s:%s:.:lib:%s:%s", cublas, driver, level, compiler));
    CHECK_TEXT(jw_trace_folders(jw_arena_printf(&a, "%s:%s", empty, cublas), true, &a), "");
    CHECK_TEXT(jw_trace_folders("", false, &a), "");
    CHECK_TEXT(jw_trace_folders(NULL, false, &a), "");
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(a_file_that_is_as_young_as_the_look), T(folders_that_lead_the_loader_elsewhere));
}
