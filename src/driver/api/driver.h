/* A CUDA driver library and its entry points. Only a worker process loads one, as it can crash,
 * hang or exit. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "jitwarm/err.h"
#include "jitwarm/gpu.h"
#include "os/machine/lib.h"

struct CUctx_st;
struct CUmod_st;
struct CUlinkState_st;
struct CUuuid_st {
    char bytes[16];
};

struct cu_api {
#define F(need, field, name, suffix, version, parameters) unsigned(*field) parameters;
#include "driver/api/driver_api.def"
#undef F
};

enum { JW_CU_OK = 0, JW_CU_NOT_FOUND = 500 };

struct jw_driver {
    struct jw_lib lib;
    struct cu_api api;
};

/* Loads the library and looks up its entry points; calls none. `path` NULL: the system's library
 * (libcuda.so.1, nvcuda.dll). JW_E_DRIVER: the library is no driver; jw_driver_file returns which
 * one it is. */
bool jw_driver_open(struct jw_driver *d, const char *path, struct jw_err *err) JW_MUST;

/* True for the driver's own file if programs load it through another one: the DriverStore's
 * nvcuda64.dll, not System32's nvcuda.dll. */
bool jw_driver_behind_loader(const char *path);

/* Appends the path of the driver's own file. On WSL and Windows, where a small loader is in front,
 * it is known after cuInit. */
bool jw_driver_file(const struct jw_driver *d, struct jw_buf *path, struct jw_err *err) JW_MUST;

unsigned jw_driver_cuda_version(const struct jw_driver *d); /* 13010; 0: unknown */

struct jw_cu_name {
    char text[64];
};

/* The name of a result: from jitwarm's table, else from the driver (`api` may be NULL), else
 * "CUresult 34". */
struct jw_cu_name jw_cu_name(const struct cu_api *api, unsigned result);

/* Room for an image, aligned to 64 bytes. The zeros after it end a PTX text. */
struct jw_image_room {
    uint8_t *p;
    size_t n;
    void *memory;
};

bool jw_image_room_new(struct jw_image_room *r, size_t n, struct jw_err *err) JW_MUST;
void jw_image_room_free(struct jw_image_room *r); /* accepts a zeroed one */

/* A context on one device, current on this thread while it is open. */
struct jw_context {
    const struct cu_api *api;
    int device;
    struct CUctx_st *ctx;
};

unsigned jw_context_open(struct jw_context *g, const struct cu_api *api, unsigned index);
void jw_context_close(struct jw_context *g); /* accepts a zeroed one */

/* The driver's log. Check it before printing. */
struct jw_load_log {
    char error[JW_MAX_LOG / 2], info[JW_MAX_LOG / 2];
};

/* Loads and unloads a validated image. `target`: the architecture to compile for; 0: the device's.
 * `log` NULL: like the CUDA runtime it passes no other JIT options, for these may make another
 * cache entry. driver-fact: F15-doors-agree, F18-jit-options-in-key */
unsigned jw_load_image(const struct jw_context *g, const struct jw_image_room *image,
                       uint16_t target, struct jw_load_log *log);

/* Compiles an input of the device linker as a program's link does, which compiles each as it is
 * added and stores its entry then: nothing is linked. The log changes no key. Code that a driver
 * lacks the functions for is error 500. `name` is what the driver's words call the input.
 * driver-fact: F18-jit-options-in-key, F90-link-alone, F91-link-target */
unsigned jw_compile_input(const struct jw_context *g, const struct jw_image_room *image,
                          uint16_t target, const char *name, struct jw_load_log *log);

/* Gives the free and all bytes of the device's memory; 0: unknown. */
void jw_context_memory(const struct jw_context *g, uint64_t *unused, uint64_t *total);

/* Both need cuInit, and return the driver's CUresult. Fields that are unknown stay zero. */
unsigned jw_device_count(const struct cu_api *api, unsigned *n);
unsigned jw_device_read(const struct cu_api *api, unsigned index, struct jw_device *out);
