/* Recognizes NVIDIA's own software, which comes compiled for every GPU that it supports, and tests
 * of packages. */
#pragma once

#include <stdbool.h>

/* Is it a library of NVIDIA's: "libcublas.so.12", "libcublas-1f2e3d4c.so.11" (bundled in a wheel),
 * "cublas64_12.dll"? */
bool jw_is_vendor_file(const char *base_name);

/* Is it a package of NVIDIA's: "nvidia-cublas-cu12", "cuda-cudart", "tensorrt", or conda's
 * "libcufft", "cudatoolkit"? */
bool jw_is_vendor_package(const char *name);

/* Is it a folder of a Python package's own tests, installed or in a wheel ("x.whl/x/tests")?
 * Folders below one are none. */
bool jw_is_test_folder(const char *path);

/* Does the end of its name say that it holds nothing but CUDA code: .ptx, .cubin or .fatbin? */
bool jw_is_code_file(const char *path);

/* Does the end of its name allow CUDA code in it? */
bool jw_may_hold_code(const char *path);
