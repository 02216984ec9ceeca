/* The device linker, as far as it compiles: each PTX by itself, through the cache, with " -c"
 * before its own options in its key. Another target is compiled for, and is no error. driver-fact:
 * F90-link-alone, F91-link-target */
#include "sim.h"

#include "base/mem.h"

struct sim_link {
    struct sim_object o;
    struct sim_options options;
    unsigned sm;
};

int cuLinkCreate_v2(unsigned n, int *options, void **values, void **link)
{
    struct sim_link *l;
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK || !link)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    struct sim_context *ctx = sim_current(s);

    if (!ctx)
        return CU_INVALID_CONTEXT;
    l = jw_alloc(sizeof *l);
    if (!l)
        return CU_OUT_OF_MEMORY;
    *l = (struct sim_link){.options = sim_options_read(n, options, values),
                           .sm = s->c.gpus[ctx->device].sm};
    sim_object_add(s, &l->o, SIM_LINK);
    *link = l;
    return CU_OK;
}

static int add_ptx(struct sim *s, struct sim_link *l, const void *data, size_t size)
{
    struct jw_buf cubin = JW_BUF(SIM_MAX_IMAGE); /* nobody asks for it: the entry is what counts */
    struct sim_image image;
    unsigned sm = l->options.target ? l->options.target : l->sm;
    int r = sim_image_input(&s->c, data, size, sm, &image);

    (void)sys_load_compiler();     /* driver-fact: F92-link-opens-compiler */
    if (r == CU_NO_BINARY_FOR_GPU) /* it is passed over: driver-fact: F89-link-inputs */
        return CU_OK;
    if (r != CU_OK)
        return r;
    if (image.ptx) {
        struct sim_request request = {
            .image = &image, .options = &l->options, .sm = l->sm, .relocatable = true};

        r = sim_jit(s, &request, &cubin);
        r = r == CU_INVALID_SOURCE && sm != l->sm ? CU_OK : r;
    }
    jw_buf_free(&cubin);
    sim_image_free(&image);
    return r;
}

int cuLinkAddData_v2(void *link, int type, void *data, size_t size, const char *name, unsigned n,
                     int *options, void **values)
{
    struct sim *s;
    int r = sim_ready(&s);

    (void)name;
    (void)n;
    (void)options;
    (void)values;
    if (r != CU_OK || !data || !size)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    if (!sim_object_is(s, link, SIM_LINK))
        return CU_INVALID_HANDLE;
    if (type != CU_INPUT_PTX && type != CU_INPUT_CUBIN && type != CU_INPUT_FATBINARY)
        return CU_NOT_SUPPORTED;
    return add_ptx(s, link, data, size);
}

int cuLinkDestroy(void *link)
{
    struct sim_link *l = link;
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK)
        return r;
    if (!sim_object_remove(s, link, SIM_LINK))
        return CU_INVALID_HANDLE;
    jw_free(l);
    return CU_OK;
}
