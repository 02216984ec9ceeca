#include "check.h"
#include "facts/libraries.h"

TEST(compilers_that_programs_load)
{
    CHECK(jw_is_compiler("libnvvm.so.4", "nvvm") && jw_is_compiler("nvrtc64_120_0.dll", "nvrtc"));
    CHECK(!jw_is_compiler("libnvrtc.so.12", "nvvm")
          && !jw_is_compiler("libnvrtc-builtins.so.12.4", "nvrtc")
          && !jw_is_compiler("nvrtc.cpython-311-x86_64-linux-gnu.so", "nvrtc"));
}
