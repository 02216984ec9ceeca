#include "check.h"
#include "software/find/vendor.h"

TEST(linux_names)
{
    CHECK(jw_is_vendor_file("libcublas.so"));
    CHECK(jw_is_vendor_file("libcublas.so.12"));
    CHECK(jw_is_vendor_file("libcublasLt.so.12.4.5.8"));
    CHECK(jw_is_vendor_file("libcublas-1f2e3d4c.so.11"));
    CHECK(jw_is_vendor_file("libcudnn_ops_infer.so.8"));
    CHECK(jw_is_vendor_file("libcudart-d0da41ae.so.11.0"));
    CHECK(jw_is_vendor_file("libnppif.so.12"));
    CHECK(jw_is_vendor_file("libnvinfer_plugin.so.10"));
    CHECK(jw_is_vendor_file("libnvshmem_host.so.3"));
    CHECK(jw_is_vendor_file("libcuda.so.1") && jw_is_vendor_file("libnvvm.so.4"));
    CHECK(jw_is_vendor_file("libnvidia-ptxjitcompiler.so.580.126.09"));
}

TEST(windows_names)
{
    CHECK(jw_is_vendor_file("cublas64_12.dll") && jw_is_vendor_file("cublasLt64_12.dll"));
    CHECK(jw_is_vendor_file("nvJitLink_120_0.dll"));
    CHECK(jw_is_vendor_file("nvrtc-builtins64_120.dll"));
    CHECK(jw_is_vendor_file("CUDNN64_8.DLL"));
    CHECK(jw_is_vendor_file("nvcuda.dll"));
}

TEST(others)
{
    CHECK(!jw_is_vendor_file("libtorch_cuda.so") && !jw_is_vendor_file("libcudf.so")
          && !jw_is_vendor_file("libcuda_kernels.so"));
    CHECK(!jw_is_vendor_file("cublas.py"));
    CHECK(!jw_is_vendor_file("cublas.so")); /* cupy's extension modules are called so */
    CHECK(!jw_is_vendor_file("cublas.cpython-310-x86_64-linux-gnu.so"));
    CHECK(!jw_is_vendor_file("ggml-cuda.dll") && !jw_is_vendor_file("libcublas"));
    CHECK(!jw_is_vendor_file("") && !jw_is_vendor_file(".so"));
}

TEST(packages)
{
    CHECK(jw_is_vendor_package("nvidia-cublas-cu12"));
    CHECK(jw_is_vendor_package("nvidia_cublas_cu12"));
    CHECK(jw_is_vendor_package("NVIDIA.cuDNN"));
    CHECK(jw_is_vendor_package("nvidia"));
    CHECK(jw_is_vendor_package("cuda-cudart"));
    CHECK(jw_is_vendor_package("cudatoolkit"));
    CHECK(jw_is_vendor_package("libcufft"));
    CHECK(jw_is_vendor_package("tensorrt_cu12_libs"));
    CHECK(!jw_is_vendor_package("tensorrt_llm"));
    CHECK(!jw_is_vendor_package("torch"));
    CHECK(!jw_is_vendor_package("cupy-cuda12x"));
    CHECK(!jw_is_vendor_package("cudaq"));
    CHECK(!jw_is_vendor_package(""));
}
