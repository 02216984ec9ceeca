/* Modules, and their functions, which are only asked for. */
#include "sim.h"

static int load(void **module, const void *image, const struct sim_options *options)
{
    struct sim_module *m = NULL;
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK)
        return r;
    if (!module || !image)
        return CU_INVALID_VALUE;
    struct sim_context *c = sim_current(s);

    if (!c)
        return CU_INVALID_CONTEXT;
    r = sim_module_load(s, c, image, options, &m);
    if (r == CU_OK) {
        sim_object_add(s, &m->o, SIM_MODULE);
        *module = m;
    }
    return r;
}

int cuModuleLoadData(void **module, const void *image)
{
    return load(module, image, &(struct sim_options){0});
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values)
{
    struct sim_options o = sim_options_read(n, options, values);

    return load(module, image, &o);
}

int cuModuleUnload(void *module)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK)
        return r;
    if (!sim_object_remove(s, module, SIM_MODULE))
        return CU_INVALID_HANDLE;
    sim_module_free(module);
    return CU_OK;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK || !function || !name)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    if (!sim_object_is(s, module, SIM_MODULE))
        return CU_INVALID_HANDLE;
    *function = (void *)(uintptr_t)sim_module_function(module, name);
    return *function ? CU_OK : CU_NOT_FOUND;
}
