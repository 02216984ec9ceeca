#include "check.h"
#include "facts/compilers.h"

TEST(packages_that_hold_them)
{
    struct jw_arena arena = { 0 };

    CHECK_TEXT(jw_library_package("libcublas.so.12", 12, &arena), "nvidia-cublas-cu12");
    CHECK_TEXT(jw_library_package("libcudnn_ops_infer.so.8", 12, &arena), "nvidia-cudnn-cu12==8.*");
    CHECK_TEXT(jw_library_package("libcufft.so.10", 11, &arena), "nvidia-cufft-cu11");
    CHECK_TEXT(jw_library_package("libcublasLt.so.13", 13, &arena), "nvidia-cublas==13.*");
    CHECK(jw_library_package("libcuda.so.1", 12, &arena) == NULL);
    CHECK(jw_library_package("libcublas.so.12", 0, &arena) == NULL);
    CHECK_TEXT(jw_library_package("libnvvm", 12, &arena), "nvidia-cuda-nvcc-cu12");
    CHECK_TEXT(jw_library_package("libnvvm", 13, &arena), "nvidia-nvvm==13.*");
    jw_arena_free(&arena);
}

TEST(compilers_by_the_names_of_their_files)
{
    static const char *const yes[] = {
        "libnvrtc.so.12", "libnvrtc-672ee683.so.11.2", "libnvrtc-builtins.so.12.8.93", "nvrtc64_120_0.dll",
        "libnvvm.so.4",   "libnvJitLink.so.12",        "nvJitLink_120_0.dll"
    };
    static const char *const no[] = { "libcudart.so.12", "libcublas.so.12", "libcuda.so.1", "nvvm.py", "" };

    for (size_t i = 0; i < JW_COUNT(yes); i++)
        CHECK(jw_is_compiler(yes[i]));
    for (size_t i = 0; i < JW_COUNT(no); i++)
        CHECK(!jw_is_compiler(no[i]));
}

TEST(files_of_the_driver_and_of_nvidia)
{
    static const struct {
        const char *name;
        bool libcuda, driver;
        enum jw_nvidia_file kind;
    } files[] = { { "libcuda.so.1", true, true, JW_NVIDIA_TOOL },
                  { "libnvidia-nvvm.so.4", false, true, JW_NVIDIA_TOOL },
                  { "libcublasLt.so.12", false, false, JW_NVIDIA_LIBRARY },
                  { "libnvrtc.so.12", false, false, JW_NVIDIA_TOOL },
                  { "cublas64_12.dll", false, false, JW_NVIDIA_LIBRARY },
                  { "libcudacpp.so", false, false, JW_NVIDIA_NONE },
                  { "libggml-cuda.so", false, false, JW_NVIDIA_NONE } };

    for (size_t i = 0; i < JW_COUNT(files); i++) {
        CHECK(jw_is_libcuda(files[i].name) == files[i].libcuda);
        CHECK(jw_is_of_driver(files[i].name) == files[i].driver);
        CHECK_NUM(jw_nvidia_file_of(files[i].name), files[i].kind);
    }
    CHECK(jw_is_compiler_without_cache("libnvvm.so.4") && !jw_is_compiler_without_cache("libnvrtc.so.12"));
    CHECK_TEXT(jw_compiler_cache_owner("cupy"), "CuPy");
    CHECK_TEXT(jw_compiler_cache_owner("numba-lib"), "Numba");
    CHECK_TEXT(jw_compiler_cache_owner("taichi"), "taichi");
}

TEST(numba_keeps_its_files_beside_the_sources)
{
    CHECK_TEXT(jw_compiler_cache_beside_sources("/home/ada/lib/__pycache__/kern.add-3.py311.nbi"), "numba");
    CHECK_TEXT(jw_compiler_cache_beside_sources("/home/ada/lib/__pycache__/kern.add-3.py311.1.nbc"), "numba");
    CHECK(!jw_compiler_cache_beside_sources("/home/ada/lib/__pycache__/kern.cpython-311.pyc"));
    CHECK(!jw_compiler_cache_beside_sources("/home/ada/lib/kern.nbi"));
}
