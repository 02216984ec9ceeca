#include "facts/compilers.h"

#include "base/compiler.h"
#include "base/text.h"

#include <string.h>

/* ---- the driver's own libraries ---- */

/* In the texts of libcuda: 450 and newer the compiler, 470 libnvidia-nvvm.so, 525 to 555 libnvidia-nvvm.so.4; 390 and 418
 * have a library with the version in its name that asks for the compiler. libnvidia-nvvm70 is of newer drivers, of which
 * none was read. tests/unit/facts/driver_names.py reads the drivers that are here. */
const char *const jw_driver_names[] = {
    JW_LIBCUDA_FILE,         JW_LIBCUDA, JW_DRIVER_COMPILER_FILE, "libnvidia-nvvm.so", "libnvidia-nvvm.so.4",
    "libnvidia-nvvm70.so.4", NULL
};

/* ---- NVIDIA's libraries for programs ---- */

const char *const jw_nvrtc_names[] = { "libnvrtc.so.13",   "libnvrtc.so.12",   "libnvrtc.so.11.2",
                                       "libnvrtc.so.11.1", "libnvrtc.so.11.0", NULL };

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

bool jw_is_compiler(const char *name, const char *compiler)
{
    return (jw_text_starts(name, "lib") || jw_text_ends(name, ".dll"))
           && begins_one(name, &(struct nvidia_name){ compiler, false }, 1) && !strstr(name, "-builtins");
}
