/*
 * play LIBRARY COMMAND...   calls a CUDA driver; a line for each command: its name, the CUresult, an answer
 *
 *   init   devices   version   mode   ctx N   primary N   unctx   mem   alloc BYTES
 *   load FILE   loadfat FILE   loadopt FILE OPTION VALUE   count   enum   fn NAME   funcload   launch NAME X
 *   unload   lib FILE   kernels   kernel N   unlib   link FILE   linkload
 *   nap MILLISECONDS   set NAME=VALUE (before init)
 */
#include "base/buf.h"
#include "base/mem.h"
#include "fakes/simcuda/abi.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/lib.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct play {
    struct jw_lib lib;
    void *ctx, *module, *function, *library, *link, *linked;
    void *kernels[16];
    struct jw_buf image;
    const char *rest;
};

static jw_lib_fn find(struct play *p, const char *name)
{
    jw_lib_fn f = jw_lib_symbol(&p->lib, name);

    if (!f) {
        printf("no %s\n", name);
        exit(9);
    }
    return f;
}

#define CALL(p, name) ((__typeof__(name) *)find(p, #name))

static void said(const char *command, int r)
{
    printf("%s %d", command, r);
}

/* The file named by the first word of the rest, with a NUL behind it. */
static const void *image(struct play *p, const char *path)
{
    struct jw_err err = { 0 };
    bool found = false;
    size_t n = strcspn(path, " ");
    struct jw_buf name = JW_BUF(1 << 16);

    jw_buf_add(&name, path, n);
    jw_buf_free(&p->image);
    p->image = JW_BUF((size_t)1 << 30);
    if (!jw_file_slurp(jw_buf_cstr(&name), &p->image, &found, &err) || !found) {
        printf("no file %s\n", jw_buf_cstr(&name));
        exit(9);
    }
    jw_buf_fill(&p->image, 0, 64);
    jw_buf_free(&name);
    return p->image.p;
}

static void hex(const unsigned char *uuid)
{
    for (int i = 0; i < 16; i++)
        printf("%02x", uuid[i]);
}

static void do_init(struct play *p)
{
    said("init", CALL(p, cuInit)(0));
}

static void do_version(struct play *p)
{
    int v = -1;

    said("version", CALL(p, cuDriverGetVersion)(&v));
    printf(" %d", v);
}

static void do_mode(struct play *p)
{
    int mode = 0;

    said("mode", CALL(p, cuModuleGetLoadingMode)(&mode));
    printf(" %s", mode == CU_MODE_LAZY ? "lazy" : mode == CU_MODE_EAGER ? "eager" : "?");
}

static void do_devices(struct play *p)
{
    int n = 0, r = CALL(p, cuDeviceGetCount)(&n);

    said("devices", r);
    printf(" %d", n);
    for (int i = 0; r == 0 && i < n; i++) {
        char name[128] = "";
        unsigned char uuid[16] = { 0 }, old[16] = { 0 };
        int major = 0, minor = 0, mode = 0;
        size_t bytes = 0;

        r = CALL(p, cuDeviceGetName)(name, sizeof name, i) | CALL(p, cuDeviceGetUuid_v2)(uuid, i)
            | CALL(p, cuDeviceGetUuid)(old, i) | CALL(p, cuDeviceGetAttribute)(&major, 75, i)
            | CALL(p, cuDeviceGetAttribute)(&minor, 76, i) | CALL(p, cuDeviceGetAttribute)(&mode, 20, i)
            | CALL(p, cuDeviceTotalMem_v2)(&bytes, i);
        printf("\n  %d %s|sm_%d%d|%zu MiB|mode %d|", r, name, major, minor, bytes >> 20, mode);
        hex(uuid);
        printf("%s", memcmp(uuid, old, 16) ? "|slice" : "");
    }
}

static void do_ctx(struct play *p)
{
    said("ctx", CALL(p, cuCtxCreate_v2)(&p->ctx, 0, atoi(p->rest)));
}

static void do_primary(struct play *p)
{
    int r = CALL(p, cuDevicePrimaryCtxRetain)(&p->ctx, atoi(p->rest));

    said("primary", r ? r : CALL(p, cuCtxSetCurrent)(p->ctx));
}

static void do_unctx(struct play *p)
{
    said("unctx", CALL(p, cuCtxDestroy_v2)(p->ctx));
}

static void do_mem(struct play *p)
{
    size_t unused = 0, total = 0;

    said("mem", CALL(p, cuMemGetInfo_v2)(&unused, &total));
    printf(" %zu/%zu MiB", unused >> 20, total >> 20);
}

static void do_alloc(struct play *p)
{
    unsigned long long address = 0;
    int r = CALL(p, cuMemAlloc_v2)(&address, (size_t)strtoull(p->rest, NULL, 10));

    said("alloc", r ? r : CALL(p, cuMemFree_v2)(address));
}

static void do_load(struct play *p)
{
    said("load", CALL(p, cuModuleLoadData)(&p->module, image(p, p->rest)));
}

static void do_loadfat(struct play *p)
{
    said("loadfat", CALL(p, cuModuleLoadFatBinary)(&p->module, image(p, p->rest)));
}

static void do_loadopt(struct play *p)
{
    char log[128] = "untouched";
    char *end;
    const char *numbers = strchr(p->rest, ' ');
    int option = (int)strtol(numbers ? numbers : "0", &end, 10);
    int options[] = { option, CU_OPT_ERROR_LOG, CU_OPT_ERROR_LOG_SIZE };
    void *values[] = { (void *)(uintptr_t)strtoul(end, NULL, 10), log, (void *)(uintptr_t)sizeof log };

    said("loadopt", CALL(p, cuModuleLoadDataEx)(&p->module, image(p, p->rest), 3, options, values));
    printf(" %s", log);
}

static void do_count(struct play *p)
{
    unsigned n = 0;

    said("count", CALL(p, cuModuleGetFunctionCount)(&n, p->module));
    printf(" %u", n);
}

static void do_enum(struct play *p)
{
    void *functions[16] = { NULL };
    const char *name = "?";
    int r = CALL(p, cuModuleEnumerateFunctions)(functions, 16, p->module);

    p->function = functions[0];
    if (p->function)
        r |= CALL(p, cuFuncGetName)(&name, p->function);
    said("enum", r);
    printf(" %s", name);
}

static void do_fn(struct play *p)
{
    said("fn", CALL(p, cuModuleGetFunction)(&p->function, p->module, p->rest));
}

static void do_funcload(struct play *p)
{
    said("funcload", CALL(p, cuFuncLoad)(p->function));
}

static void do_launch(struct play *p)
{
    const char *blank = strchr(p->rest, ' ');
    char name[128] = "";
    unsigned long long out = 0;
    unsigned x = blank ? (unsigned)strtoul(blank, NULL, 10) : 0, result = 0;
    void *params[] = { &out, &x };

    memcpy(name, p->rest, strcspn(p->rest, " "));
    int r = CALL(p, cuModuleGetFunction)(&p->function, p->module, name);

    r = r ? r : CALL(p, cuMemAlloc_v2)(&out, sizeof x);
    r = r ? r : CALL(p, cuMemcpyHtoD_v2)(out, &result, sizeof result);
    r = r ? r : CALL(p, cuLaunchKernel)(p->function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    r = r ? r : CALL(p, cuCtxSynchronize)();
    r = r ? r : CALL(p, cuMemcpyDtoH_v2)(&result, out, sizeof result);
    r = r ? r : CALL(p, cuMemFree_v2)(out);
    said("launch", r);
    printf(" %u", result);
}

static void do_unload(struct play *p)
{
    said("unload", CALL(p, cuModuleUnload)(p->module));
}

static void do_lib(struct play *p)
{
    said("lib", CALL(p, cuLibraryLoadData)(&p->library, image(p, p->rest), NULL, NULL, 0, NULL, NULL, 0));
}

static void do_kernels(struct play *p)
{
    unsigned n = 0;
    int r = CALL(p, cuLibraryGetKernelCount)(&n, p->library);

    said("kernels", r ? r : CALL(p, cuLibraryEnumerateKernels)(p->kernels, 16, p->library));
    printf(" %u", n);
}

static void do_kernel(struct play *p)
{
    said("kernel", CALL(p, cuKernelGetFunction)(&p->function, p->kernels[atoi(p->rest)]));
}

static void do_unlib(struct play *p)
{
    said("unlib", CALL(p, cuLibraryUnload)(p->library));
}

static void do_link(struct play *p)
{
    void *data = (void *)(uintptr_t)image(p, p->rest);
    size_t size = 0;
    int r = CALL(p, cuLinkCreate_v2)(0, NULL, NULL, &p->link);

    r = r ? r : CALL(p, cuLinkAddData_v2)(p->link, CU_INPUT_PTX, data, p->image.n, "x", 0, NULL, NULL);
    r = r ? r : CALL(p, cuLinkComplete)(p->link, &p->linked, &size);
    said("link", r);
    printf(" %s", size > 64 ? "cubin" : "nothing");
}

static void do_linkload(struct play *p)
{
    int r = CALL(p, cuModuleLoadData)(&p->module, p->linked);

    said("linkload", r ? r : CALL(p, cuLinkDestroy)(p->link));
}

static void do_nap(struct play *p)
{
    jw_time_sleep_ms((unsigned)atoi(p->rest));
}

static void do_set(struct play *p)
{
    char *text = jw_strdup(p->rest); /* for good: it becomes part of the environment */

    if (putenv(text) != 0)
        exit(9);
}

static const struct {
    const char *name;
    void (*fn)(struct play *p);
} commands[] = {
    { "init", do_init },         { "devices", do_devices }, { "version", do_version },
    { "mode", do_mode },         { "ctx", do_ctx },         { "primary", do_primary },
    { "unctx", do_unctx },       { "mem", do_mem },         { "alloc", do_alloc },
    { "load", do_load },         { "loadfat", do_loadfat }, { "loadopt", do_loadopt },
    { "count", do_count },       { "enum", do_enum },       { "fn", do_fn },
    { "funcload", do_funcload }, { "launch", do_launch },   { "unload", do_unload },
    { "lib", do_lib },           { "kernels", do_kernels }, { "kernel", do_kernel },
    { "unlib", do_unlib },       { "link", do_link },       { "linkload", do_linkload },
    { "nap", do_nap },           { "set", do_set },
};

static void perform(struct play *p, const char *command)
{
    size_t n = strcspn(command, " ");

    for (size_t i = 0; i < JW_COUNT(commands); i++)
        if (strlen(commands[i].name) == n && memcmp(commands[i].name, command, n) == 0) {
            p->rest = command[n] ? command + n + 1 : "";
            commands[i].fn(p);
            printf("\n");
            (void)fflush(stdout);
            return;
        }
    printf("no command %s\n", command);
    exit(9);
}

int main(int argc, char **argv)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    struct play p = { .image = JW_BUF(1) };

    if (!jw_env_args(&argc, &argv, &a, &err) || argc < 2 || !jw_lib_open(&p.lib, argv[1], &err)) {
        printf("cannot load the driver: %s\n", err.msg);
        return 9;
    }
    for (int i = 2; i < argc; i++)
        perform(&p, argv[i]);
    jw_buf_free(&p.image);
    jw_lib_close(&p.lib);
    jw_arena_free(&a);
    return 0;
}
