/*
 * Libraries: code that belongs to no context. The load compiles it for each context that is there, or for the first GPU;
 * into a context that comes later it is loaded when a function is asked for there.
 */
#include "sim.h"

#include "base/mem.h"

#include <string.h>

struct sim_library;

struct sim_kernel {
    struct sim_object o;
    struct sim_library *library;
    const char *name;
};

/* One for each context. */
struct loaded {
    const struct sim_context *context;
    struct sim_module *module;
    struct loaded *next;
};

struct sim_library {
    struct sim_object o;
    pthread_mutex_t lock; /* of `loaded` */
    struct jw_buf code, names;
    struct loaded *loaded;
    struct sim_kernel *kernels;
    size_t n;
};

static int instance(struct sim *s, struct sim_library *l, struct sim_context *ctx, struct sim_module **out)
{
    struct sim_options none = { .text = "" };
    struct loaded *one;
    int r = CU_OK;

    (void)pthread_mutex_lock(&l->lock);
    for (one = l->loaded; one && one->context != ctx; one = one->next)
        continue;
    if (!one) {
        one = jw_alloc(sizeof *one);
        r = one ? sim_module_load(s, ctx, l->code.p, &none, &one->module) : CU_OUT_OF_MEMORY;
        if (r == CU_OK) {
            one->context = ctx;
            one->next = l->loaded;
            l->loaded = one;
        } else {
            jw_free(one);
        }
    }
    if (r == CU_OK)
        *out = one->module;
    (void)pthread_mutex_unlock(&l->lock);
    return r;
}

static void library_free(struct sim *s, struct sim_library *l)
{
    while (l->loaded) {
        struct loaded *one = l->loaded;

        l->loaded = one->next;
        sim_module_free(s, one->module);
        jw_free(one);
    }
    for (size_t i = 0; i < l->n; i++)
        (void)sim_object_remove(s, &l->kernels[i].o, SIM_KERNEL);
    jw_free(l->kernels);
    jw_buf_free(&l->code);
    jw_buf_free(&l->names);
    (void)pthread_mutex_destroy(&l->lock);
    jw_free(l);
}

/* The kernels of the entry that the first device would run: the others have the same names. */
static int list_kernels(struct sim *s, struct sim_library *l)
{
    struct sim_context *ctx = sim_current(s);
    struct sim_image image;
    size_t n = 0;
    int r = sim_image_read(&s->c, l->code.p, 0, s->c.gpus[ctx ? ctx->device : 0].sm, &image);

    if (r != CU_OK)
        return r;
    bool ok = image.ptx ? sim_kernels_of_ptx(jw_buf_bytes(&image.bytes), &l->names, &n)
                        : sim_kernels_of_cubin(jw_buf_bytes(&image.bytes), &l->names, &n);
    const char *name = (const char *)l->names.p;

    sim_image_free(&image);
    l->kernels = ok && n ? jw_alloc(n * sizeof *l->kernels) : NULL;
    if (!ok || (n && !l->kernels))
        return ok ? CU_OUT_OF_MEMORY : CU_INVALID_IMAGE;
    for (l->n = 0; l->n < n; l->n++, name += strlen(name) + 1) {
        l->kernels[l->n] = (struct sim_kernel){ .library = l, .name = name };
        sim_object_add(s, &l->kernels[l->n].o, SIM_KERNEL);
    }
    return CU_OK;
}

/* The nth object of a kind; NULL: there are no more. */
static void *object_at(struct sim *s, enum sim_kind kind, size_t nth)
{
    struct sim_object *o;

    (void)pthread_mutex_lock(&s->lock);
    for (o = s->objects; o; o = o->next)
        if (o->kind == kind && nth-- == 0)
            break;
    (void)pthread_mutex_unlock(&s->lock);
    return o;
}

void sim_libraries_leave(struct sim *s, const struct sim_context *ctx)
{
    struct sim_library *l;

    for (size_t i = 0; (l = object_at(s, SIM_LIBRARY, i)) != NULL; i++) {
        (void)pthread_mutex_lock(&l->lock);
        for (struct loaded **at = &l->loaded; *at;) {
            struct loaded *one = *at;

            if (one->context != ctx) {
                at = &one->next;
                continue;
            }
            *at = one->next;
            sim_module_free(s, one->module);
            jw_free(one);
        }
        (void)pthread_mutex_unlock(&l->lock);
    }
}

static int load_everywhere(struct sim *s, struct sim_library *l)
{
    struct sim_context *ctx, first = { 0 };
    struct sim_options none = { .text = "" };
    struct sim_module *m = NULL;
    int r = CU_OK;

    for (size_t i = 0; r == CU_OK && (ctx = object_at(s, SIM_CONTEXT, i)) != NULL; i++)
        r = instance(s, l, ctx, &m);
    if (r == CU_OK && !m) {
        r = sim_module_load(s, &first, l->code.p, &none, &m);
        if (r == CU_OK)
            sim_module_free(s, m);
    }
    return r;
}

int cuLibraryLoadData(void **library, const void *code, int *jit_options, void **jit_values, unsigned n_jit,
                      int *options, void **values, unsigned n)
{
    struct sim_library *l;
    struct sim *s;
    size_t size = 0;
    int r = sim_ready(&s);

    (void)jit_options;
    (void)jit_values;
    (void)n_jit;
    (void)options;
    (void)values;
    (void)n;
    if (r != CU_OK || !library || !code)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    if (!sim_image_size(code, &size))
        return CU_INVALID_IMAGE;
    l = jw_alloc(sizeof *l);
    if (!l)
        return CU_OUT_OF_MEMORY;
    *l = (struct sim_library){ .code = JW_BUF(SIM_MAX_IMAGE), .names = JW_BUF(SIM_MAX_IMAGE) };
    (void)pthread_mutex_init(&l->lock, NULL);
    sim_image_copy(code, size, &l->code);
    r = l->code.bad ? CU_OUT_OF_MEMORY : list_kernels(s, l);
    if (r == CU_OK)
        r = load_everywhere(s, l);
    if (r != CU_OK) {
        library_free(s, l);
        return r;
    }
    sim_object_add(s, &l->o, SIM_LIBRARY);
    *library = l;
    return CU_OK;
}

int cuLibraryUnload(void *library)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK)
        return r;
    if (!sim_object_remove(s, library, SIM_LIBRARY))
        return CU_INVALID_HANDLE;
    library_free(s, library);
    return CU_OK;
}

int cuLibraryGetKernelCount(unsigned *count, void *library)
{
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK || !count)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    if (!sim_object_is(s, library, SIM_LIBRARY))
        return CU_INVALID_HANDLE;
    *count = (unsigned)((struct sim_library *)library)->n;
    return CU_OK;
}

int cuLibraryEnumerateKernels(void **kernels, unsigned n, void *library)
{
    struct sim_library *l = library;
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK || !kernels)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    if (!sim_object_is(s, library, SIM_LIBRARY))
        return CU_INVALID_HANDLE;
    for (unsigned i = 0; i < n && i < l->n; i++)
        kernels[i] = &l->kernels[i];
    return CU_OK;
}

int cuKernelGetFunction(void **function, void *kernel)
{
    struct sim_kernel *k = kernel;
    struct sim_context *ctx;
    struct sim_module *m = NULL;
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK || !function)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    ctx = sim_current(s);
    if (!ctx)
        return CU_INVALID_CONTEXT;
    if (!sim_object_is(s, kernel, SIM_KERNEL))
        return CU_INVALID_HANDLE;
    r = instance(s, k->library, ctx, &m);
    struct sim_function *f = r == CU_OK ? sim_module_function(m, k->name) : NULL;

    if (f)
        *function = f;
    return r == CU_OK && !f ? CU_NOT_FOUND : r;
}

/* The device linker. Each PTX is compiled by itself, through the cache, with " -c" before its own options in its key; the
 * last cubin is the result. Another target is compiled for, and is no error. driver-fact: F90-link-alone,
 * F91-link-target */

struct sim_link {
    struct sim_object o;
    struct sim_options options;
    struct jw_buf cubin;
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
    *l = (struct sim_link){ .options = sim_options_read(n, options, values),
                            .cubin = JW_BUF(SIM_MAX_IMAGE),
                            .sm = s->c.gpus[ctx->device].sm };
    sim_object_add(s, &l->o, SIM_LINK);
    *link = l;
    return CU_OK;
}

static int add_ptx(struct sim *s, struct sim_link *l, const void *data, size_t size)
{
    struct sim_image image;
    unsigned sm = l->options.target ? l->options.target : l->sm;
    int r = sim_image_input(&s->c, data, size, sm, &image);

    (void)sys_load_compiler();     /* driver-fact: F92-link-opens-compiler */
    if (r == CU_NO_BINARY_FOR_GPU) /* it is passed over: driver-fact: F89-link-inputs */
        return CU_OK;
    if (r != CU_OK)
        return r;
    jw_buf_clear(&l->cubin);
    if (image.ptx) {
        struct sim_request request = {
            .image = &image, .options = &l->options, .sm = l->sm, .relocatable = true
        };

        r = sim_jit(s, &request, &l->cubin);
        r = r == CU_INVALID_SOURCE && sm != l->sm ? CU_OK : r;
    } else {
        jw_buf_add(&l->cubin, image.bytes.p, image.bytes.n);
    }
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

/* A linked cubin is an executable one. */
int cuLinkComplete(void *link, void **cubin, size_t *size)
{
    enum { ELF_TYPE = 16, EXECUTABLE = 2 };
    struct sim_link *l = link;
    struct sim *s;
    int r = sim_ready(&s);

    if (r != CU_OK || !cubin)
        return r != CU_OK ? r : CU_INVALID_VALUE;
    if (!sim_object_is(s, link, SIM_LINK))
        return CU_INVALID_HANDLE;
    if (l->cubin.n <= ELF_TYPE)
        return CU_INVALID_IMAGE;
    struct sim_struck struck = sim_faults_at(&s->c, WHERE_LINK);

    sim_log_error(&l->options, struck.result);
    if (struck.result)
        return struck.result;
    l->cubin.p[ELF_TYPE] = EXECUTABLE;
    *cubin = l->cubin.p;
    if (size)
        *size = l->cubin.n;
    return CU_OK;
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
    jw_buf_free(&l->cubin);
    jw_free(l);
    return CU_OK;
}
