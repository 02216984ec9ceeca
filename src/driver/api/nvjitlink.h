/*
 * One nvJitLink library, NVIDIA's compiler of PTX into machine code that a CUDA toolkit and Python's packages have as a
 * library, through a table of its entry points. It needs neither a GPU nor a driver. Only a process that may be lost
 * holds one: it can crash, hang and exit.
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

/* A symbol that only the project's own simulated nvJitLink exports. */
#define JW_JITLINK_SIMULATED "jitwarm_simulated_nvjitlink"

struct jw_jitlink {
    struct jw_lib lib;
    struct jitlink_api api;
    unsigned major, minor;
    bool simulated;
};

/* An absolute path. The sentence is the loader's, or says what it lacks. */
bool jw_jitlink_open(struct jw_jitlink *j, const char *path, struct jw_err *err) JW_MUST;
void jw_jitlink_close(struct jw_jitlink *j); /* accepts a zeroed one */

/*
 * "13.0.88", appended: its release as its file spells it out; "13.0", which is all that it tells when it is asked, of a file
 * that does not. Two builds of one release make other code, so the last number matters.
 */
bool jw_jitlink_version(const struct jw_jitlink *j, struct jw_buf *out, struct jw_err *err) JW_MUST;

/*
 * Appends the machine code that it makes of `ptx`, behind which a NUL must stand. It is told to keep no cache, for which it
 * would load the driver. True, and `why` is not empty: it makes none, and that is its reason in one line; it is not cleaned.
 * Nothing of the code is validated. False only past a limit.
 */
bool jw_jitlink_compile(const struct jw_jitlink *j, struct jw_bytes ptx, const char *const *options, size_t n,
                        struct jw_buf *cubin, struct jw_buf *why, struct jw_err *err) JW_MUST;

#endif
