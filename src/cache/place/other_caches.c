#include "cache/place/other_caches.h"

#include "base/compiler.h"
#include "base/path.h"
#include "machine/listing.h"
#include "os/machine/env.h"

#include <string.h>

enum from { NOWHERE, HOME, TEMPORARY, OF_USER };

/* Where each keeps what it compiled, as its source says. */
static const struct place {
    const char *owner, *module, *variable;
    const char *below_variable; /* behind the folder that the variable names */
    enum from from;             /* without the variable */
    const char *below;
} places[] = {
    /* triton 3.3.1, triton/runtime/cache.py: default_cache_dir */
    { "Triton", "triton", "TRITON_CACHE_DIR", NULL, HOME, ".triton/cache" },
    /* torch/_inductor/runtime/cache_dir_utils.py: default_cache_dir */
    { "PyTorch Inductor", "torch", "TORCHINDUCTOR_CACHE_DIR", NULL, TEMPORARY, "torchinductor_" },
    /* flashinfer 0.7.2, flashinfer/jit/env.py: FLASHINFER_CACHE_DIR */
    { "FlashInfer", "flashinfer", "FLASHINFER_WORKSPACE_BASE", ".cache/flashinfer", HOME,
      ".cache/flashinfer" },
    /* DeepGEMM, csrc/jit/compiler.hpp: Compiler() */
    { "DeepGEMM", "deep_gemm", "DG_JIT_CACHE_DIR", NULL, HOME, ".deep_gemm" },
    /* tilelang/env.py: TILELANG_CACHE_DIR */
    { "TileLang", "tilelang", "TILELANG_CACHE_DIR", NULL, HOME, ".tilelang/cache" },
    /* CuTeDSL, cutlass/base_dsl/cache_helpers.py: default_generated_ir_path */
    { "CuTe DSL", "nvidia_cutlass_dsl", "CUTE_DSL_CACHE_DIR", NULL, OF_USER, "cutlass_python_cache" },
    /* cupy-cuda12x 13.4.0, cupy/cuda/compiler.py: get_cache_dir */
    { "CuPy", "cupy", "CUPY_CACHE_DIR", NULL, HOME, ".cupy/kernel_cache" },
    /* numba 0.68.1, numba/core/caching.py: beside the sources where it may write there, else in the user's folder */
    { "Numba", NULL, "NUMBA_CACHE_DIR", NULL, HOME, ".cache/numba" },
    /* warp-lang 1.5.1, warp/build.py: init_kernel_cache */
    { "Warp", "warp", "WARP_CACHE_PATH", NULL, HOME, ".cache/warp" },
    /* jax/_src/config.py: jax_compilation_cache_dir is None without the variable */
    { "JAX", "jax", "JAX_COMPILATION_CACHE_DIR", NULL, NOWHERE, NULL },
    /* cuda-core 1.2.2, cuda/core/utils/_cache_dir.py */
    { "cuda.core", NULL, NULL, NULL, HOME, ".cache/cuda-python" },
    { "OptiX", NULL, "OPTIX_CACHE_PATH", NULL, NOWHERE, NULL },
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
    const char *home = jw_env_home(a);

    switch (p->from) {
    case HOME: return home ? jw_path_join(a, home, p->below) : NULL;
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
        struct jw_other_cache one = { .owner = p->owner, .module = p->module, .variable = p->variable };

        one.set = named && *named;
        one.path = !one.set            ? usual(p, a)
                   : p->below_variable ? jw_path_join(a, named, p->below_variable)
                                       : named;
        one.there = one.path && jw_is_folder(one.path);
        out[(*n)++] = one;
    }
}
