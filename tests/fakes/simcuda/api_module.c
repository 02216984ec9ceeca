/* Modules and functions. */
#include "sim.h"

#include <string.h>

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
    return load(module, image, &(struct sim_options){ .text = "" });
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values)
{
    struct sim_options o = sim_options_read(n, options, values);

    return load(module, image, &o);
}

int cuModuleLoadFatBinary(void **module, const void *image)
{
    return load(module, image, &(struct sim_options){ .text = "" });
}

int cuModuleUnload(void *module)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK)
        return r;
    if (!sim_object_remove(s, module, SIM_MODULE))
        return CU_INVALID_HANDLE;
    sim_module_free(s, module);
    return CU_OK;
}

int cuModuleGetLoadingMode(int *mode)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r == CU_OK && !mode)
        return CU_INVALID_VALUE;
    if (r == CU_OK)
        *mode = s->c.lazy ? CU_MODE_LAZY : CU_MODE_EAGER;
    return r;
}

static int module_of(struct sim **s, void *p, struct sim_module **m)
{
    int r = sim_ready(s);

    *m = p;
    return r != CU_OK ? r : sim_object_is(*s, p, SIM_MODULE) ? CU_OK : CU_INVALID_HANDLE;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    struct sim_module *m;
    struct sim *s;
    int r = module_of(&s, module, &m);

    if (r != CU_OK || !function || !name)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    struct sim_function *f = sim_module_function(m, name);

    if (f)
        *function = f;
    return f ? CU_OK : CU_NOT_FOUND;
}

int cuModuleGetFunctionCount(unsigned *count, void *module)
{
    struct sim_module *m;
    struct sim *s;
    int r = module_of(&s, module, &m);

    if (r == CU_OK && !count)
        return CU_INVALID_VALUE;
    if (r == CU_OK)
        *count = (unsigned)m->n;
    return r;
}

int cuModuleEnumerateFunctions(void **functions, unsigned n, void *module)
{
    struct sim_module *m;
    struct sim *s;
    int r = module_of(&s, module, &m);

    if (r == CU_OK && !functions)
        return CU_INVALID_VALUE;
    for (unsigned i = 0; r == CU_OK && i < n && i < m->n; i++)
        functions[i] = &m->functions[i];
    return r;
}

static int function_of(struct sim **s, void *p, struct sim_function **f)
{
    int r = sim_ready(s);

    *f = p;
    return r != CU_OK ? r : sim_object_is(*s, p, SIM_FUNCTION) ? CU_OK : CU_INVALID_HANDLE;
}

int cuFuncLoad(void *function)
{
    struct sim_function *f;
    struct sim *s;

    return function_of(&s, function, &f);
}

int cuFuncGetName(const char **name, void *function)
{
    struct sim_function *f;
    struct sim *s;
    int r = function_of(&s, function, &f);

    if (r == CU_OK && name)
        *name = f->name;
    return r == CU_OK && !name ? CU_INVALID_VALUE : r;
}

/* Only canaries are simulated: (u64 out, u32 x) writes x + N to *out; N is what the loaded code says. */
static int run_canary(struct sim *s, const struct sim_function *f, void **params)
{
    unsigned long long out;
    uint32_t x, n = 0;

    if (strncmp(f->name, "jw_canary", strlen("jw_canary")) != 0)
        return CU_OK;
    if (!params || !params[0] || !params[1])
        return CU_INVALID_VALUE;
    memcpy(&out, params[0], sizeof out);
    memcpy(&x, params[1], sizeof x);
    if (!sim_memory_holds(s, out, sizeof x))
        return CU_INVALID_VALUE;
    if (!sim_canary(jw_buf_bytes(&f->module->cubin), f->name, &n))
        n = ~n;
    x += n;
    memcpy((void *)(uintptr_t)out, &x, sizeof x);
    return CU_OK;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **params, void **extra)
{
    struct sim_function *f;
    struct sim *s;
    int r = function_of(&s, function, &f);

    (void)shared;
    (void)stream;
    (void)extra;
    if (r == CU_OK && (!gx || !gy || !gz || !bx || !by || !bz))
        r = CU_INVALID_VALUE;
    return r == CU_OK ? run_canary(s, f, params) : r;
}
