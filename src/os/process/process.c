#include "os/process/process.h"

bool jw_process_capture(const char *exe, const char *const argv[], unsigned timeout_ms, struct jw_buf *out,
                        int *exit_code, struct jw_err *err)
{
    return jw_process_run(&(struct jw_process_options){ .exe = exe, .argv = argv, .timeout_ms = timeout_ms },
                          out, exit_code, err);
}
