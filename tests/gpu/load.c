/*
 * load [--split N] FILE...: a CUDA program that shares no code with jitwarm. It loads each file of
 * PTX as programs do, runs its kernel `lab(out, x)` on the first GPU, and prints a line of JSON for
 * each: the time of the load, and the number that the kernel made of 1.
 * --split N gives the driver CU_JIT_SPLIT_COMPILE (CUDA 13.0). Exit: 0 all were loaded, 1 one was
 * not, 77 there is no usable GPU.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPLIT_COMPILE = 34 };

static void *driver;

/* The calls of the driver, as cuda.h declares them. */
static int (*init)(unsigned);
static int (*device_get)(int *, int);
static int (*context_create)(void **, unsigned, int);
static int (*module_load)(void **, const void *);
static int (*module_load_with)(void **, const void *, unsigned, int *, void **);
static int (*function_get)(void **, void *, const char *);
static int (*memory_alloc)(uint64_t *, size_t);
static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     void *, void **, void **);
static int (*copy_out)(void *, uint64_t, size_t);

/* `call` is one of the pointers above. */
static void find(void *call, const char *name)
{
    void *at = dlsym(driver, name);

    if (!at) {
        fprintf(stderr, "load: the driver has no %s\n", name);
        exit(77);
    }
    memcpy(call, &at, sizeof at);
}

static void find_all(void)
{
    find(&init, "cuInit");
    find(&device_get, "cuDeviceGet");
    find(&context_create, "cuCtxCreate_v2");
    find(&module_load, "cuModuleLoadData");
    find(&module_load_with, "cuModuleLoadDataEx");
    find(&function_get, "cuModuleGetFunction");
    find(&memory_alloc, "cuMemAlloc_v2");
    find(&launch, "cuLaunchKernel");
    find(&copy_out, "cuMemcpyDtoH_v2");
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text;
    long n;

    if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || !(text = calloc((size_t)n + 1, 1))) {
        perror(path);
        exit(2);
    }
    rewind(f);
    if (fread(text, 1, (size_t)n, f) != (size_t)n) {
        perror(path);
        exit(2);
    }
    fclose(f);
    return text;
}

/* The number that the kernel writes for x = 1; 0 if a call failed, whose result is `*result`. */
static unsigned run(void *module, int *result)
{
    void *kernel = NULL;
    uint64_t out = 0;
    unsigned x = 1, value = 0;
    void *arguments[] = {&out, &x};

    if ((*result = function_get(&kernel, module, "lab"))
        || (*result = memory_alloc(&out, sizeof value))
        || (*result = launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL))
        || (*result = copy_out(&value, out, sizeof value)))
        return 0;
    return value;
}

static int load(const char *path, unsigned split)
{
    int option = SPLIT_COMPILE, result;
    void *setting = (void *)(uintptr_t)split, *module = NULL;
    char *text = read_all(path);
    double begin = now(), ms;
    unsigned value = 0;

    result =
        split ? module_load_with(&module, text, 1, &option, &setting) : module_load(&module, text);
    ms = now() - begin;
    if (!result)
        value = run(module, &result);
    printf("{\"file\":\"%s\",\"split\":%u,\"result\":%d,\"load_ms\":%.1f,\"value\":%u}\n", path,
           split, result, ms, value);
    free(text);
    return result;
}

int main(int argc, char **argv)
{
    int at = 1, device = 0, failed = 0;
    unsigned split = 0;
    void *context = NULL;

    if (at + 1 < argc && strcmp(argv[at], "--split") == 0) {
        split = (unsigned)strtoul(argv[at + 1], NULL, 10);
        at += 2;
    }
    if (at == argc) {
        fputs("usage: load [--split N] FILE...\n", stderr);
        return 2;
    }
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver)
        find_all();
    if (!driver || init(0) || device_get(&device, 0) || context_create(&context, 0, device)) {
        fputs("load: no usable GPU\n", stderr);
        return 77;
    }
    for (; at < argc; at++)
        failed |= load(argv[at], split) != 0;
    return failed;
}
