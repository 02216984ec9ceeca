/* Recognizes NVIDIA's own software, which comes compiled for every GPU that it supports, and tests of packages. */
#ifndef SOFTWARE_FIND_VENDOR_H
#define SOFTWARE_FIND_VENDOR_H

#include <stdbool.h>

/* "libcublas.so.12", "libcublas-1f2e3d4c.so.11" (bundled in a wheel), "cublas64_12.dll". */
bool jw_is_vendor_file(const char *base_name);

/* "nvidia-cublas-cu12", "cuda-cudart", "tensorrt", and conda's "libcufft", "cudatoolkit". */
bool jw_is_vendor_package(const char *name);

/* A folder of a Python package's own tests, installed or in a wheel ("x.whl/x/tests"), but for what is below a named one. */
bool jw_is_test_folder(const char *path);

/* It holds nothing but CUDA code, by the end of its name: .ptx, .cubin or .fatbin. */
bool jw_is_code_file(const char *path);

/* By the end of its name. */
bool jw_may_hold_code(const char *path);

#endif
