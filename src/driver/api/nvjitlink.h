/*
 * An nvJitLink library (NVIDIA's PTX compiler of the CUDA toolkit) and its entry points. It needs neither a GPU nor a
 * driver. Only a worker process loads one, because it can crash, hang or exit.
 */
#ifndef DRIVER_API_NVJITLINK_H
#define DRIVER_API_NVJITLINK_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/machine/lib.h"

#include <stdbool.h>
#include <stddef.h>

struct nvJitLink;

struct jitlink_api {
#define F(field, name, parameters) unsigned(*field) parameters;
#include "driver/api/nvjitlink_api.def"
#undef F
};

struct jw_jitlink {
    struct jw_lib lib;
    struct jitlink_api api;
    unsigned major, minor;
};

/* `path` is absolute. */
bool jw_jitlink_open(struct jw_jitlink *j, const char *path, struct jw_err *err) JW_MUST;
void jw_jitlink_close(struct jw_jitlink *j); /* accepts a zeroed one */

/* Appends "13.0.88" from the text in its file, or else "13.0" from its API. Builds of one release make different code,
 * so the last number matters. */
bool jw_jitlink_version(const struct jw_jitlink *j, struct jw_buf *out, struct jw_err *err) JW_MUST;

/*
 * Compiles `ptx`, which a NUL must follow, and appends the machine code, unvalidated. The library's cache is off: it
 * would load the driver for it. When it rejects the PTX, the result is true and `why` has its reason in one line, not
 * made printable. False only past a limit.
 */
bool jw_jitlink_compile(const struct jw_jitlink *j, struct jw_bytes ptx, const char *const *options, size_t n,
                        struct jw_buf *cubin, struct jw_buf *why, struct jw_err *err) JW_MUST;

#endif
