/*
 * A library that looks like a CUDA driver and does as $FAKE_DRIVER says, a list of words:
 *
 *   init=N  noise  crash  hang  exit=N    in cuInit: give this result, print, die
 *   fail@K=N  crash@K  hang@K  exit@K     at the K-th module
 *   unload=N  retain=N                    what its unloading gives; what a context gives
 *   devices=N  slice  tell=NAME           a slice by its UUID; a variable's value as name
 *   longlog                               a log that fills its buffer
 *   gpu=N                                 has N GiB, half of them free; else it does not say
 *   pid=FILE                              writes its process number there when it begins to hang
 *
 * Built with FAKE_OLD it is a driver of 2020.
 */
#define FAKE_SCRIPT "FAKE_DRIVER"
#include "fake_script.h"

#include <stdint.h>
#include <stdio.h>

enum { OK = 0, INVALID_VALUE = 1, INVALID_IMAGE = 200, UNKNOWN = 999 };

struct CUuuid_st {
    char bytes[16];
};
struct CUctx_st {
    int device;
};
struct CUmod_st {
    char is_not_empty;
};

/* Every entry point is declared before it is written, so that it is as the table says. */
struct CUlinkState_st; /* as the list names it */
#define F(need, field, name, suffix, version, parameters) EXPORT unsigned name##suffix parameters;
#include "driver/api/driver_api.def"
#undef F

static unsigned modules;
static struct CUmod_st the_module;
static struct CUctx_st the_context;

static long number(const char *word, long otherwise)
{
    const char *rest = script(word);

    return rest ? strtol(rest, NULL, 10) : otherwise;
}

static void write_pid(void)
{
    const char *path = script("pid=");
    char name[1024], temp[1040];
    FILE *f;

    if (!path)
        return;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(path, " "), path);
    (void)snprintf(temp, sizeof temp, "%s.new", name);
    f = fopen(temp, "w");
    if (!f)
        return;
#ifdef _WIN32
    (void)fprintf(f, "%lu", (unsigned long)GetCurrentProcessId());
#else
    (void)fprintf(f, "%ld", (long)getpid());
#endif
    (void)fclose(f);
    (void)rename(temp, name);
}

static void tell_and_hang(void)
{
    write_pid();
    hang();
}

unsigned cuInit(unsigned flags)
{
    if (says("noise"))
        make_noise();
    if (says("crash"))
        crash();
    if (says("hang"))
        tell_and_hang();
    if (script("exit="))
        exit((int)number("exit=", 0));
    return flags ? INVALID_VALUE : (unsigned)number("init=", OK);
}

unsigned cuDriverGetVersion(int *version)
{
    *version = 12080;
    return OK;
}

unsigned cuDeviceGetCount(int *count)
{
    *count = (int)number("devices=", 1);
    return OK;
}

unsigned cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return ordinal < number("devices=", 1) ? OK : 101;
}

unsigned cuDeviceGetName(char *name, int room, int device)
{
    const char *variable = script("tell="), *value;
    char asked[128];

    if (!variable) {
        (void)snprintf(name, (size_t)room, "Fake GPU %d", device);
        return OK;
    }
    (void)snprintf(asked, sizeof asked, "%.*s", (int)strcspn(variable, " "), variable);
    value = getenv(asked);
    (void)snprintf(name, (size_t)room, "%s", value ? value : "(unset)");
    return OK;
}

static void number_uuid(struct CUuuid_st *uuid, int first, int device)
{
    for (int i = 0; i < 16; i++)
        uuid->bytes[i] = (char)(first + i);
    uuid->bytes[15] = (char)device;
}

unsigned cuDeviceGetUuid(struct CUuuid_st *uuid, int device)
{
    number_uuid(uuid, 0xa0, device);
    return OK;
}

#ifndef FAKE_OLD
unsigned cuDeviceGetUuid_v2(struct CUuuid_st *uuid, int device)
{
    number_uuid(uuid, says("slice") ? 0x10 : 0xa0, device);
    return OK;
}
#endif

unsigned cuDeviceGetAttribute(int *value, unsigned attribute, int device)
{
    *value = attribute == 75 ? 8 : attribute == 76 ? 6 + 3 * device : attribute == 20 ? 3 : 0;
    return OK;
}

unsigned cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = ((size_t)8 + (size_t)device) << 30;
    return OK;
}

unsigned cuCtxSetCurrent(struct CUctx_st *ctx)
{
    (void)ctx;
    return OK;
}

unsigned cuDevicePrimaryCtxRetain(struct CUctx_st **ctx, int device)
{
    the_context.device = device;
    *ctx = &the_context;
    return (unsigned)number("retain=", OK);
}

unsigned cuDevicePrimaryCtxRelease(int device)
{
    (void)device;
    return OK;
}

/* "fail@" and so on, at the module that it is now. */
static const char *at_module(const char *what)
{
    char word[32];

    (void)snprintf(word, sizeof word, "%s@%u", what, modules);
    return script(word);
}

/* Logs into the two buffers that we ask with, the first without its NUL. */
static bool explained(unsigned n, const unsigned *options, void *const *values)
{
    static const unsigned wanted[] = {3, 4, 5, 6};
    size_t room;

    if (n != 4 || memcmp(options, wanted, sizeof wanted) != 0)
        return false;
    room = (size_t)(uintptr_t)values[1];
    (void)memset(values[0], 'i', says("longlog") ? room : 2);
    (void)snprintf(values[2], (size_t)(uintptr_t)values[3], "ptxas fatal : module %u", modules);
    return true;
}

unsigned cuModuleLoadDataEx(struct CUmod_st **module, const void *image, unsigned n,
                            unsigned *options, void **values)
{
    const char *fail;

    modules++;
    if (at_module("crash"))
        crash();
    if (at_module("hang"))
        tell_and_hang();
    if (at_module("exit"))
        exit(3);
    fail = at_module("fail");
    if (fail && n && !explained(n, options, values))
        return INVALID_VALUE;
    if (fail && *fail == '=')
        return (unsigned)strtoul(fail + 1, NULL, 10);
    if ((uintptr_t)image % 64 || !(n ? explained(n, options, values) : !options && !values))
        return INVALID_VALUE;
    /* A text runs up to its NUL, which a file need not have. */
    if (memcmp(image, "\x50\xed\x55\xba", 4) != 0 && !strstr(image, ".version"))
        return INVALID_IMAGE;
    *module = &the_module;
    return OK;
}

unsigned cuModuleUnload(struct CUmod_st *module)
{
    (void)module;
    return (unsigned)number("unload=", OK);
}

unsigned cuMemGetInfo_v2(size_t *unused, size_t *total)
{
    *total = (size_t)number("gpu=", 0) << 30;
    *unused = *total / 2;
    return *total ? OK : UNKNOWN;
}

unsigned cuGetErrorName(unsigned result, const char **name)
{
    *name = result == 46 ? "CUDA_ERROR_DEVICE_UNAVAILABLE" : NULL;
    return *name ? OK : INVALID_VALUE;
}
