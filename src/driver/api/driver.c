#include "driver/api/driver.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/errors.h"
#include "facts/libraries.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

static const struct jw_lib_entry wanted[] = {
#define F(need, field, name, suffix, version, parameters)                                          \
    {#name #suffix, offsetof(struct cu_api, field), JW_LIB_##need},
#include "driver/api/driver_api.def"
#undef F
};

bool jw_driver_open(struct jw_driver *d, const char *path, struct jw_err *err)
{
    *d = (struct jw_driver){0};
    if (!path)
        path = jw_os_is_windows() ? "nvcuda.dll" : JW_LIBCUDA_FILE;
    if (!jw_lib_open(&d->lib, path, err))
        return false;

    const char *missing = jw_lib_bind(&d->lib, wanted, JW_COUNT(wanted), &d->api);

    return !missing || jw_fail(err, JW_E_DRIVER, "it is no CUDA driver: it has no %s", missing);
}

bool jw_driver_behind_loader(const char *path)
{
    const char *base = jw_path_base(path);

    return (strstr(path, "/wsl/drivers/") && jw_text_starts(base, JW_LIBCUDA))
           || jw_text_equal_nocase(base, "nvcuda64.dll");
}

bool jw_driver_file(const struct jw_driver *d, struct jw_buf *path, struct jw_err *err)
{
    return jw_lib_path(&d->lib, jw_driver_behind_loader, path, err);
}

unsigned jw_driver_cuda_version(const struct jw_driver *d)
{
    int version = 0;

    return d->api.driver_version(&version) == JW_CU_OK && version > 0 ? (unsigned)version : 0;
}

struct jw_cu_name jw_cu_name(const struct cu_api *api, unsigned result)
{
    struct jw_cu_name name = {""};
    const char *text = result ? jw_error_name(result) : "CUDA_SUCCESS";
    bool known = text && jw_text_starts(text, "CUDA_");

    if (!known && api && api->error_name)
        known = api->error_name(result, &text) == JW_CU_OK && text && *text;
    if (known)
        (void)snprintf(name.text, sizeof name.text, "%s", text);
    else
        (void)snprintf(name.text, sizeof name.text, "CUresult %u", result);
    return name;
}

enum {
    ALIGN = 64,
    PADDING = 64,
    /* CU_JIT_..._BUFFER and ..._SIZE_BYTES */
    JIT_INFO_LOG = 3,
    JIT_INFO_LOG_SIZE = 4,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_SIZE = 6,
    JIT_TARGET = 9, /* CU_JIT_TARGET */
    JIT_OPTIONS = 5 /* four for the log, one for the target */
};

bool jw_image_room_new(struct jw_image_room *r, size_t n, struct jw_err *err)
{
    *r = (struct jw_image_room){0};
    if (n > JW_MAX_IMAGE)
        return jw_fail(err, JW_E_LIMIT, "a module of more than %zu bytes", JW_MAX_IMAGE);
    r->memory = jw_alloc(n + ALIGN + PADDING); /* zeroed */
    r->p = (uint8_t *)r->memory + (ALIGN - (uintptr_t)r->memory % ALIGN);
    r->n = n;
    return true;
}

void jw_image_room_free(struct jw_image_room *r)
{
    jw_free(r->memory);
    *r = (struct jw_image_room){0};
}

unsigned jw_context_open(struct jw_context *g, const struct cu_api *api, unsigned index)
{
    unsigned result;

    *g = (struct jw_context){.api = api};
    result = api->device(&g->device, (int)index);
    if (result)
        return result;
    /* The runtime uses this context, too. driver-fact: F50-primary-context */
    result = api->primary_retain(&g->ctx, g->device);
    if (result)
        g->ctx = NULL;
    else
        result = api->ctx_set(g->ctx);
    if (result)
        jw_context_close(g);
    return result;
}

void jw_context_close(struct jw_context *g)
{
    if (g->ctx)
        (void)g->api->primary_release(g->device);
    *g = (struct jw_context){0};
}

/* Returns the number of options. With a target and without a log it is one. */
static unsigned set_options(uint16_t target, struct jw_load_log *log, unsigned *options,
                            void **values)
{
    unsigned n = 0;

    if (log) {
        *log = (struct jw_load_log){0}; /* the last byte of each stays zero */
        options[n] = JIT_INFO_LOG;
        values[n++] = log->info;
        options[n] = JIT_INFO_LOG_SIZE;
        values[n++] = (void *)(uintptr_t)(sizeof log->info - 1);
        options[n] = JIT_ERROR_LOG;
        values[n++] = log->error;
        options[n] = JIT_ERROR_LOG_SIZE;
        values[n++] = (void *)(uintptr_t)(sizeof log->error - 1);
    }
    if (target) {
        options[n] = JIT_TARGET;
        values[n++] = (void *)(uintptr_t)target;
    }
    return n;
}

/* The load compiles and stores the whole module, under lazy loading, too. For a target the driver
 * does so, and then returns error 300, because the code does not run here. driver-fact:
 * F22-lazy-touch, F23-whole-module, F84-target-stores */
unsigned jw_load_image(const struct jw_context *g, const struct jw_image_room *image,
                       uint16_t target, struct jw_load_log *log)
{
    unsigned options[JIT_OPTIONS];
    void *values[JIT_OPTIONS];
    struct CUmod_st *module = NULL;
    unsigned n = set_options(target, log, options, values);
    unsigned result = n ? g->api->module_load_ex(&module, image->p, n, options, values)
                        : g->api->module_load_ex(&module, image->p, 0, NULL, NULL);

    if (target && result == JW_CUDA_INVALID_SOURCE)
        return JW_CU_OK;
    return result ? result : g->api->module_unload(module);
}

unsigned jw_compile_input(const struct jw_context *g, const struct jw_image_room *image,
                          uint16_t target, const char *name, struct jw_load_log *log)
{
    enum { FATBINARY = 2 }; /* CUjitInputType */
    unsigned options[JIT_OPTIONS];
    void *values[JIT_OPTIONS];
    struct CUlinkState_st *link = NULL;
    unsigned n = set_options(target, log, options, values);

    if (!g->api->link_create || !g->api->link_add || !g->api->link_destroy)
        return JW_CU_NOT_FOUND;
    unsigned result = g->api->link_create(n, options, values, &link);

    if (!result)
        result = g->api->link_add(link, FATBINARY, image->p, image->n, name, 0, NULL, NULL);
    unsigned end = link ? g->api->link_destroy(link) : JW_CU_OK;

    return result ? result : end;
}

void jw_context_memory(const struct jw_context *g, uint64_t *unused, uint64_t *total)
{
    size_t left = 0;
    size_t all = 0;

    if (g->api->mem_info(&left, &all) != JW_CU_OK)
        left = all = 0;
    *unused = left;
    *total = all;
}

enum attribute { /* CUdevice_attribute */
                 COMPUTE_MODE = 20,
                 MAJOR = 75,
                 MINOR = 76
};

unsigned jw_device_count(const struct cu_api *api, unsigned *n)
{
    int count = 0;
    unsigned result = api->device_count(&count);

    *n = result || count < 0 ? 0 : (unsigned)jw_min((uint64_t)count, JW_MAX_GPUS);
    return result;
}

static int attribute(const struct cu_api *api, int device, enum attribute which)
{
    int value = 0;

    return api->device_attribute(&value, which, device) == JW_CU_OK ? value : 0;
}

/* For a MIG slice the newer entry point returns the slice's UUID, the older one the whole GPU's.
 * Drivers before 470 have the older one alone. */
static void report_uuid(const struct cu_api *api, int device, struct jw_device *out)
{
    struct CUuuid_st uuid = {{0}};
    struct CUuuid_st whole = {{0}};
    bool has_uuid = api->device_uuid && api->device_uuid(&uuid, device) == JW_CU_OK;
    bool has_whole = api->device_uuid_whole && api->device_uuid_whole(&whole, device) == JW_CU_OK;
    const char *from = has_uuid ? uuid.bytes : whole.bytes;
    size_t at = 4;

    bool mig = (has_uuid && has_whole && memcmp(uuid.bytes, whole.bytes, sizeof uuid.bytes) != 0)
               || strstr(out->name, " MIG ") != NULL;
    if (!has_uuid && !has_whole)
        return;
    memcpy(out->uuid, mig && has_uuid ? "MIG-" : "GPU-", 5);
    for (size_t i = 0; i < sizeof uuid.bytes; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;

        (void)snprintf(out->uuid + at, sizeof out->uuid - at, dash ? "-%02x" : "%02x",
                       (uint8_t)from[i]);
        at += dash ? 3 : 2;
    }
}

unsigned jw_device_read(const struct cu_api *api, unsigned index, struct jw_device *out)
{
    size_t memory = 0;
    int device = 0, major, minor;

    *out = (struct jw_device){.index = index};
    unsigned result = api->device(&device, (int)index);
    if (result)
        return result;
    if (api->device_name(out->name, sizeof out->name, device) != JW_CU_OK)
        out->name[0] = '\0';
    out->name[sizeof out->name - 1] = '\0';
    report_uuid(api, device, out);
    major = attribute(api, device, MAJOR);
    minor = attribute(api, device, MINOR);
    if (major > 0 && major < 1000 && minor >= 0 && minor < 10)
        out->sm = (uint16_t)(major * 10 + minor);
    if (api->device_memory(&memory, device) == JW_CU_OK)
        out->memory = memory;
    out->compute_mode = (unsigned)attribute(api, device, COMPUTE_MODE);
    return JW_CU_OK;
}
