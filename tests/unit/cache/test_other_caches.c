#include "cache/place/cacheplace.h"
#include "check.h"
#include "rigs/cache.h"
#include "rigs/variables.h"

#include <stdio.h>

static struct jw_arena arena;

/* Under Wine the scratch folder has no drive, and a profile must have one. */
static const char *profile(const char *home)
{
    static char path[4096];

    (void)snprintf(path, sizeof path, "%s%s", *home == '/' ? "Z:" : "", home);
    return path;
}

static void begin(const char *home)
{
    static const char *const names[] = { "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "CUPY_CACHE_DIR",
                                         "OPTIX_CACHE_PATH", "JAX_COMPILATION_CACHE_DIR" };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        set_variable(names[i], NULL);
    set_variable("HOME", tree_dir(&arena, home));
    set_variable("USERPROFILE", profile(tree_path(&arena, home)));
}

static size_t find(struct jw_other_cache list[JW_OTHER_CACHES])
{
    size_t n = 0;

    jw_other_caches(&arena, list, &n);
    return n;
}

TEST(none_in_an_empty_home)
{
    struct jw_other_cache list[JW_OTHER_CACHES];

    begin("empty");
    CHECK_NUM(find(list), 0);
}

TEST(those_that_are_there_are_named)
{
    struct jw_other_cache list[JW_OTHER_CACHES];

    begin("full");
    (void)tree_dir(&arena, "full/.triton/cache");
    (void)tree_file(&arena, "full/.cupy/kernel_cache", "not a folder");
    set_variable("TORCHINDUCTOR_CACHE_DIR", tree_dir(&arena, "elsewhere/inductor"));
    CHECK_NUM(find(list), 2);
    CHECK_TEXT(list[0].owner, "Triton");
    CHECK_HAS(list[0].path, "triton");
    CHECK_TEXT(list[1].owner, "PyTorch Inductor");
    set_variable("TRITON_CACHE_DIR", tree_path(&arena, "nowhere")); /* the variable holds */
    CHECK_NUM(find(list), 1);
    set_variable("TRITON_CACHE_DIR", NULL);
}

int main(int argc, char **argv)
{
    int code = RUN(argc, argv, T(none_in_an_empty_home), T(those_that_are_there_are_named));

    jw_arena_free(&arena);
    return code;
}
