/* Names: of errors, and of the entry points. */
#include "sim.h"

#include <string.h>

enum { STATUS_FOUND = 0, STATUS_UNKNOWN = 1, STATUS_TOO_OLD = 2 };

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
    { CU_OK, "CUDA_SUCCESS", "no error" },
    { CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
    { CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
    { CU_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
    { CU_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library" },
    { CU_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE",
      "CUDA-capable device(s) is/are busy or unavailable" },
    { CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
    { CU_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
    { CU_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid" },
    { CU_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
    { CU_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
      "no kernel image is available for execution on the device" },
    { CU_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed" },
    { CU_JIT_COMPILER_NOT_FOUND, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found" },
    { CU_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
      "the provided PTX was compiled with an unsupported toolchain." },
    { CU_JIT_COMPILATION_DISABLED, "CUDA_ERROR_JIT_COMPILATION_DISABLED",
      "PTX JIT compilation was disabled" },
    { CU_INVALID_SOURCE, "CUDA_ERROR_INVALID_SOURCE", "device kernel image is invalid" },
    { CU_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
    { CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
    { CU_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported" },
    { 802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized" },
    { 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
      "system has unsupported display driver / cuda driver combination" },
    { 804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
      "forward compatibility was attempted on non supported HW" },
    { CU_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error" },
};

static int error_at(int code, size_t *at)
{
    for (*at = 0; *at < JW_COUNT(errors); ++*at)
        if (errors[*at].code == code)
            return CU_OK;
    return CU_INVALID_VALUE;
}

int cuGetErrorName(int code, const char **name)
{
    size_t at;
    int r = error_at(code, &at);

    if (!name)
        return CU_INVALID_VALUE;
    *name = r == CU_OK ? errors[at].name : NULL;
    return r;
}

int cuGetErrorString(int code, const char **text)
{
    size_t at;
    int r = error_at(code, &at);

    if (!text)
        return CU_INVALID_VALUE;
    *text = r == CU_OK ? errors[at].text : NULL;
    return r;
}

/* The name that programs ask for, without _v2; since which CUDA version the function is there. */
static const struct {
    const char *name;
    int since;
    void (*function)(void);
} entries[] = {
#define E(name, since, function)                                                                             \
    {                                                                                                        \
        name, since, (void (*)(void))function                                                                \
    }
    E("cuInit", 2000, cuInit),
    E("cuDriverGetVersion", 2020, cuDriverGetVersion),
    E("cuDeviceGetCount", 2000, cuDeviceGetCount),
    E("cuDeviceGet", 2000, cuDeviceGet),
    E("cuDeviceGetName", 2000, cuDeviceGetName),
    E("cuDeviceGetUuid", 9020, cuDeviceGetUuid),
    E("cuDeviceGetUuid", 11040, cuDeviceGetUuid_v2),
    E("cuDeviceGetAttribute", 2000, cuDeviceGetAttribute),
    E("cuDeviceTotalMem", 3020, cuDeviceTotalMem_v2),
    E("cuCtxCreate", 3020, cuCtxCreate_v2),
    E("cuCtxDestroy", 4000, cuCtxDestroy_v2),
    E("cuCtxSetCurrent", 4000, cuCtxSetCurrent),
    E("cuCtxGetCurrent", 4000, cuCtxGetCurrent),
    E("cuCtxSynchronize", 2000, cuCtxSynchronize),
    E("cuDevicePrimaryCtxRetain", 7000, cuDevicePrimaryCtxRetain),
    E("cuDevicePrimaryCtxRelease", 11000, cuDevicePrimaryCtxRelease_v2),
    E("cuModuleLoadData", 2000, cuModuleLoadData),
    E("cuModuleLoadDataEx", 2010, cuModuleLoadDataEx),
    E("cuModuleLoadFatBinary", 2000, cuModuleLoadFatBinary),
    E("cuModuleGetFunction", 2000, cuModuleGetFunction),
    E("cuModuleUnload", 2000, cuModuleUnload),
    E("cuModuleGetLoadingMode", 11070, cuModuleGetLoadingMode),
    E("cuModuleEnumerateFunctions", 12040, cuModuleEnumerateFunctions),
    E("cuModuleGetFunctionCount", 12040, cuModuleGetFunctionCount),
    E("cuFuncLoad", 12040, cuFuncLoad),
    E("cuFuncGetName", 12030, cuFuncGetName),
    E("cuLaunchKernel", 4000, cuLaunchKernel),
    E("cuMemAlloc", 3020, cuMemAlloc_v2),
    E("cuMemFree", 3020, cuMemFree_v2),
    E("cuMemcpyHtoD", 3020, cuMemcpyHtoD_v2),
    E("cuMemcpyDtoH", 3020, cuMemcpyDtoH_v2),
    E("cuMemGetInfo", 3020, cuMemGetInfo_v2),
    E("cuGetErrorName", 6000, cuGetErrorName),
    E("cuGetErrorString", 6000, cuGetErrorString),
    E("cuLinkCreate", 6050, cuLinkCreate_v2),
    E("cuLinkAddData", 6050, cuLinkAddData_v2),
    E("cuLinkComplete", 5050, cuLinkComplete),
    E("cuLinkDestroy", 5050, cuLinkDestroy),
    E("cuLibraryLoadData", 12000, cuLibraryLoadData),
    E("cuLibraryUnload", 12000, cuLibraryUnload),
    E("cuLibraryGetKernelCount", 12040, cuLibraryGetKernelCount),
    E("cuLibraryEnumerateKernels", 12040, cuLibraryEnumerateKernels),
    E("cuKernelGetFunction", 12000, cuKernelGetFunction),
    E("cuGetProcAddress", 11030, cuGetProcAddress),
    E("cuGetProcAddress", 12000, cuGetProcAddress_v2),
#undef E
};

/* The newest of that name that neither the driver nor the caller's CUDA version is too old for. */
static int find_entry(const char *symbol, int version, void **address)
{
    int r, best = 0, status = STATUS_UNKNOWN;
    const struct sim_config *c = sim_settings(&r);

    *address = NULL;
    for (size_t i = 0; i < JW_COUNT(entries); i++) {
        if (strcmp(entries[i].name, symbol) != 0)
            continue;
        if (status == STATUS_UNKNOWN)
            status = STATUS_TOO_OLD;
        if (entries[i].since > version || entries[i].since > c->cuda || entries[i].since <= best)
            continue;
        best = entries[i].since;
        memcpy(address, &entries[i].function, sizeof *address);
        status = STATUS_FOUND;
    }
    return status;
}

int cuGetProcAddress_v2(const char *symbol, void **address, int version, uint64_t flags, int *status)
{
    (void)flags;
    if (!symbol || !address)
        return CU_INVALID_VALUE;
    int r, found = find_entry(symbol, version, address);
    const struct sim_config *c = sim_settings(&r);

    if (c->sw.trace && found != STATUS_FOUND)
        sim_say("asked in vain for %s of CUDA %d", symbol, version);
    if (status)
        *status = found;
    return found == STATUS_FOUND || status ? CU_OK : CU_NOT_FOUND;
}

int cuGetProcAddress(const char *symbol, void **address, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(symbol, address, version, flags, NULL);
}
