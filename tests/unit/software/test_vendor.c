#include "check.h"
#include "software/find/vendor.h"

/* Each of the words. */
static void all_are(bool (*is)(const char *name), const char *words, bool wanted)
{
    char name[64];

    for (int n; sscanf(words, "%63s%n", name, &n) == 1; words += n)
        CHECK(is(name) == wanted || (printf("%s\n", name), false));
    CHECK(!is(""));
}

TEST(files)
{
    all_are(
        jw_is_vendor_file,
        "libcublas.so libcublas.so.12 libcublasLt.so.12.4.5.8 libcublas-1f2e3d4c.so.11 "
        "libcuda.so.1 "
        "libcudnn_ops_infer.so.8 libcudart-d0da41ae.so.11.0 libnppif.so.12 libnvinfer_plugin.so.10 "
        "libnvshmem_host.so.3 libnvvm.so.4 libnvidia-ptxjitcompiler.so.580.126.09 cublas64_12.dll "
        "cublasLt64_12.dll nvJitLink_120_0.dll nvrtc-builtins64_120.dll CUDNN64_8.DLL nvcuda.dll",
        true);
    all_are(jw_is_vendor_file,
            "libtorch_cuda.so libcudf.so libcuda_kernels.so ggml-cuda.dll libcublas .so", false);
    all_are(jw_is_vendor_file, "cublas.so cublas.py cublas.cpython-310-x86_64-linux-gnu.so",
            false); /* of cupy */
}

TEST(packages)
{
    all_are(jw_is_vendor_package,
            "nvidia-cublas-cu12 nvidia_cublas_cu12 NVIDIA.cuDNN nvidia cuda-cudart cudatoolkit "
            "libcufft "
            "tensorrt_cu12_libs",
            true);
    all_are(jw_is_vendor_package, "tensorrt_llm torch cupy-cuda12x cudaq", false);
}
