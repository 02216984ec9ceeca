/*
 * One CUDA driver library, through a table of its entry points. Only a process that may be lost holds one: a
 * driver can crash, hang, print and exit.
 */
#ifndef DRIVER_API_DRIVER_H
#define DRIVER_API_DRIVER_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/limits.h"
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

/*
 * One module for the driver to load, which makes it compile and cache. The image comes with zero JIT options,
 * because that is what the CUDA runtime does, and other options would make another cache entry. driver-fact:
 * F15-doors-agree, F18-jit-options-in-key
 */

/* Room for an image: 64-byte aligned, followed by zeros, which end a PTX text and stop a reader of
 * containers. */
struct jw_image_room {
    uint8_t *p;
    size_t n;
    void *memory;
};

bool jw_image_room_new(struct jw_image_room *r, size_t n, struct jw_err *err) JW_MUST;
void jw_image_room_free(struct jw_image_room *r); /* accepts a zeroed one */

/* A context on one device, current on this thread while it is open. */
struct jw_gpu {
    const struct cu_api *api;
    int device;
    struct CUctx_st *ctx;
    bool primary;
};

unsigned jw_gpu_open(struct jw_gpu *g, const struct cu_api *api, unsigned index);
void jw_gpu_close(struct jw_gpu *g); /* accepts a zeroed one */

/*
 * Loads and unloads. Nothing is validated here: the caller must have done it. `target`: an architecture to compile for,
 * whatever this device has; 0: its own.
 */
unsigned jw_load_image(const struct jw_gpu *g, const struct jw_image_room *image, uint16_t target);

/* The driver's words about a module, as it wrote them: not to be shown unchecked. */
struct jw_load_log {
    char error[JW_MAX_LOG / 2], info[JW_MAX_LOG / 2];
};

/* The same with buffers for the driver's words: options that may change the cache's key. */
unsigned jw_load_explained(const struct jw_gpu *g, const struct jw_image_room *image,
                           struct jw_load_log *log);

/* Loads a canary (ptx/canary.ptx), has it write what it makes of `x` to four bytes of its own, and unloads. */
unsigned jw_load_launch(const struct jw_gpu *g, const struct jw_image_room *image, const char *kernel,
                        uint32_t x, uint32_t *number);

/* Free and all bytes of the device; zeros when the driver does not say. */
void jw_gpu_memory(const struct jw_gpu *g, uint64_t *unused, uint64_t *total);

/* What the driver says about one GPU, or one slice of a GPU. */

struct jw_device {
    char uuid[48]; /* "GPU-..." or "MIG-..."; "" when the driver is too old to say */
    char name[96];
    char pci[20]; /* "0000:01:00.0"; "" unknown */
    uint16_t sm;  /* 86 */
    uint64_t memory;
    unsigned compute_mode;
    bool mig, integrated;
};

/* After cuInit. The results are the driver's CUresult; what it does not know stays zero. */
unsigned jw_device_count(const struct cu_api *api, unsigned *n);
unsigned jw_device_read(const struct cu_api *api, unsigned index, struct jw_device *out);

#endif
