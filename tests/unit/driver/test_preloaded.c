#include "check.h"
#include "driver/probe/preloaded.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#include <string.h>

static struct jw_arena arena;

static void is(const char *list, const char *but, const char *want)
{
    const char *found = jw_preloaded_before_driver(list, but, &arena);

    CHECK_TEXT(found ? found : "none", want);
}

TEST(a_library_with_functions_of_the_driver_stands_before_it)
{
    const char *gpu = tree_file(&arena, "libvgpu.so", "dlsym cuModuleLoadData"),
               *plain = tree_file(&arena, "liballoc.so", "malloc cuM"),
               *cuda = tree_file(&arena, "libcuda.so.1", "");

    is(NULL, NULL, "none");
    is("", NULL, "none");
    is(plain, NULL, "none");
    is("/nowhere/libvgpu.so", NULL, "none");
    is(gpu, NULL, gpu);
    is(cuda, NULL, cuda);
    is(jw_arena_printf(&arena, "%s: %s", plain, gpu), NULL, gpu);
}

TEST(what_is_preloaded_here_too_is_no_other)
{
    const char *gpu = tree_file(&arena, "libvgpu.so", "cuModuleLoad"),
               *longer = tree_file(&arena, "libvgpu.so.1", "cuModuleLoad");

    is(gpu, gpu, "none");
    is(gpu, jw_arena_printf(&arena, "/x/liballoc.so:%s", gpu), "none");
    is(gpu, longer, gpu);
    is(jw_arena_printf(&arena, "%s %s", gpu, longer), gpu, longer);
}
