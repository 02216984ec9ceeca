/* Modules: what was loaded into a context, when its PTX is compiled, and its functions. */
#include "sim.h"

#include "base/mem.h"

#include <string.h>

/* Function objects for the kernels' names; those of PTX are known before it is compiled. */
static bool make_functions(struct sim_module *m)
{
    size_t n = 0;
    bool ok = m->image.ptx ? sim_kernels_of_ptx(jw_buf_bytes(&m->image.bytes), &m->names, &n)
                           : sim_kernels_of_cubin(jw_buf_bytes(&m->image.bytes), &m->names, &n);
    const char *name = (const char *)m->names.p;

    m->functions = ok && n ? jw_alloc(n * sizeof *m->functions) : NULL;
    if (!ok || (n && !m->functions))
        return false;
    m->n = n;
    for (size_t i = 0; i < n; i++, name += strlen(name) + 1)
        m->functions[i] = (struct sim_function){ .module = m, .name = name };
    return true;
}

static void register_functions(struct sim *s, struct sim_module *m)
{
    for (size_t i = 0; i < m->n; i++)
        sim_object_add(s, &m->functions[i].o, SIM_FUNCTION);
}

static void release(struct sim_module *m)
{
    sim_image_free(&m->image);
    jw_buf_free(&m->cubin);
    jw_buf_free(&m->names);
    jw_free(m->functions);
    (void)pthread_mutex_destroy(&m->lock);
    jw_free(m);
}

void sim_module_free(struct sim *s, struct sim_module *m)
{
    for (size_t i = 0; i < m->n; i++)
        (void)sim_object_remove(s, &m->functions[i].o, SIM_FUNCTION);
    release(m);
}

/* With the module's lock held. */
static int make_ready(struct sim *s, struct sim_module *m)
{
    struct sim_request r = { .image = &m->image, .options = &m->options, .sm = m->gpu->sm };
    int code = CU_OK;

    if (m->ready)
        return CU_OK;
    jw_buf_clear(&m->cubin);
    m->genuine = true;
    if (m->image.ptx)
        code = sim_jit(s, &r, &m->cubin, &m->genuine);
    else
        jw_buf_add(&m->cubin, m->image.bytes.p, m->image.bytes.n);
    m->ready = code == CU_OK;
    return code;
}

/* A cache's payload that lost its kernels is no image. */
static int check_ready(const struct sim_module *m)
{
    struct jw_buf names = JW_BUF(SIM_MAX_IMAGE);
    size_t n = 0;
    bool ok = sim_kernels_of_cubin(jw_buf_bytes(&m->cubin), &names, &n);

    jw_buf_free(&names);
    return ok ? CU_OK : CU_INVALID_IMAGE;
}

int sim_module_prepare(struct sim *s, struct sim_module *m, enum sim_jit_at now)
{
    int r = CU_OK;

    if (s->c.lazy && now < (enum sim_jit_at)s->c.sw.jit_at)
        return CU_OK;
    (void)pthread_mutex_lock(&m->lock);
    if (!m->ready) {
        r = make_ready(s, m);
        if (r == CU_OK)
            r = check_ready(m);
        m->ready = r == CU_OK;
    }
    (void)pthread_mutex_unlock(&m->lock);
    return r;
}

int sim_module_load(struct sim *s, struct sim_context *ctx, const void *image,
                    const struct sim_options *options, struct sim_module **out)
{
    const struct sim_gpu *gpu = &s->c.gpus[ctx->device];
    struct sim_module *m = jw_alloc(sizeof *m);

    if (!m)
        return CU_OUT_OF_MEMORY;
    *m = (struct sim_module){ .context = ctx,
                              .gpu = gpu,
                              .options = *options,
                              .cubin = JW_BUF(SIM_MAX_IMAGE),
                              .names = JW_BUF(SIM_MAX_IMAGE) };
    (void)pthread_mutex_init(&m->lock, NULL);
    int r = sim_image_read(&s->c, image, 0, options->target ? options->target : gpu->sm, &m->image);

    sim_log_error(options, r);
    if (r == CU_OK && !make_functions(m))
        r = CU_INVALID_IMAGE;
    if (r == CU_OK)
        r = sim_module_prepare(s, m, AT_LOAD);
    /* The caller's buffers are gone when a lazy module is compiled. */
    m->options.wall_time = NULL;
    m->options.error_log = NULL;
    if (r != CU_OK) {
        release(m);
        return r;
    }
    register_functions(s, m);
    *out = m;
    return CU_OK;
}

struct sim_function *sim_module_function(struct sim_module *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->functions[i].name, name) == 0)
            return &m->functions[i];
    return NULL;
}

void sim_modules_of(struct sim *s, const struct sim_context *ctx)
{
    for (;;) {
        struct sim_module *m = NULL;

        (void)pthread_mutex_lock(&s->lock);
        for (struct sim_object *o = s->objects; o && !m; o = o->next)
            if (o->kind == SIM_MODULE && ((struct sim_module *)o)->context == ctx)
                m = (struct sim_module *)o;
        (void)pthread_mutex_unlock(&s->lock);
        if (!m)
            return;
        if (sim_object_remove(s, m, SIM_MODULE))
            sim_module_free(s, m);
    }
}
