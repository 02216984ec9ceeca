/* Contexts, and device memory, which is memory of the host: addresses are pointers. */
#include "sim.h"

#include "base/mem.h"

#include <string.h>

struct sim_memory {
    struct sim_object o;
    int device;
    size_t bytes;
    uint8_t *p;
};

static int usable(struct sim *s, int device, void *out)
{
    if (!out)
        return CU_INVALID_VALUE;
    return device < 0 || (size_t)device >= s->c.n_gpus ? CU_INVALID_DEVICE : CU_OK;
}

static int context_new(struct sim *s, int device, bool primary, struct sim_context **out)
{
    struct sim_context *c = jw_alloc(sizeof *c);
    int r = c ? sim_shared_use(s, &s->c.gpus[device], (int64_t)s->c.context_bytes, 1) : CU_OUT_OF_MEMORY;

    if (r != CU_OK) {
        jw_free(c);
        return r;
    }
    *c = (struct sim_context){ .device = device, .retained = 1, .primary = primary };
    sim_object_add(s, &c->o, SIM_CONTEXT);
    *out = c;
    return CU_OK;
}

static int context_end(struct sim *s, struct sim_context *c)
{
    sim_libraries_leave(s, c);
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
        r = context_new(s, device, false, &c);
    if (r == CU_OK) {
        sim_context_push(c);
        *ctx = c;
    }
    return r;
}

int cuCtxDestroy_v2(void *ctx)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK)
        return r;
    if (!sim_object_is(s, ctx, SIM_CONTEXT) || ((struct sim_context *)ctx)->primary)
        return CU_INVALID_CONTEXT;
    if (sim_current(s) == ctx)
        sim_context_replace(NULL);
    return context_end(s, ctx);
}

int cuCtxSetCurrent(void *ctx)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK)
        return r;
    if (ctx && !sim_object_is(s, ctx, SIM_CONTEXT))
        return CU_INVALID_CONTEXT;
    sim_context_replace(ctx);
    return CU_OK;
}

int cuCtxGetCurrent(void **ctx)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r == CU_OK && ctx)
        *ctx = sim_current(s);
    return r == CU_OK && !ctx ? CU_INVALID_VALUE : r;
}

int cuCtxSynchronize(void)
{
    struct sim *s;
    int r = sim_ready(&s);

    return r != CU_OK ? r : sim_current(s) ? CU_OK : CU_INVALID_CONTEXT;
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
        r = context_new(s, device, true, &c);
    if (r == CU_OK)
        *ctx = s->primary[device] = c;
    (void)pthread_mutex_unlock(&s->primary_lock);
    return r;
}

int cuDevicePrimaryCtxRelease_v2(int device)
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

int cuDevicePrimaryCtxRelease(int device)
{
    return cuDevicePrimaryCtxRelease_v2(device);
}

/* ---- memory ---- */

static struct sim_memory *holding(struct sim *s, unsigned long long address, size_t bytes)
{
    struct sim_memory *hit = NULL;

    (void)pthread_mutex_lock(&s->lock);
    for (struct sim_object *o = s->objects; o && !hit; o = o->next) {
        struct sim_memory *m = (struct sim_memory *)o;
        uintptr_t from;

        if (o->kind != SIM_MEMORY)
            continue;
        from = (uintptr_t)m->p;
        if (address >= from && address - from <= m->bytes && bytes <= m->bytes - (address - from))
            hit = m;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return hit;
}

bool sim_memory_holds(struct sim *s, unsigned long long address, size_t bytes)
{
    return holding(s, address, bytes) != NULL;
}

static int current(struct sim **s, struct sim_context **c)
{
    int r = sim_ready(s);

    *c = r == CU_OK ? sim_current(*s) : NULL;
    return r != CU_OK ? r : *c ? CU_OK : CU_INVALID_CONTEXT;
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes)
{
    struct sim_context *c;
    struct sim_memory *m;
    struct sim *s;
    int r = current(&s, &c);

    if (r != CU_OK || !address || !bytes || bytes > INT64_MAX)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    r = sim_shared_use(s, &s->c.gpus[c->device], (int64_t)bytes, 0);
    if (r != CU_OK)
        return r;
    m = jw_alloc(sizeof *m);
    uint8_t *p = m ? jw_alloc(bytes) : NULL;

    if (!p) {
        jw_free(m);
        (void)sim_shared_use(s, &s->c.gpus[c->device], -(int64_t)bytes, 0);
        return CU_OUT_OF_MEMORY;
    }
    *m = (struct sim_memory){ .device = c->device, .bytes = bytes, .p = p };
    sim_object_add(s, &m->o, SIM_MEMORY);
    *address = (uintptr_t)p;
    return CU_OK;
}

int cuMemFree_v2(unsigned long long address)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK || !address)
        return r;
    struct sim_memory *m = holding(s, address, 0);

    if (!m || (uintptr_t)m->p != address || !sim_object_remove(s, m, SIM_MEMORY))
        return CU_INVALID_VALUE;
    (void)sim_shared_use(s, &s->c.gpus[m->device], -(int64_t)m->bytes, 0);
    jw_free(m->p);
    jw_free(m);
    return CU_OK;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes)
{
    struct sim_context *c;
    struct sim *s;
    int r = current(&s, &c);

    if (r == CU_OK && (!from || !holding(s, to, bytes)))
        r = CU_INVALID_VALUE;
    if (r == CU_OK)
        memcpy((void *)(uintptr_t)to, from, bytes);
    return r;
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes)
{
    struct sim_context *c;
    struct sim *s;
    int r = current(&s, &c);

    if (r == CU_OK && (!to || !holding(s, from, bytes)))
        r = CU_INVALID_VALUE;
    if (r == CU_OK)
        memcpy(to, (const void *)(uintptr_t)from, bytes);
    return r;
}

int cuMemGetInfo_v2(size_t *unused, size_t *total)
{
    struct sim_context *c;
    struct sim *s;
    int r = current(&s, &c);

    if (r == CU_OK && (!unused || !total))
        r = CU_INVALID_VALUE;
    if (r == CU_OK) {
        const struct sim_gpu *g = &s->c.gpus[c->device];

        *total = (size_t)g->memory;
        *unused = (size_t)(g->memory - sim_shared_used(s, g));
    }
    return r;
}
