#include "base/text.h"
#include "cache/place/other_caches.h"
#include "check.h"
#include "rigs/cache.h"
#include "rigs/variables.h"

#include <stdio.h>
#include <string.h>

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
    static const char *const names[] = {
        "TRITON_CACHE_DIR",          "TORCHINDUCTOR_CACHE_DIR",   "CUPY_CACHE_DIR",   "OPTIX_CACHE_PATH",
        "JAX_COMPILATION_CACHE_DIR", "FLASHINFER_WORKSPACE_BASE", "DG_JIT_CACHE_DIR", "TILELANG_CACHE_DIR",
        "CUTE_DSL_CACHE_DIR",        "NUMBA_CACHE_DIR",           "WARP_CACHE_PATH",  "VLLM_CACHE_ROOT",
        "TORCH_EXTENSIONS_DIR",      "CUDA_TILE_CACHE_DIR",       "TRITON_HOME",      "XDG_CACHE_HOME"
    };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        set_variable(names[i], NULL);
    set_variable("HOME", tree_dir(&arena, home));
    set_variable("USERPROFILE", profile(tree_path(&arena, home)));
}

/* Those that are there, alone. */
static size_t find(struct jw_other_cache list[JW_OTHER_CACHES])
{
    size_t all = 0, n = 0;

    jw_other_caches(&arena, list, &all);
    for (size_t i = 0; i < all; i++)
        if (list[i].there)
            list[n++] = list[i];
    return n;
}

static const struct jw_other_cache *of(struct jw_other_cache list[JW_OTHER_CACHES], const char *owner)
{
    size_t n;

    jw_other_caches(&arena, list, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].owner, owner) == 0)
            return &list[i];
    CHECK(!owner);
    return &list[0];
}

/* Two variables stand for the home of several. */
TEST(variables_that_move_several)
{
    struct jw_other_cache list[JW_OTHER_CACHES];

    begin("several");
    CHECK(jw_text_ends(of(list, "Numba")->path, "several/.cache/numba"));
    set_variable("XDG_CACHE_HOME", "/x/caches");
    set_variable("TRITON_HOME", "/x/triton");
    CHECK_TEXT(of(list, "Numba")->path, "/x/caches/numba");
    CHECK_TEXT(of(list, "Warp")->path, "/x/caches/warp");
    CHECK_TEXT(of(list, "vLLM")->path, "/x/caches/vllm");
    CHECK_TEXT(of(list, "cuTile")->path, "/x/caches/cutile-python");
    CHECK_TEXT(of(list, "PyTorch extensions")->path, "/x/caches/torch_extensions");
    CHECK_TEXT(of(list, "Triton")->path, "/x/triton/.triton/cache");
    set_variable("TRITON_CACHE_DIR", "/y");
    CHECK_TEXT(of(list, "Triton")->path, "/y");
    begin("several");
}

TEST(variables_move_them)
{
    struct jw_other_cache list[JW_OTHER_CACHES];

    begin("moved");
    set_variable("TMPDIR", "/scratch");
    set_variable("LOGNAME", "ada");
    CHECK_TEXT(of(list, "PyTorch Inductor")->path, "/scratch/torchinductor_ada");
    CHECK_TEXT(of(list, "CuTe DSL")->path, "/scratch/ada/cutlass_python_cache");
    CHECK(of(list, "JAX")->path == NULL); /* keeps nothing */
    CHECK_HAS(of(list, "DeepGEMM")->path, "moved");
    CHECK(!of(list, "TileLang")->set);
    set_variable("FLASHINFER_WORKSPACE_BASE", "/data");
    set_variable("JAX_COMPILATION_CACHE_DIR", "/data/jax");
    CHECK_TEXT(of(list, "FlashInfer")->path, "/data/.cache/flashinfer");
    CHECK(of(list, "FlashInfer")->set);
    CHECK_TEXT(of(list, "JAX")->path, "/data/jax");
    set_variable("TMPDIR", NULL);
    begin("moved");
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
