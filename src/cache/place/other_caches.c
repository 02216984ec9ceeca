#include "cache/place/other_caches.h"

#include "base/compiler.h"
#include "base/path.h"
#include "machine/listing.h"
#include "os/machine/env.h"

#include <string.h>

enum from { NOWHERE, HOME, CACHES, TEMPORARY, OF_USER };

/* Where each keeps what it compiled, as its source says. */
static const struct place {
    const char *name, *owner, *module, *variable;
    const char *below_variable; /* behind the folder that the variable names */
    enum from from;             /* without the variable */
    const char *below;
    const char *home; /* a variable that stands for HOME */
} places[] = {
    /* triton 3.9.0, triton/knobs.py: cache_knobs.dir, home_dir */
    { "triton", "Triton", "triton", "TRITON_CACHE_DIR", NULL, HOME, ".triton/cache", "TRITON_HOME" },
    /* torch/_inductor/runtime/cache_dir_utils.py: default_cache_dir */
    { "torchinductor", "PyTorch Inductor", "torch", "TORCHINDUCTOR_CACHE_DIR", NULL, TEMPORARY,
      "torchinductor_", NULL },
    /* flashinfer 0.7.2, flashinfer/jit/env.py: FLASHINFER_CACHE_DIR */
    { "flashinfer", "FlashInfer", "flashinfer", "FLASHINFER_WORKSPACE_BASE", ".cache/flashinfer", HOME,
      ".cache/flashinfer", NULL },
    /* DeepGEMM, csrc/jit/compiler.hpp: Compiler() */
    { "deep-gemm", "DeepGEMM", "deep_gemm", "DG_JIT_CACHE_DIR", NULL, HOME, ".deep_gemm", NULL },
    /* tilelang 0.1.15, tilelang/env.py: TILELANG_CACHE_DIR */
    { "tilelang", "TileLang", "tilelang", "TILELANG_CACHE_DIR", NULL, HOME, ".tilelang/cache", NULL },
    /* CuTeDSL, cutlass/base_dsl/cache_helpers.py: default_generated_ir_path */
    { "cute-dsl", "CuTe DSL", "nvidia_cutlass_dsl", "CUTE_DSL_CACHE_DIR", NULL, OF_USER,
      "cutlass_python_cache", NULL },
    /* cupy-cuda12x 14.2.0, cupy/cuda/_compiler_cache.py */
    { "cupy", "CuPy", "cupy", "CUPY_CACHE_DIR", NULL, HOME, ".cupy/kernel_cache", NULL },
    /* numba 0.68.1, numba/core/caching.py: beside the sources where it may write there, else in the user's folder */
    { "numba", "Numba", NULL, "NUMBA_CACHE_DIR", NULL, CACHES, "numba", NULL },
    /* warp-lang 1.19.0, warp/_src/build.py: init_kernel_cache */
    { "warp", "Warp", "warp", "WARP_CACHE_PATH", NULL, CACHES, "warp", NULL },
    /* vLLM, vllm/envs.py: VLLM_CACHE_ROOT; its torch.compile and DeepGEMM caches are below it */
    { "vllm", "vLLM", "vllm", "VLLM_CACHE_ROOT", NULL, CACHES, "vllm", NULL },
    /* torch/utils/cpp_extension.py: get_default_build_root */
    { "torch-extensions", "PyTorch extensions", NULL, "TORCH_EXTENSIONS_DIR", NULL, CACHES,
      "torch_extensions", NULL },
    /* cuda-tile 1.7.0, cutile_cache/_env.py */
    { "cutile", "cuTile", NULL, "CUDA_TILE_CACHE_DIR", NULL, CACHES, "cutile-python", NULL },
    /* jax 0.12.0, jax/_src/config.py: jax_compilation_cache_dir is None without the variable */
    { "jax", "JAX", "jax", "JAX_COMPILATION_CACHE_DIR", NULL, NOWHERE, NULL, NULL },
    /* cuda-core 1.2.2, cuda/core/utils/_cache_dir.py */
    { "cuda-core", "cuda.core", NULL, NULL, NULL, CACHES, "cuda-python", NULL },
    { "optix", "OptiX", NULL, "OPTIX_CACHE_PATH", NULL, NOWHERE, NULL, NULL },
};

static const char *temporary(struct jw_arena *a)
{
    const char *folder = jw_env(a, "TMPDIR");

    return folder && *folder ? folder : "/tmp";
}

/* As Python's getpass.getuser finds it. */
static const char *user(struct jw_arena *a)
{
    static const char *const names[] = { "LOGNAME", "USER", "LNAME", "USERNAME" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *name = jw_env(a, names[i]);

        if (name && *name)
            return name;
    }
    return "root";
}

static const char *usual(const struct place *p, struct jw_arena *a)
{
    const char *other = p->home ? jw_env(a, p->home) : NULL, *xdg = jw_env(a, "XDG_CACHE_HOME");
    const char *home = other && *other ? other : jw_env_home(a);
    const char *caches = xdg && *xdg ? xdg : home ? jw_path_join(a, home, ".cache") : NULL;

    switch (p->from) {
    case HOME: return home ? jw_path_join(a, home, p->below) : NULL;
    case CACHES: return caches ? jw_path_join(a, caches, p->below) : NULL;
    case TEMPORARY: return jw_arena_printf(a, "%s/%s%s", temporary(a), p->below, user(a));
    case OF_USER: return jw_arena_printf(a, "%s/%s/%s", temporary(a), user(a), p->below);
    default: return NULL;
    }
}

void jw_other_caches(struct jw_arena *a, struct jw_other_cache out[JW_OTHER_CACHES], size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < JW_COUNT(places); i++) {
        const struct place *p = &places[i];
        const char *named = p->variable ? jw_env(a, p->variable) : NULL;
        struct jw_other_cache one = {
            .name = p->name, .owner = p->owner, .module = p->module, .variable = p->variable
        };

        one.set = named && *named;
        one.path = !one.set            ? usual(p, a)
                   : p->below_variable ? jw_path_join(a, named, p->below_variable)
                                       : named;
        one.there = one.path && jw_is_folder(one.path);
        out[(*n)++] = one;
    }
}

const char *jw_other_cache_usual(const char *owner, struct jw_arena *a, const char **variable)
{
    for (size_t i = 0; i < JW_COUNT(places); i++) {
        const struct place *p = &places[i];

        if (strcmp(p->owner, owner) != 0 || (p->from != HOME && p->from != CACHES))
            continue;
        *variable = p->variable;
        return jw_path_join(a, p->from == HOME ? "~" : "~/.cache", p->below);
    }
    return NULL;
}
