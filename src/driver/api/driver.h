/*
 * One CUDA driver library, through a table of its entry points. Only a process that may be lost holds one: a
 * driver can crash, hang, print and exit.
 */
#ifndef DRIVER_API_DRIVER_H
#define DRIVER_API_DRIVER_H

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/machine/lib.h"

#include <stdbool.h>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUlinkState_st;
struct CUlib_st;
struct CUkern_st;
struct CUuuid_st {
    char bytes[16];
};

struct cu_api {
#define F(need, field, name, suffix, version, parameters) unsigned(*field) parameters;
#include "driver/api/driver_api.def"
#undef F
};

enum { JW_CU_OK = 0, JW_CU_INVALID_VALUE = 1, JW_CU_NOT_FOUND = 500 };

/* A symbol that only the project's own simulated driver exports. */
#define JW_CU_SIMULATED "jitwarm_simulated_driver"

struct jw_driver {
    struct jw_lib lib;
    struct cu_api api;
    bool simulated;
};

/* `path` NULL: the system's (libcuda.so.1, nvcuda.dll). Loads it and finds its entry points; calls nothing
 * but cuGetProcAddress. JW_E_DRIVER: there is such a library, but it is no driver; jw_driver_file can tell
 * which. */
bool jw_driver_open(struct jw_driver *d, const char *path, struct jw_err *err) JW_MUST;
void jw_driver_close(struct jw_driver *d); /* accepts a zeroed one */

/* Fills the table from a library; the sentence names the first entry point that it lacks. */
bool jw_driver_bind(struct cu_api *api, const struct jw_lib *lib, struct jw_err *err) JW_MUST;

/* Is a loaded file of this name the driver itself, of those that have a loader in front? The DriverStore's nvcuda64.dll is, and
 * System32's nvcuda.dll is not. */
bool jw_driver_behind_loader(const char *path);

/* The file that the driver's code is in, appended: after cuInit it may be another than the one that was
 * loaded, for WSL and Windows have a small loader in front. */
bool jw_driver_file(const struct jw_driver *d, struct jw_buf *path, struct jw_err *err) JW_MUST;

unsigned jw_driver_cuda_version(const struct jw_driver *d); /* 13010; 0: it does not say */

struct jw_cu_name {
    char text[64];
};

/* "CUDA_ERROR_NO_DEVICE": from our own table, else the driver's word (`api` may be NULL), else "CUresult
 * 34". */
struct jw_cu_name jw_cu_name(const struct cu_api *api, unsigned result);

#endif
