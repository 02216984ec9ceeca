#include "check.h"
#include "facts/errors.h"

static unsigned code(const char *line)
{
    struct jw_error_known known;

    return jw_error_in_log(line, &known) ? known.code : 0;
}

TEST(numbers)
{
    CHECK_TEXT(jw_error_name(222), "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
    CHECK_TEXT(jw_error_name(209), "CUDA_ERROR_NO_BINARY_FOR_GPU");
    CHECK(!jw_error_name(0) && !jw_error_name(9999));
}

TEST(half_a_line_is_not_known)
{
    struct jw_error_known known;

    CHECK(!jw_error_in_log("Ignoring visible gpu device", &known));
    CHECK(!jw_error_in_log("The minimum required Cuda capability is; Ignoring visible gpu device",
                           &known));
    CHECK(!jw_error_in_log("", &known) && !jw_error_in_log("all is well", &known));
}

/* By the driver's name, the runtime's name, the number, and the driver's own sentence. */
TEST(errors_of_cuda_in_a_log)
{
    CHECK_NUM(code("numba.cuda.cudadrv.driver.CudaAPIError: [222] Call to cuLinkAddData results in "
                   "CUDA_ERROR_X"),
              222);
    CHECK_NUM(code("code=222( cudaErrorUnsupportedPtxVersion ) cudaStreamCreateWithFlags(&stream)"),
              222);
    CHECK_NUM(code("CUDA error 218 at x.cu:12"), 218);
    CHECK_NUM(code("CUDA failure 804: nobody knows"), 804);
    CHECK_NUM(code("cudart init failure: 802"), 802);
    CHECK_NUM(code("CUDA error: out of memory"), 2);
    CHECK_NUM(code("CUDA error: an illegal memory access was encountered"), 700);
    CHECK_NUM(code("CUDA_ERROR_INVALID_PTXES and MY_CUDA_ERROR_INVALID_PTX"), 0);
    CHECK_NUM(code("error 404: the page about cuda was not found"), 0);
    CHECK_NUM(code("error 222 of a program"), 0);
    CHECK_NUM(code("cuda 12.4, error 1234, error 2"), 0);
}
