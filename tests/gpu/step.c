/*
 * One fresh process that does what its operations say and reports each over a pipe, as soon as it is done:
 *
 *   context                   cuInit, the primary context of device 0 made current
 *   init                      cuInit alone
 *   mode                      cuModuleGetLoadingMode: 1 eager, 2 lazy
 *   data | ex | fatbinary | library | link FILE     load it by that door; the file's bytes are followed by zeros
 *   get KERNEL                cuModuleGetFunction, or cuLibraryGetKernel and cuKernelGetFunction
 *   kernel KERNEL             cuLibraryGetKernel alone
 *   enumerate                 the functions or kernels of what was loaded: how many
 *   funcload                  cuFuncLoad of the first one
 *   launch KERNEL X           on a plain allocation: the number that it wrote
 *   unload
 *   and what step_more.c, step_os.c and step_tools.c have
 *
 * An operation that the driver has no function for gives -1, and so does one that has nothing to work on.
 */
#include "step.h"
#include "lab.h"

#include "os/files/file.h"
#include "os/machine/time.h"
#include "os/process/child.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_IMAGE = 64 << 20, PTX_INPUT = 1 };

enum need { MAY, MUST };

static bool resolve(struct lab_doors *d, const char *symbol, enum need need, void *slot, struct jw_err *err)
{
    jw_lib_fn fn = jw_lib_symbol(&d->driver.lib, symbol);

    memcpy(slot, &fn, sizeof fn);
    return fn || need == MAY || jw_fail(err, JW_E_DRIVER, "it has no %s", symbol);
}

bool lab_doors_open(struct lab_doors *d, struct jw_err *err)
{
    const char *path = getenv("JITWARM_DRIVER");

    memset(d, 0, sizeof *d);
    return jw_driver_open(&d->driver, path && *path ? path : NULL, err)
#define F(need, field, name, suffix, version, parameters)                                                    \
    &&resolve(d, #name #suffix, need, &d->lab.field, err)
#include "lab_api.def"
#undef F
        ;
}

/* It is never freed: a lazy driver may read it later. */
bool step_read_image(const char *path, struct jw_image_room *image)
{
    struct jw_buf bytes = JW_BUF(MAX_IMAGE);
    struct jw_err err;
    bool found = false;
    bool ok = jw_file_slurp(path, &bytes, &found, &err) && found && jw_image_room_new(image, bytes.n, &err);

    if (ok)
        memcpy(image->p, bytes.p, bytes.n);
    jw_buf_free(&bytes);
    return ok;
}

/* As text, its NUL counted; the linked cubin is not loaded. */
static int link_text(struct child *c, struct jw_image_room *image)
{
    struct CUlinkState_st *link = NULL;
    void *cubin = NULL;
    size_t size = 0;

    if (!c->lab->link_create || !c->lab->link_add || !c->lab->link_complete || !c->lab->link_destroy)
        return STEP_ABSENT;
    unsigned code = c->lab->link_create(0, NULL, NULL, &link);

    if (code == 0)
        code = c->lab->link_add(link, PTX_INPUT, image->p, image->n + 1, "lab", 0, NULL, NULL);
    if (code == 0)
        code = c->lab->link_complete(link, &cubin, &size);
    c->value = size;
    if (link)
        (void)c->lab->link_destroy(link);
    return (int)code;
}

int step_load(struct child *c, const char *door, const char *path)
{
    struct jw_image_room image;

    if (!step_read_image(path, &image))
        return STEP_ABSENT;
    if (strcmp(door, "data") == 0)
        return (int)c->lab->module_load(&c->module, image.p);
    if (strcmp(door, "ex") == 0)
        return (int)c->api->module_load_ex(&c->module, image.p, 0, NULL, NULL);
    if (strcmp(door, "fatbinary") == 0 && c->lab->module_load_fatbinary)
        return (int)c->lab->module_load_fatbinary(&c->module, image.p);
    if (strcmp(door, "library") == 0 && c->lab->library_load)
        return (int)c->lab->library_load(&c->library, image.p, NULL, NULL, 0, NULL, NULL, 0);
    return strcmp(door, "link") == 0 ? link_text(c, &image) : STEP_ABSENT;
}

static int kernel_of(struct child *c, const char *name, struct CUkern_st **kernel)
{
    return c->library && c->lab->library_kernel ? (int)c->lab->library_kernel(kernel, c->library, name)
                                                : STEP_ABSENT;
}

static int function_of(struct child *c, const char *name, struct CUfunc_st **function)
{
    struct CUkern_st *kernel = NULL;

    if (c->module)
        return (int)c->lab->module_function(function, c->module, name);
    int code = kernel_of(c, name, &kernel);

    return code || !c->lab->kernel_function ? code : (int)c->lab->kernel_function(function, kernel);
}

/* One of them, when `one` is given; c->value says how many there are. */
static int enumerate(struct child *c, struct CUfunc_st **one)
{
    struct CUkern_st *kernel = NULL;
    struct CUfunc_st *function = NULL;
    unsigned n = 0, code;

    if (c->module && c->lab->module_function_count && c->lab->module_functions) {
        code = c->lab->module_function_count(&n, c->module);
        if (code == 0 && n)
            code = c->lab->module_functions(&function, 1, c->module);
    } else if (c->library && c->lab->library_kernel_count && c->lab->library_kernels) {
        code = c->lab->library_kernel_count(&n, c->library);
        if (code == 0 && n)
            code = c->lab->library_kernels(&kernel, 1, c->library);
        if (code == 0 && kernel && one)
            code = c->lab->kernel_function ? c->lab->kernel_function(&function, kernel) : 0;
    } else {
        return STEP_ABSENT;
    }
    c->value = n;
    if (one)
        *one = function;
    return (int)code;
}

static int function_load(struct child *c)
{
    struct CUfunc_st *one = NULL;
    int code = enumerate(c, &one);

    if (code || !one || !c->lab->function_load)
        return code ? code : STEP_ABSENT;
    return (int)c->lab->function_load(one);
}

int step_launch(struct child *c, const char *name, uint32_t x)
{
    unsigned long long address = 0;
    uint32_t number = 0xdeadbeef;
    struct CUfunc_st *f = NULL;
    void *arguments[] = { &address, &x };
    int found = function_of(c, name, &f);

    if (found)
        return found;
    unsigned code = c->lab->mem_alloc(&address, sizeof number);

    if (code == 0)
        code = c->lab->copy_to(address, &number, sizeof number);
    if (code == 0)
        code = c->lab->launch(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    if (code == 0)
        code = c->lab->ctx_sync();
    if (code == 0)
        code = c->lab->copy_from(&number, address, sizeof number);
    if (address)
        (void)c->lab->mem_free(address);
    c->value = number;
    return (int)code;
}

static int open_context(struct child *c)
{
    unsigned code = c->api->init(0);

    return (int)(code ? code : jw_context_open(&c->gpu, c->api, 0));
}

static int mode(struct child *c)
{
    unsigned m = 0, code;

    if (!c->lab->module_mode)
        return STEP_ABSENT;
    code = c->lab->module_mode(&m);
    c->value = m;
    return (int)code;
}

static int without_object(struct child *c, const char *verb)
{
    if (strcmp(verb, "init") == 0)
        return (int)c->api->init(0);
    if (strcmp(verb, "context") == 0)
        return open_context(c);
    if (strcmp(verb, "mode") == 0)
        return mode(c);
    if (strcmp(verb, "enumerate") == 0)
        return enumerate(c, NULL);
    if (strcmp(verb, "funcload") == 0)
        return function_load(c);
    if (strcmp(verb, "unload") == 0 && c->module)
        return (int)c->api->module_unload(c->module);
    return STEP_ABSENT;
}

/* `text` is a copy that may be cut up. */
static int operate(struct child *c, char *text)
{
    struct CUfunc_st *function = NULL;
    struct CUkern_st *kernel = NULL;
    char *object = strchr(text, ' ');
    int code = STEP_ABSENT;

    if (object)
        *object = '\0';
    char *rest = object ? object + 1 : text + strlen(text);

    if (step_more(c, text, rest, &code) || step_os(c, text, rest, &code) || step_tools(c, text, rest, &code))
        return code;
    if (!object)
        return without_object(c, text);
    object++;
    if (strcmp(text, "get") == 0)
        return function_of(c, object, &function);
    if (strcmp(text, "kernel") == 0)
        return kernel_of(c, object, &kernel);
    if (strcmp(text, "launch") != 0)
        return step_load(c, text, object);
    char *number = strchr(object, ' ');

    if (number)
        *number++ = '\0';
    return step_launch(c, object, number ? (uint32_t)strtoul(number, NULL, 10) : 0);
}

static const struct jw_cache_file *find(const struct jw_cache_listing *l, uint64_t name)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].name == name)
            return &l->files[i];
    return NULL;
}

/* The folder as it is now; what we read of it is not for the shim's log. */
static bool list(struct child *c, struct jw_cache_listing *now)
{
    const char *watched = getenv("LAB_SHIM_CACHE");
    struct jw_err err;

    if (watched)
        (void)setenv("LAB_SHIM_CACHE", "", 1);
    bool ok = jw_cachedir_list(c->cache, false, &c->arena, now, &err);

    if (watched)
        (void)setenv("LAB_SHIM_CACHE", c->cache, 1);
    return ok;
}

/* What the folder holds now, against the last look. */
static void look(struct child *c, unsigned *fresh, unsigned *changed, unsigned *gone)
{
    struct jw_cache_listing now = { 0 };
    unsigned kept = 0;

    *fresh = *changed = *gone = 0;
    /* Closing any descriptor of the index would drop a record lock that this process has on it. */
    if (c->lock > 0 || !list(c, &now))
        return;
    for (size_t i = 0; i < now.n; i++) {
        const struct jw_cache_file *before = find(&c->seen, now.files[i].name);

        kept += before != NULL;
        *fresh += before == NULL;
        *changed += before && (before->mtime != now.files[i].mtime || before->size != now.files[i].size);
    }
    *gone = (unsigned)c->seen.n - kept;
    jw_cache_listing_free(&c->seen);
    c->seen = now;
}

/* Between the calls of the log: which operation they belong to. */
static void mark(const char *op)
{
    const char *log = getenv("LAB_SHIM_LOG");
    FILE *f = log ? fopen(log, "a") : NULL;

    if (f) {
        const char *slash = strrchr(op, '/');

        (void)fprintf(f, "-- %.*s%s\n", slash ? (int)strcspn(op, " ") + 1 : 0, op, slash ? slash + 1 : op);
        (void)fclose(f);
    }
}

static bool perform(struct child *c, const char *op, struct jw_err *err)
{
    unsigned fresh, changed, gone;
    char line[256], *copy = jw_arena_str(&c->arena, op);

    c->value = 0;
    mark(op);
    uint64_t start = jw_time_monotonic_ns();
    int code = operate(c, copy);
    uint64_t us = (jw_time_monotonic_ns() - start) / 1000;

    look(c, &fresh, &changed, &gone);
    int n = snprintf(line, sizeof line, "%d %llu %u %u %u %llu\n", code, (unsigned long long)us, fresh,
                     changed, gone, (unsigned long long)c->value);
    return jw_parent_write(&c->parent, line, (size_t)n, err);
}

int lab_child(int argc, char **argv)
{
    struct child c = { 0 };
    struct jw_err err;
    unsigned ignored;

    if (argc < 4 || !jw_parent_open(&c.parent, argv[argc - 2], argv[argc - 1], &err))
        return 2;
    unsigned long uid = strtoul(argv[1], NULL, 10);

    c.cache = argv[0];
    /* The driver may lie where only this user may read; what it does is done as the other one. Its compiler, which it opens
     * by this name at the first module, is in memory then. */
    if (!lab_doors_open(&c.doors, &err))
        return 4;
    if (uid)
        (void)dlopen("libnvidia-ptxjitcompiler.so.1", RTLD_LAZY);
    if (uid && (setgid((gid_t)uid) != 0 || setuid((uid_t)uid) != 0))
        return 3;
    c.api = &c.doors.driver.api;
    c.lab = &c.doors.lab;
    look(&c, &ignored, &ignored, &ignored);
    for (int i = 2; i < argc - 2; i++)
        if (!perform(&c, argv[i], &err))
            return 5;
    /* No clean-up: what a program that simply ends leaves behind is what is asked about. */
    return 0;
}
