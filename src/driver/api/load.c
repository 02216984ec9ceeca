#include "driver/api/load.h"

#include "base/limits.h"
#include "base/mem.h"

enum {
    ALIGN = 64,
    PADDING = 64,
    /* CU_JIT_..._BUFFER, and ..._SIZE_BYTES, which the driver overwrites with what it used. */
    JIT_INFO_LOG = 3,
    JIT_INFO_LOG_SIZE = 4,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_SIZE = 6,
    JIT_TARGET = 9,  /* CU_JIT_TARGET */
    NOT_FOR_IT = 300 /* CUDA_ERROR_INVALID_SOURCE */
};

bool jw_image_room_new(struct jw_image_room *r, size_t n, struct jw_err *err)
{
    *r = (struct jw_image_room){ 0 };
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
    *r = (struct jw_image_room){ 0 };
}

unsigned jw_gpu_open(struct jw_gpu *g, const struct cu_api *api, unsigned index)
{
    unsigned result;

    *g = (struct jw_gpu){ .api = api };
    result = api->device(&g->device, (int)index);
    if (result)
        return result;
    /* The runtime works in this one, too. driver-fact: F50-primary-context */
    g->primary = api->primary_retain && api->primary_release;
    result = g->primary ? api->primary_retain(&g->ctx, g->device) : api->ctx_create(&g->ctx, 0, g->device);
    if (result)
        g->ctx = NULL;
    else
        result = api->ctx_set(g->ctx);
    if (result)
        jw_gpu_close(g);
    return result;
}

void jw_gpu_close(struct jw_gpu *g)
{
    if (g->ctx && g->primary)
        (void)g->api->primary_release(g->device);
    else if (g->ctx)
        (void)g->api->ctx_destroy(g->ctx);
    *g = (struct jw_gpu){ 0 };
}

/* What was compiled for another GPU cannot be loaded on this one: the driver says so when it has compiled and kept it.
 * driver-fact: F84-target-stores */
static unsigned load_for(const struct jw_gpu *g, const struct jw_image_room *image, uint16_t target)
{
    unsigned option = JIT_TARGET;
    void *value = (void *)(uintptr_t)target;
    struct CUmod_st *module = NULL;
    unsigned result = g->api->module_load_ex(&module, image->p, 1, &option, &value);

    if (result == NOT_FOR_IT)
        return JW_CU_OK;
    return result ? result : g->api->module_unload(module);
}

/* The load compiles the whole module and keeps it, under lazy loading, too. driver-fact: F22-lazy-touch, F23-whole-module */
unsigned jw_load_image(const struct jw_gpu *g, const struct jw_image_room *image, uint16_t target)
{
    struct CUmod_st *module = NULL;

    if (target)
        return load_for(g, image, target);

    unsigned result = g->api->module_load_ex(&module, image->p, 0, NULL, NULL);

    return result ? result : g->api->module_unload(module);
}

unsigned jw_load_explained(const struct jw_gpu *g, const struct jw_image_room *image, struct jw_load_log *log)
{
    unsigned options[] = { JIT_INFO_LOG, JIT_INFO_LOG_SIZE, JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE };
    void *values[] = { log->info, (void *)(uintptr_t)sizeof log->info, log->error,
                       (void *)(uintptr_t)sizeof log->error };
    struct CUmod_st *module = NULL;

    *log = (struct jw_load_log){ "", "" };

    unsigned result = g->api->module_load_ex(&module, image->p, JW_COUNT(options), options, values);

    if (!result)
        result = g->api->module_unload(module);
    log->info[sizeof log->info - 1] = '\0';
    log->error[sizeof log->error - 1] = '\0';
    return result;
}

/* One thread writes to `*number`, which was something else before. */
static unsigned launch(const struct cu_api *api, struct CUfunc_st *function, uint32_t x, uint32_t *number)
{
    unsigned long long room = 0;
    void *params[] = { &room, &x };
    unsigned result = api->mem_alloc(&room, sizeof *number);

    if (result)
        return result;
    *number = ~x;
    result = api->copy_to(room, number, sizeof *number);
    if (!result)
        result = api->launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    if (!result)
        result = api->ctx_sync();
    if (!result)
        result = api->copy_from(number, room, sizeof *number);
    unsigned freed = api->mem_free(room);

    return result ? result : freed;
}

unsigned jw_load_launch(const struct jw_gpu *g, const struct jw_image_room *image, const char *kernel,
                        uint32_t x, uint32_t *number)
{
    struct CUmod_st *module = NULL;
    struct CUfunc_st *function = NULL;
    unsigned result = g->api->module_load_ex(&module, image->p, 0, NULL, NULL);

    *number = 0;
    if (result)
        return result;
    result = g->api->module_function(&function, module, kernel);
    if (!result)
        result = launch(g->api, function, x, number);
    unsigned unloaded = g->api->module_unload(module);

    return result ? result : unloaded;
}

void jw_gpu_memory(const struct jw_gpu *g, uint64_t *unused, uint64_t *total)
{
    size_t left = 0, all = 0;

    if (!g->api->mem_info || g->api->mem_info(&left, &all) != JW_CU_OK)
        left = all = 0;
    *unused = left;
    *total = all;
}
