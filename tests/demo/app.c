/*
 * A small CUDA program, as frameworks are built: its GPU code is PTX of an older architecture, in
 * containers of the section .nv_fatbin, one for each module. It starts the driver, loads every
 * module, and says how long that took.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* What nvcc's registration records point at: a container each (gen_modules writes them). */
struct wrapper {
    uint32_t magic, version;
    const void *container;
    void *unused;
};
extern const struct wrapper demo_wrappers[], demo_wrappers_end[];

typedef int call(void *, ...);

static void *cuda;

static call *entry(const char *name)
{
    void *found = dlsym(cuda, name);
    call *function = NULL;

    *(void **)&function = found;
    return function;
}

static int step(const char *what, int error)
{
    if (error)
        fprintf(stderr, "app: %s: CUDA error %d\n", what, error);
    return error;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
    double began = seconds();
    void *context = NULL, *module = NULL;
    int n = 0, device = 0;

    cuda = dlopen("libcuda.so.1", RTLD_NOW);
    if (!cuda || !entry("cuInit") || !entry("cuCtxCreate_v2")) {
        fprintf(stderr, "app: %s\n", cuda ? "this libcuda.so.1 is no CUDA driver" : dlerror());
        return 1;
    }
    if (step("cuInit", ((int (*)(unsigned))entry("cuInit"))(0))
        || step("cuDeviceGet", entry("cuDeviceGet")(&device, 0))
        || step("cuCtxCreate", entry("cuCtxCreate_v2")(&context, 0U, device)))
        return 1;
    for (const struct wrapper *w = demo_wrappers; w < demo_wrappers_end; w++, n++)
        if (step("cuModuleLoadData", entry("cuModuleLoadData")(&module, w->container)))
            return 1;
    printf("app: %d modules loaded, ready after %.2f s\n", n, seconds() - began);
    return 0;
}
