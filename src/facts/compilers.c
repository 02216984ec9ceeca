#include "facts/compilers.h"

#include "base/compiler.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- the driver's own libraries ---- */

/* In the texts of libcuda: 450 and newer the compiler, 470 libnvidia-nvvm.so, 525 to 555 libnvidia-nvvm.so.4; 390 and 418
 * have a library with the version in its name that asks for the compiler. libnvidia-nvvm70 is of newer drivers, of which
 * none was read. tests/unit/facts/driver_names.py reads the drivers that are here. */
static const char *const driver_names[] = { JW_LIBCUDA_FILE,         JW_LIBCUDA,
                                            JW_DRIVER_COMPILER_FILE, "libnvidia-nvvm.so",
                                            "libnvidia-nvvm.so.4",   "libnvidia-nvvm70.so.4" };

const char *const *jw_driver_names(size_t *n)
{
    *n = JW_COUNT(driver_names);
    return driver_names;
}

bool jw_is_libcuda(const char *name)
{
    return jw_text_starts(name, JW_LIBCUDA);
}

bool jw_is_of_driver(const char *name)
{
    return jw_is_libcuda(name) || jw_text_starts(name, "libnvidia-");
}

/* ---- NVIDIA's libraries for programs ---- */

static const struct jw_cuda_library libraries[] = {
    { "libcublas", .package = "cublas", .has_cuda_number = true },
    { "libcublasLt", .package = "cublas", .has_cuda_number = true },
    { "libcudart", .package = "cuda-runtime", .has_cuda_number = true },
    { "libcudnn", .package = "cudnn", .has_parts = true },
    { "libcufft", .package = "cufft" },
    { "libcurand", .package = "curand" },
    { "libcusolver", .package = "cusolver" },
    { "libcusparse", .package = "cusparse" },
    { "libnvrtc", .windows = "nvrtc64_", .package = "cuda-nvrtc", .has_cuda_number = true },
    { "libnvJitLink", .windows = "nvJitLink_", .package = "nvjitlink", .has_cuda_number = true },
    { "libnvvm", .windows = "nvvm64_", .package = "nvvm", .before = "cuda-nvcc", .in_no_file = true,
      .in_no_cache = true },
};

const struct jw_nvrtc_name jw_nvrtc_names[] = { { "libnvrtc.so.13", 13 },   { "libnvrtc.so.12", 12 },
                                                { "libnvrtc.so.11.2", 11 }, { "libnvrtc.so.11.1", 11 },
                                                { "libnvrtc.so.11.0", 11 }, { NULL, 0 } };

/* Without "lib", in lower case. `alone`: only the whole name, because other names begin with it. */
struct nvidia_name {
    const char *name;
    bool alone;
};

static const struct nvidia_name files[] = {
    { "cublas", false }, /* cublasLt, cublasMp */
    { "cudart", false },     { "cudensitymat", false }, { "cudla", true },   { "cudnn", false },
    { "cudss", false },      { "cufft", false },        { "cufile", false }, { "curand", false },
    { "cusolver", false },   { "cusparse", false }, /* cusparseLt */
    { "custatevec", false }, { "cutensor", false }, /* cutensornet */
    { "nccl", false },       { "npp", false },          { "nvblas", false }, { "nvcomp", false },
    { "nvimgcodec", false }, { "nvinfer", false },      { "nvjpeg", false }, { "nvonnxparser", false },
    { "nvparsers", false },  { "nvshmem", false },      { "nvtiff", false },
};

static const struct nvidia_name tools[] = {
    { "accinj", false },       { "cuda", true }, /* the driver */
    { "cudadebugger", false }, { "cudadevrt", false },     { "cuinj", false },
    { "culibos", false },      { "cupti", false },         { "nvcuda", false },
    { "nvcuvid", false },      { "nvencodeapi", false },   { "nvfatbin", false },
    { "nvidia-", false },      { "nvjitlink", false },     { "nvoptix", false },
    { "nvperf", false },       { "nvptxcompiler", false }, { "nvrtc", false },
    { "nvtoolsext", false },   { "nvvm", false },          { "pcsamplingutil", false },
};

static bool begins_one(const char *name, const struct nvidia_name *list, size_t n)
{
    name += jw_text_starts_nocase(name, "lib") ? 3 : 0;
    for (size_t i = 0; i < n; i++)
        if (jw_text_starts_nocase(name, list[i].name)
            && (!list[i].alone || name[strlen(list[i].name)] == '.'))
            return true;
    return false;
}

enum jw_nvidia_file jw_nvidia_file_of(const char *name)
{
    return begins_one(name, tools, JW_COUNT(tools))   ? JW_NVIDIA_TOOL
           : begins_one(name, files, JW_COUNT(files)) ? JW_NVIDIA_LIBRARY
                                                      : JW_NVIDIA_NONE;
}

const struct jw_cuda_library *jw_cuda_library_of(const char *name)
{
    size_t n = strcspn(name, "-.");

    for (size_t i = 0; i < JW_COUNT(libraries); i++) {
        const struct jw_cuda_library *l = &libraries[i];
        size_t k = strlen(l->stem);

        if (n >= k && strncmp(name, l->stem, k) == 0 && (n == k || (l->has_parts && name[k] == '_')))
            return l;
    }
    return NULL;
}

static const struct jw_cuda_library *compiler_of(const char *name)
{
    for (size_t i = 0; i < JW_COUNT(libraries); i++)
        if (libraries[i].windows
            && (jw_text_starts(name, libraries[i].stem) || jw_text_starts(name, libraries[i].windows)))
            return &libraries[i];
    return NULL;
}

bool jw_is_compiler(const char *name)
{
    return compiler_of(name) != NULL;
}

bool jw_is_compiler_without_cache(const char *name)
{
    const struct jw_cuda_library *l = compiler_of(name);

    return l && l->in_no_cache;
}

unsigned jw_library_major(const char *name)
{
    const char *at = strstr(name, ".so.");

    return at ? (unsigned)strtoul(at + 4, NULL, 10) : 0;
}

const char *jw_library_package(const char *name, unsigned cuda_major, struct jw_arena *a)
{
    const struct jw_cuda_library *l = jw_cuda_library_of(name);

    if (!l || !cuda_major)
        return NULL;
    if (strcmp(l->package, "cudnn") == 0)
        return jw_arena_printf(a, "nvidia-cudnn-cu%u==%u.*", cuda_major, jw_library_major(name));
    if (cuda_major >= 13)
        return jw_arena_printf(a, "nvidia-%s==%u.*", l->package, cuda_major);
    return jw_arena_printf(a, "nvidia-%s-cu%u", l->before ? l->before : l->package, cuda_major);
}

/* ---- Python packages ---- */

/* As the source of each says. */
static const struct jw_run_time packages[] = {
    /* numba-cuda 0.30.4, numba_cuda/numba/cuda/cuda_paths.py; nvJitLink where the PTX is newer than the driver */
    { "numba-cuda", "libcudart libnvrtc libnvvm", "libnvJitLink", 0 },
    /* cupy-cuda12x 14.2.0, cupy/_environment.py; the headers that it reads come with the runtime */
    { "cupy-cuda11x", "libcudart libnvrtc", "", 11 },
    { "cupy-cuda12x", "libcudart libnvrtc", "", 12 },
    { "cupy-cuda13x", "libcudart libnvrtc", "", 13 },
    /* These bring their compilers. */
    { "triton", "", "", 0 },
    { "pytorch-triton", "", "", 0 },
    { "taichi", "", "", 0 },
    { "warp-lang", "", "", 0 },
    { "tilelang", "", "", 0 },
};

const struct jw_run_time *jw_run_time_packages(size_t *n)
{
    *n = JW_COUNT(packages);
    return packages;
}

/* ---- caches ---- */

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

const char *jw_compiler_cache_beside_sources(const char *file)
{
    return strstr(file, "/__pycache__/") && (jw_text_ends(file, ".nbi") || jw_text_ends(file, ".nbc"))
               ? "numba"
               : NULL;
}

const char *jw_compiler_cache_owner(const char *name)
{
    for (size_t i = 0; i < JW_COUNT(caches); i++)
        if (strcmp(name, caches[i].name) == 0)
            return caches[i].owner;
    return jw_text_starts(name, "numba-") ? "Numba" : name;
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
