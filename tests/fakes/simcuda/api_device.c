/* The driver itself, and its devices. */
#include "sim.h"

#include <string.h>

const char jitwarm_simulated_driver[] = "jitwarm's simulated CUDA driver: nothing here is a GPU";

/* CUdevice_attribute: those that are asked for */
enum { ATTR_COMPUTE_MODE = 20, ATTR_PCI_BUS = 33, ATTR_CC_MAJOR = 75, ATTR_CC_MINOR = 76 };

static int device(struct sim **s, int number, const struct sim_gpu **g)
{
    int r = sim_ready(s);

    if (r == CU_OK && (number < 0 || (size_t)number >= (*s)->c.n_gpus))
        r = CU_INVALID_DEVICE;
    if (r == CU_OK)
        *g = &(*s)->c.gpus[number];
    return r;
}

int cuInit(unsigned flags)
{
    int r = flags ? CU_INVALID_VALUE : sim_init();

    if (r != CU_OK || !sim_settings(&r)->sw.preload)
        return r;
    return sys_load_compiler() ? CU_OK : CU_JIT_COMPILER_NOT_FOUND;
}

int cuDriverGetVersion(int *version)
{
    int r;
    const struct sim_config *c = sim_settings(&r);

    if (!version)
        return CU_INVALID_VALUE;
    if (r == CU_OK)
        *version = c->cuda;
    return r;
}

int cuDeviceGetCount(int *count)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK || !count)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    *count = (int)s->c.n_gpus;
    return CU_OK;
}

int cuDeviceGet(int *out, int ordinal)
{
    const struct sim_gpu *g;
    struct sim *s;
    int r = device(&s, ordinal, &g);

    if (r == CU_OK && !out)
        return CU_INVALID_VALUE;
    if (r == CU_OK)
        *out = ordinal;
    return r;
}

int cuDeviceGetName(char *name, int size, int number)
{
    const struct sim_gpu *g;
    struct sim *s;
    int r = device(&s, number, &g);

    if (r == CU_OK && (!name || size < 1))
        return CU_INVALID_VALUE;
    if (r == CU_OK)
        (void)snprintf(name, (size_t)size, "%s (simulated)", g->name);
    return r;
}

int cuDeviceGetUuid(unsigned char *uuid, int number)
{
    const struct sim_gpu *g;
    struct sim *s;
    int r = device(&s, number, &g);

    if (r == CU_OK && uuid)
        memcpy(uuid, g->uuid, sizeof g->uuid);
    return r == CU_OK && !uuid ? CU_INVALID_VALUE : r;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int number) { return cuDeviceGetUuid(uuid, number); }

static int attribute_of(const struct sim_gpu *g, int attribute)
{
    switch (attribute) {
    case ATTR_CC_MAJOR: return (int)g->sm / 10;
    case ATTR_CC_MINOR: return (int)g->sm % 10;
    case ATTR_COMPUTE_MODE: return g->mode;
    case ATTR_PCI_BUS: return (int)g->id + 1;
    default: return 0; /* also domain and device on the PCI bus */
    }
}

int cuDeviceGetAttribute(int *value, int attribute, int number)
{
    const struct sim_gpu *g;
    struct sim *s;
    int r = device(&s, number, &g);

    if (r == CU_OK && (!value || attribute < 1))
        return CU_INVALID_VALUE;
    if (r == CU_OK)
        *value = attribute_of(g, attribute);
    return r;
}

int cuDeviceTotalMem_v2(size_t *bytes, int number)
{
    const struct sim_gpu *g;
    struct sim *s;
    int r = device(&s, number, &g);

    if (r == CU_OK && bytes)
        *bytes = (size_t)g->memory;
    return r == CU_OK && !bytes ? CU_INVALID_VALUE : r;
}
