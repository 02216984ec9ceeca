/*
 * One module for the driver to load, which makes it compile and cache. The image comes with zero JIT options,
 * because that is what the CUDA runtime does, and other options would make another cache entry. driver-fact:
 * F15-doors-agree, F18-jit-options-in-key
 */
#ifndef DRIVER_API_LOAD_H
#define DRIVER_API_LOAD_H

#include "base/limits.h"
#include "driver/api/driver.h"

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

#endif
