#include "facts/libraries.h"

#include "base/compiler.h"
#include "base/text.h"

#include <string.h>

/* What libcuda's own texts name: from 450 on the compiler, 470 libnvidia-nvvm.so, 525 to 555
 * libnvidia-nvvm.so.4; 390 and 418 have a library with the version in its name that asks for the
 * compiler. libnvidia-nvvm70 is of newer drivers, of which none was read.
 * tests/unit/facts/driver_names.py reads the drivers that are here. */
const char *const jw_driver_names[] = {JW_LIBCUDA_FILE,
                                       JW_LIBCUDA,
                                       JW_DRIVER_COMPILER_FILE,
                                       "libnvidia-nvvm.so",
                                       "libnvidia-nvvm.so.4",
                                       "libnvidia-nvvm70.so.4",
                                       NULL};

const char *const jw_driver_compilers[] = {JW_DRIVER_COMPILER, "libnvidia-nvvm",
                                           "libnvidia-tileiras", NULL};

const char *const jw_nvrtc_names[] = {"libnvrtc.so.13",   "libnvrtc.so.12",   "libnvrtc.so.11.2",
                                      "libnvrtc.so.11.1", "libnvrtc.so.11.0", NULL};

/* How their names begin, without "lib", in lower case; with a point where other names begin so. */
static const char *const files[] = {
    "accinj",       "cublas",        "cuda.",       "cudadebugger", "cudadevrt", "cudart",
    "cudensitymat", "cudla.",        "cudnn",       "cudss",        "cufft",     "cufile",
    "cuinj",        "culibos",       "cupti",       "curand",       "cusolver",  "cusparse",
    "custatevec",   "cutensor",      "nccl",        "npp",          "nvblas",    "nvcomp",
    "nvcuda",       "nvcuvid",       "nvencodeapi", "nvfatbin",     "nvidia-",   "nvimgcodec",
    "nvinfer",      "nvjitlink",     "nvjpeg",      "nvonnxparser", "nvoptix",   "nvparsers",
    "nvperf",       "nvptxcompiler", "nvrtc",       "nvshmem",      "nvtiff",    "nvtoolsext",
    "nvvm",         "pcsamplingutil"};

static bool begins_one(const char *name, const char *const *list, size_t n)
{
    name += jw_text_starts_nocase(name, "lib") ? 3 : 0;
    for (size_t i = 0; i < n; i++)
        if (jw_text_starts_nocase(name, list[i]))
            return true;
    return false;
}

bool jw_is_nvidia_file(const char *name) { return begins_one(name, files, JW_COUNT(files)); }

bool jw_is_compiler(const char *name, const char *compiler)
{
    return (jw_text_starts(name, "lib") || jw_text_ends(name, ".dll"))
           && begins_one(name, &compiler, 1) && !strstr(name, "-builtins");
}
