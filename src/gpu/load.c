#include "gpu/load.h"

#include "base/limits.h"
#include "base/mem.h"

enum {
    ALIGN = 64,
    PADDING = 64,
    LAZY = 2 /* CU_MODULE_LAZY_LOADING */
};

bool jw_image_room_new(struct jw_image_room *r, size_t n, struct jw_err *err)
{
    *r = (struct jw_image_room){ 0 };
    if (n > JW_MAX_IMAGE)
        return jw_fail(err, JW_E_LIMIT, "a module of more than %zu bytes", JW_MAX_IMAGE);
    r->memory = jw_alloc(n + ALIGN + PADDING); /* zeroed */
    if (!r->memory)
        return jw_nomem(err, n + ALIGN + PADDING);
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

static bool lazy(const struct cu_api *api)
{
    unsigned mode = 0;

    return api->module_mode && api->module_mode(&mode) == JW_CU_OK && mode == LAZY;
}

bool jw_load_needs_name(const struct cu_api *api)
{
    return lazy(api) && !(api->module_functions && api->module_function_count && api->function_load);
}

/* driver-fact: F22-lazy-touch, F23-whole-module */
static unsigned touch(const struct cu_api *api, struct CUmod_st *module, const char *kernel)
{
    struct CUfunc_st *function = NULL;
    unsigned n = 0, result;

    if (jw_load_needs_name(api))
        return kernel ? api->module_function(&function, module, kernel) : JW_CU_OK;
    result = api->module_function_count(&n, module);
    if (result || !n)
        return result;
    result = api->module_functions(&function, 1, module);
    return result ? result : api->function_load(function);
}

unsigned jw_load_image(const struct jw_gpu *g, const struct jw_image_room *image, const char *kernel)
{
    struct CUmod_st *module = NULL;
    unsigned result = g->api->module_load_ex(&module, image->p, 0, NULL, NULL);

    if (result)
        return result;
    if (lazy(g->api))
        result = touch(g->api, module, kernel);

    unsigned unloaded = g->api->module_unload(module);

    return result ? result : unloaded;
}
