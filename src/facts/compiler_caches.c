#include "facts/compiler_caches.h"

#include "base/compiler.h"

#include <string.h>

/* As the source of each says. */
static const struct jw_compiler_cache caches[] = {
    /* triton 3.9.0, triton/knobs.py: cache_knobs.dir, home_dir */
    { "triton", "Triton", "triton", "TRITON_CACHE_DIR", NULL, JW_CACHE_HOME, ".triton/cache", "TRITON_HOME" },
    /* torch/_inductor/runtime/cache_dir_utils.py: default_cache_dir */
    { "torchinductor", "PyTorch Inductor", "torch", "TORCHINDUCTOR_CACHE_DIR", NULL, JW_CACHE_TEMPORARY,
      "torchinductor_", NULL },
    /* flashinfer 0.7.2, flashinfer/jit/env.py: FLASHINFER_CACHE_DIR */
    { "flashinfer", "FlashInfer", "flashinfer", "FLASHINFER_WORKSPACE_BASE", ".cache/flashinfer",
      JW_CACHE_HOME, ".cache/flashinfer", NULL },
    /* DeepGEMM, csrc/jit/compiler.hpp: Compiler() */
    { "deep-gemm", "DeepGEMM", "deep_gemm", "DG_JIT_CACHE_DIR", NULL, JW_CACHE_HOME, ".deep_gemm", NULL },
    /* tilelang 0.1.15, tilelang/env.py: TILELANG_CACHE_DIR */
    { "tilelang", "TileLang", "tilelang", "TILELANG_CACHE_DIR", NULL, JW_CACHE_HOME, ".tilelang/cache",
      NULL },
    /* CuTeDSL, cutlass/base_dsl/cache_helpers.py: default_generated_ir_path */
    { "cute-dsl", "CuTe DSL", "nvidia_cutlass_dsl", "CUTE_DSL_CACHE_DIR", NULL, JW_CACHE_OF_USER,
      "cutlass_python_cache", NULL },
    /* cupy-cuda12x 14.2.0, cupy/cuda/_compiler_cache.py */
    { "cupy", "CuPy", "cupy", "CUPY_CACHE_DIR", NULL, JW_CACHE_HOME, ".cupy/kernel_cache", NULL },
    /* numba 0.68.1, numba/core/caching.py: beside the sources where it may write there, else in the user's folder */
    { "numba", "Numba", NULL, "NUMBA_CACHE_DIR", NULL, JW_CACHE_CACHES, "numba", NULL },
    /* warp-lang 1.19.0, warp/_src/build.py: init_kernel_cache */
    { "warp", "Warp", "warp", "WARP_CACHE_PATH", NULL, JW_CACHE_CACHES, "warp", NULL },
    /* vLLM, vllm/envs.py: VLLM_CACHE_ROOT; its torch.compile and DeepGEMM caches are below it */
    { "vllm", "vLLM", "vllm", "VLLM_CACHE_ROOT", NULL, JW_CACHE_CACHES, "vllm", NULL },
    /* torch/utils/cpp_extension.py: get_default_build_root */
    { "torch-extensions", "PyTorch extensions", NULL, "TORCH_EXTENSIONS_DIR", NULL, JW_CACHE_CACHES,
      "torch_extensions", NULL },
    /* cuda-tile 1.7.0, cutile_cache/_env.py */
    { "cutile", "cuTile", NULL, "CUDA_TILE_CACHE_DIR", NULL, JW_CACHE_CACHES, "cutile-python", NULL },
    /* jax 0.12.0, jax/_src/config.py: jax_compilation_cache_dir is None without the variable */
    { "jax", "JAX", "jax", "JAX_COMPILATION_CACHE_DIR", NULL, JW_CACHE_NOWHERE, NULL, NULL },
    /* cuda-core 1.2.2, cuda/core/utils/_cache_dir.py */
    { "cuda-core", "cuda.core", NULL, NULL, NULL, JW_CACHE_CACHES, "cuda-python", NULL },
    { "optix", "OptiX", NULL, "OPTIX_CACHE_PATH", NULL, JW_CACHE_NOWHERE, NULL, NULL },
};

const struct jw_compiler_cache *jw_compiler_caches(size_t *n)
{
    *n = JW_COUNT(caches);
    return caches;
}

bool jw_moves_compiler_cache(const char *variable)
{
    for (size_t i = 0; i < JW_COUNT(caches); i++) {
        const struct jw_compiler_cache *c = &caches[i];

        if ((c->variable && strcmp(c->variable, variable) == 0)
            || (c->home && strcmp(c->home, variable) == 0))
            return true;
    }
    return false;
}
