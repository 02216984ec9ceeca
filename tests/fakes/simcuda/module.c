/* Modules: what was loaded into a context, and its functions. Its PTX is compiled by the load, as
 * NVIDIA's drivers do. */
#include "sim.h"

#include "base/mem.h"

#include <string.h>

void sim_module_free(struct sim_module *m)
{
    sim_image_free(&m->image);
    jw_buf_free(&m->cubin);
    jw_buf_free(&m->names);
    jw_free(m);
}

static int compile(struct sim *s, struct sim_module *m, const struct sim_options *options,
                   unsigned sm)
{
    struct sim_request r = {.image = &m->image, .options = options, .sm = sm};
    struct jw_buf names = JW_BUF(SIM_MAX_IMAGE);
    int code = CU_OK;
    size_t n = 0;

    if (m->image.ptx)
        code = sim_jit(s, &r, &m->cubin);
    else
        jw_buf_add(&m->cubin, m->image.bytes.p, m->image.bytes.n);
    /* A cache's payload that lost its kernels is no image. */
    if (code == CU_OK && !sim_kernels_of_cubin(jw_buf_bytes(&m->cubin), &names, &n))
        code = CU_INVALID_IMAGE;
    jw_buf_free(&names);
    return code;
}

int sim_module_load(struct sim *s, struct sim_context *ctx, const void *image,
                    const struct sim_options *options, struct sim_module **out)
{
    const struct sim_gpu *gpu = &s->c.gpus[ctx->device];
    struct sim_module *m = jw_alloc(sizeof *m);

    if (!m)
        return CU_OUT_OF_MEMORY;
    *m = (struct sim_module){
        .context = ctx, .cubin = JW_BUF(SIM_MAX_IMAGE), .names = JW_BUF(SIM_MAX_IMAGE)};
    int r = sim_image_read(&s->c, image, 0, options->target ? options->target : gpu->sm, &m->image);

    sim_log_error(options, r);
    /* Those of PTX are known before it is compiled. */
    if (r == CU_OK
        && !(m->image.ptx ? sim_kernels_of_ptx
                          : sim_kernels_of_cubin)(jw_buf_bytes(&m->image.bytes), &m->names, &m->n))
        r = CU_INVALID_IMAGE;
    if (r == CU_OK)
        r = compile(s, m, options, gpu->sm);
    if (r != CU_OK) {
        sim_module_free(m);
        return r;
    }
    *out = m;
    return CU_OK;
}

const char *sim_module_function(const struct sim_module *m, const char *name)
{
    const char *at = (const char *)m->names.p;

    for (size_t i = 0; i < m->n; i++, at += strlen(at) + 1)
        if (strcmp(at, name) == 0)
            return at;
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
            sim_module_free(m);
    }
}

/* The JIT options of a call that jitwarm gives. Targets are NN, 0x10000 + NN for `a`, 0x20000 + NN
 * for `f`. */
struct sim_options sim_options_read(unsigned n, const int *options, void *const *values)
{
    struct sim_options out = {0};

    for (unsigned i = 0; options && values && i < n; i++)
        switch (options[i]) {
        case CU_OPT_TARGET: out.target = (unsigned)(uintptr_t)values[i] & 0xffff; break;
        case CU_OPT_ERROR_LOG: out.error_log = values[i]; break;
        case CU_OPT_ERROR_LOG_SIZE:
            out.error_log_size = (unsigned)(uintptr_t)values[i];
            out.error_log_used = (void **)(uintptr_t)&values[i]; /* an output, too */
            break;
        case CU_OPT_INFO_LOG: *(char *)values[i] = '\0'; break;
        default: break;
        }
    return out;
}
