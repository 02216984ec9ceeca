#include "base/compiler.h"
#include "check.h"
#include "facts/compilers.h"

TEST(files_of_the_driver_and_of_nvidia)
{
    static const struct {
        const char *name;
        enum jw_nvidia_file kind;
    } files[] = { { "libcuda.so.1", JW_NVIDIA_TOOL },         { "libnvidia-nvvm.so.4", JW_NVIDIA_TOOL },
                  { "libcublasLt.so.12", JW_NVIDIA_LIBRARY }, { "libnvrtc.so.12", JW_NVIDIA_TOOL },
                  { "cublas64_12.dll", JW_NVIDIA_LIBRARY },   { "libcudacpp.so", JW_NVIDIA_NONE },
                  { "libggml-cuda.so", JW_NVIDIA_NONE } };

    for (size_t i = 0; i < JW_COUNT(files); i++)
        CHECK_NUM(jw_nvidia_file_of(files[i].name), files[i].kind);
    CHECK(jw_is_compiler("libnvvm.so.4", "nvvm") && jw_is_compiler("nvrtc64_120_0.dll", "nvrtc"));
    CHECK(!jw_is_compiler("libnvrtc.so.12", "nvvm") && !jw_is_compiler("libnvrtc-builtins.so.12.4", "nvrtc")
          && !jw_is_compiler("nvrtc.cpython-311-x86_64-linux-gnu.so", "nvrtc"));
}
