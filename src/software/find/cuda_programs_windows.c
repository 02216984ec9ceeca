#include "software/find/cuda_programs.h"

/* Windows has no documented way to read the environment of another process. */
bool jw_cuda_programs(const char *proc, struct jw_arena *a, struct jw_cuda_programs *out, struct jw_err *err)
{
    (void)proc;
    (void)a;
    (void)err;
    *out = (struct jw_cuda_programs){ .why = "the settings of running programs: Windows does not show them" };
    return true;
}
