#include "check.h"
#include "facts/errors.h"

#include <stddef.h>

TEST(numbers)
{
    CHECK_TEXT(jw_error_name(222), "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
    CHECK_HAS(jw_error_meaning(222), "PTX is newer than the driver");
    CHECK_HAS(jw_error_name(209), "NO_BINARY_FOR_GPU");
    CHECK(!jw_error_name(0) && !jw_error_name(1) && !jw_error_meaning(12345));
}

TEST(lines_of_a_log)
{
    CHECK_HAS(
        jw_error_in_log("RuntimeError: CUDA error: No kernel image is available for execution on the device"),
        "209");
    CHECK_HAS(
        jw_error_in_log("RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch "
                        "installation."),
        "PyTorch");
    CHECK_HAS(jw_error_in_log(
                  "Ignoring visible gpu device (device: 0, name: X). The minimum required Cuda capability "
                  "is 3.5."),
              "old GPU");
    CHECK(!jw_error_in_log("Ignoring visible gpu device"));
    CHECK(!jw_error_in_log("The minimum required Cuda capability is; Ignoring visible gpu device"));
    CHECK(!jw_error_in_log("") && !jw_error_in_log("all is well"));
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(numbers), T(lines_of_a_log));
}
