/* Contexts, and how much memory their GPU has left. */
#include "sim.h"

#include "base/mem.h"

static int usable(struct sim *s, int device, void *out)
{
    if (!out)
        return CU_INVALID_VALUE;
    return device < 0 || (size_t)device >= s->c.n_gpus ? CU_INVALID_DEVICE : CU_OK;
}

static int context_new(struct sim *s, int device, struct sim_context **out)
{
    struct sim_context *c = jw_alloc(sizeof *c);
    int r = c ? sim_shared_use(s, &s->c.gpus[device], (int64_t)s->c.context_bytes, 1)
              : CU_OUT_OF_MEMORY;

    if (r != CU_OK) {
        jw_free(c);
        return r;
    }
    *c = (struct sim_context){.device = device, .retained = 1};
    sim_object_add(s, &c->o, SIM_CONTEXT);
    *out = c;
    return CU_OK;
}

static int context_end(struct sim *s, struct sim_context *c)
{
    sim_modules_of(s, c);
    if (!sim_object_remove(s, c, SIM_CONTEXT))
        return CU_INVALID_CONTEXT;
    (void)sim_shared_use(s, &s->c.gpus[c->device], -(int64_t)s->c.context_bytes, -1);
    jw_free(c);
    return CU_OK;
}

int cuCtxCreate_v2(void **ctx, unsigned flags, int device)
{
    struct sim_context *c = NULL;
    struct sim *s;
    int r = sim_ready(&s);

    (void)flags;
    if (r == CU_OK)
        r = usable(s, device, ctx);
    if (r == CU_OK)
        r = context_new(s, device, &c);
    if (r == CU_OK) {
        sim_context_set(c);
        *ctx = c;
    }
    return r;
}

int cuCtxSetCurrent(void *ctx)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK)
        return r;
    if (ctx && !sim_object_is(s, ctx, SIM_CONTEXT))
        return CU_INVALID_CONTEXT;
    sim_context_set(ctx);
    return CU_OK;
}

int cuDevicePrimaryCtxRetain(void **ctx, int device)
{
    struct sim_context *c;
    struct sim *s;
    int r = sim_ready(&s);

    if (r == CU_OK)
        r = usable(s, device, ctx);
    if (r != CU_OK)
        return r;
    (void)pthread_mutex_lock(&s->primary_lock);
    c = s->primary[device];
    if (c)
        c->retained++;
    else
        r = context_new(s, device, &c);
    if (r == CU_OK)
        *ctx = s->primary[device] = c;
    (void)pthread_mutex_unlock(&s->primary_lock);
    return r;
}

int cuDevicePrimaryCtxRelease(int device)
{
    struct sim_context *c;
    struct sim *s;
    int r = sim_ready(&s);

    if (r == CU_OK)
        r = usable(s, device, s);
    if (r != CU_OK)
        return r;
    (void)pthread_mutex_lock(&s->primary_lock);
    c = s->primary[device];
    if (!c)
        r = CU_INVALID_CONTEXT;
    else if (--c->retained)
        c = NULL;
    else
        s->primary[device] = NULL;
    (void)pthread_mutex_unlock(&s->primary_lock);
    return c ? context_end(s, c) : r;
}

int cuMemGetInfo_v2(size_t *unused, size_t *total)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK || !unused || !total)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    const struct sim_context *c = sim_current(s);

    if (!c)
        return CU_INVALID_CONTEXT;
    const struct sim_gpu *g = &s->c.gpus[c->device];

    *total = (size_t)g->memory;
    *unused = (size_t)(g->memory - sim_shared_used(s, g));
    return CU_OK;
}
