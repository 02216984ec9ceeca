/*
 * The CUDA driver's entry points as a program sees them, declared here so that no CUDA header is
 * needed: enums are int, handles are pointers, and every function gives a CUresult.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define SIM_EXPORT __declspec(dllexport)
#else
#define SIM_EXPORT __attribute__((visibility("default")))
#endif

enum {
    CU_OK = 0,
    CU_INVALID_VALUE = 1,
    CU_OUT_OF_MEMORY = 2,
    CU_NOT_INITIALIZED = 3,
    CU_STUB_LIBRARY = 34,
    CU_DEVICE_UNAVAILABLE = 46,
    CU_NO_DEVICE = 100,
    CU_INVALID_DEVICE = 101,
    CU_INVALID_IMAGE = 200,
    CU_INVALID_CONTEXT = 201,
    CU_NO_BINARY_FOR_GPU = 209,
    CU_INVALID_PTX = 218,
    CU_JIT_COMPILER_NOT_FOUND = 221,
    CU_UNSUPPORTED_PTX_VERSION = 222,
    CU_JIT_COMPILATION_DISABLED = 223,
    CU_INVALID_SOURCE = 300,
    CU_INVALID_HANDLE = 400,
    CU_NOT_FOUND = 500,
    CU_NOT_SUPPORTED = 801,
    CU_UNKNOWN = 999
};

enum { CU_COMPUTE_DEFAULT = 0, CU_COMPUTE_PROHIBITED = 2, CU_COMPUTE_EXCLUSIVE = 3 };
enum { CU_INPUT_CUBIN = 0, CU_INPUT_PTX = 1, CU_INPUT_FATBINARY = 2 };

/* Those of CUjit_option that mean something here. */
enum { CU_OPT_INFO_LOG = 3, CU_OPT_ERROR_LOG = 5, CU_OPT_ERROR_LOG_SIZE = 6, CU_OPT_TARGET = 9 };

SIM_EXPORT extern const char jitwarm_simulated_driver[];

SIM_EXPORT int cuInit(unsigned flags);
SIM_EXPORT int cuDriverGetVersion(int *version);
SIM_EXPORT int cuDeviceGetCount(int *count);
SIM_EXPORT int cuDeviceGet(int *device, int ordinal);
SIM_EXPORT int cuDeviceGetName(char *name, int size, int device);
SIM_EXPORT int cuDeviceGetUuid(unsigned char *uuid, int device);
SIM_EXPORT int cuDeviceGetUuid_v2(unsigned char *uuid, int device);
SIM_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device);
SIM_EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device);
SIM_EXPORT int cuCtxCreate_v2(void **ctx, unsigned flags, int device);
SIM_EXPORT int cuCtxSetCurrent(void *ctx);
SIM_EXPORT int cuDevicePrimaryCtxRetain(void **ctx, int device);
SIM_EXPORT int cuDevicePrimaryCtxRelease(int device);
SIM_EXPORT int cuModuleLoadData(void **module, const void *image);
SIM_EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options,
                                  void **values);
SIM_EXPORT int cuModuleGetFunction(void **function, void *module, const char *name);
SIM_EXPORT int cuModuleUnload(void *module);
SIM_EXPORT int cuMemGetInfo_v2(size_t *unused, size_t *total);
SIM_EXPORT int cuGetErrorName(int code, const char **name);
SIM_EXPORT int cuLinkCreate_v2(unsigned n, int *options, void **values, void **link);
SIM_EXPORT int cuLinkAddData_v2(void *link, int type, void *data, size_t size, const char *name,
                                unsigned n, int *options, void **values);
SIM_EXPORT int cuLinkDestroy(void *link);
