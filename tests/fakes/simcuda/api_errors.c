/* Names of errors. */
#include "sim.h"

#include "facts/errors.h"

#include <string.h>

/* The runtime's name follows the driver's in the table, where they differ. */
int cuGetErrorName(int code, const char **name)
{
    static _Thread_local char text[128];
    const char *known = code == CU_OK ? "CUDA_SUCCESS" : jw_error_name((unsigned)code);

    if (!name)
        return CU_INVALID_VALUE;
    (void)snprintf(text, sizeof text, "%.*s", known ? (int)strcspn(known, " ") : 0,
                   known ? known : "");
    *name = known ? text : NULL;
    return known ? CU_OK : CU_INVALID_VALUE;
}
