#include "doors.h"

#include <stdlib.h>
#include <string.h>

static void resolve(const struct lab_doors *d, const char *symbol, void *slot, size_t size)
{
    jw_lib_fn fn = jw_lib_symbol(&d->driver.lib, symbol);

    memcpy(slot, &fn, size);
}

bool lab_doors_open(struct lab_doors *d, struct jw_err *err)
{
    const char *path = getenv("JITWARM_DRIVER");

    memset(d, 0, sizeof *d);
    if (!jw_driver_open(&d->driver, path && *path ? path : NULL, err))
        return false;
    resolve(d, "cuModuleLoadFatBinary", &d->load_fatbinary, sizeof d->load_fatbinary);
    resolve(d, "cuLibraryGetKernel", &d->library_kernel, sizeof d->library_kernel);
    resolve(d, "cuKernelGetFunction", &d->kernel_function, sizeof d->kernel_function);
    return true;
}
