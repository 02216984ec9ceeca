#include "phantom/phantom.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * JITWARM_PHANTOM_GPUS     sm_86:NAME:8G;sm_90    without it nothing is played;
 * sm_90:::mig=1g.10gb: MIG JITWARM_PHANTOM_DRIVER   550.163.01             the kernel module's
 * version; else what libcuda is JITWARM_PHANTOM_LOG      FILE                   every call, a line
 * each JITWARM_PHANTOM_BESIDE   1                      start although this machine has a real
 * /dev/nvidiactl
 */
enum { REFUSED = 125 };

static struct ph_options options;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Ends a program that requested phantom but would use the real driver. */
static _Noreturn void end_refused(const char *format, ...)
{
    char line[400];
    va_list list;
    int n;

    va_start(list, format);
    n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (n > 0)
        (void)!write(STDERR_FILENO, line, strlen(line));
    _exit(REFUSED);
}

static const struct ph_chip *chip_named(const char *text, size_t n)
{
    for (size_t i = 0; i < ph_n_chips; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "sm_%u", ph_chips[i].sm);
        if (strlen(name) == n && memcmp(name, text, n) == 0)
            return &ph_chips[i];
    }
    return NULL;
}

static uint64_t memory_size(const char *text, size_t n)
{
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 10);
    unsigned shift = n > 0 && text[n - 1] == 'G' ? 30 : n > 0 && text[n - 1] == 'M' ? 20 : 0;

    if (shift == 0 || end != text + n - 1 || value == 0 || value > (uint64_t)1 << 20)
        return 0;
    return value << shift;
}

static const char *part_end(const char *at) { return at + strcspn(at, ":;"); }

/* Its MIG instances: mig=1g.10gb+2g.20gb */
static const char *read_slices(const char *at, struct ph_gpu *gpu)
{
    if (strncmp(at, "mig=", 4) != 0)
        return at;
    for (at += 4;; at++) {
        size_t n = strcspn(at, "+:;");

        if (!ph_slice_add(gpu, at, n))
            end_refused("phantom: JITWARM_PHANTOM_GPUS: sm_%u with %llu GiB has no room for a MIG "
                        "instance %.*s "
                        "(mig=1g.10gb+2g.20gb).\n",
                        gpu->chip->sm, (unsigned long long)(gpu->memory >> 30), (int)n, at);
        at += n;
        if (*at != '+')
            return at;
    }
}

/* The others from sm_50 to sm_121 are in Tegra's chips, whose driver has no such kernel
 * interface. */
static _Noreturn void refuse_unknown(const char *name, int n)
{
    char known[16 * 8] = "";
    size_t used = 0;

    for (size_t i = 0; i < ph_n_chips && used < sizeof known - 8; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, " sm_%u", ph_chips[i].sm);
    end_refused("phantom: JITWARM_PHANTOM_GPUS: no GPU is called %.*s. These are:%s. Jetson has "
                "another driver.\n",
                n, name, known);
}

/* Parses one GPU; returns the start of the next. */
static const char *read_gpu(const char *at, struct ph_gpu *out)
{
    const char *end = part_end(at);
    const char *start = at;

    out->chip = chip_named(at, (size_t)(end - at));
    if (!out->chip)
        refuse_unknown(at, (int)(end - at));
    memcpy(out->uuid, "jw-phantom\0\0\0\0\0", sizeof out->uuid);
    out->uuid[13] = (uint8_t)out->chip->sm;
    out->uuid[15] = (uint8_t)(out->index + 1);
    (void)snprintf(out->name, sizeof out->name, "%s", out->chip->name);
    out->memory = out->chip->gib << 30;
    if (*end == ':') {
        at = end + 1;
        end = part_end(at);
        if (end > at)
            (void)snprintf(out->name, sizeof out->name, "%.*s", (int)(end - at), at);
    }
    if (*end == ':') {
        at = end + 1;
        end = part_end(at);
        if (end > at)
            out->memory = memory_size(at, (size_t)(end - at));
    }
    if (*end == ':' && out->memory > 0)
        end = read_slices(end + 1, out);
    if (out->memory == 0 || (*end && *end != ';'))
        end_refused("phantom: JITWARM_PHANTOM_GPUS: cannot read %s (sm_86:NAME:8G;sm_90).\n",
                    start);
    return *end ? end + 1 : end;
}

static void read_gpus(const char *text)
{
    while (*text) {
        struct ph_gpu *gpu = &options.gpus[options.n_gpus];

        if (options.n_gpus == PH_MAX_GPUS)
            end_refused("phantom: JITWARM_PHANTOM_GPUS: at most %d GPUs.\n", PH_MAX_GPUS);
        gpu->index = (unsigned)options.n_gpus;
        text = read_gpu(text, gpu);
        options.n_gpus++;
    }
}

/* The version in the name of libcuda.so.550.163.01, which `path` is or links to. */
static bool version_of(const char *path, char version[32])
{
    static const char stem[] = "libcuda.so.";
    char whole[PATH_MAX];
    const char *name = realpath(path, whole) ? strrchr(whole, '/') + 1 : "";

    if (strncmp(name, stem, sizeof stem - 1) != 0 || strlen(name) >= sizeof stem + 31
        || !strchr(name + sizeof stem - 1, '.'))
        return false;
    (void)snprintf(version, 32, "%s", name + sizeof stem - 1);
    return true;
}

static bool version_in(const char *folder, char version[32])
{
    char path[PATH_MAX + 16];

    return snprintf(path, sizeof path, "%s/libcuda.so.1", folder) < PATH_MAX
           && version_of(path, version);
}

static int version_of_loaded(struct dl_phdr_info *info, size_t size, void *version)
{
    (void)size;
    return strstr(info->dlpi_name, "/libcuda.so") && version_of(info->dlpi_name, version);
}

const char *ph_version(void)
{
    static char loaded[32];

    if (!options.version[0] && !loaded[0])
        (void)dl_iterate_phdr(version_of_loaded, loaded);
    return options.version[0] ? options.version : loaded;
}

/* The driver, and its version unless one was given. */
static void find_libcuda(void)
{
    const char *given = ph_variable("JITWARM_PHANTOM_DRIVER");
    const char *folders = ph_variable("LD_LIBRARY_PATH");

    for (bool found = false; !found && folders && *folders; folders += *folders == ':') {
        size_t n = strcspn(folders, ":");

        (void)snprintf(options.libraries, sizeof options.libraries, "%.*s", (int)n, folders);
        found = options.libraries[0] == '/' && version_in(options.libraries, options.version);
        if (!found)
            options.libraries[0] = '\0';
        folders += n;
    }
    if (given)
        (void)snprintf(options.version, sizeof options.version, "%s", given);
}

/* The loader cuts LD_PRELOAD at blanks. From a folder with one this library is preloaded by its
 * name, and the folder is in LD_LIBRARY_PATH. */
static void find_self(void)
{
    char path[PATH_MAX];
    Dl_info info;

    if (dladdr(&options, &info) == 0 || !info.dli_fname || !realpath(info.dli_fname, path))
        return;
    (void)snprintf(options.preload, sizeof options.preload, "%s", path);
    if (!strchr(path, ' '))
        return;

    char *name = strrchr(path, '/');
    size_t n = strlen(options.libraries);

    *name = '\0';
    (void)snprintf(options.preload, sizeof options.preload, "%s", name + 1);
    (void)snprintf(options.libraries + n, sizeof options.libraries - n, "%s%s", n ? ":" : "", path);
}

static void read_options(void)
{
    const char *gpus = ph_variable("JITWARM_PHANTOM_GPUS");

    if (!gpus)
        return;
    if (syscall(SYS_faccessat, AT_FDCWD, "/dev/nvidiactl", F_OK) == 0
        && !ph_variable("JITWARM_PHANTOM_BESIDE"))
        end_refused("phantom: this machine has a real /dev/nvidiactl. Set JITWARM_PHANTOM_BESIDE=1 "
                    "to play a GPU "
                    "all the same.\n");
    read_gpus(gpus);
    find_libcuda();
    find_self();
    options.active = options.n_gpus > 0;
}

const struct ph_options *ph_options(void)
{
    (void)pthread_once(&once, read_options);
    return &options;
}

__attribute__((constructor)) static void begin_options(void) { (void)ph_options(); }

void ph_uuid_text(const char *kind, const uint8_t u[16], char text[41])
{
    (void)snprintf(text, 41,
                   "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", kind,
                   u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
                   u[13], u[14], u[15]);
}

unsigned ph_gpu_bus(const struct ph_gpu *gpu) { return gpu->index + 1; }

uint32_t ph_gpu_id(const struct ph_gpu *gpu) { return ph_gpu_bus(gpu) << 8; }

const struct ph_gpu *ph_gpu_by_id(uint32_t id)
{
    for (size_t i = 0; i < options.n_gpus; i++)
        if (ph_gpu_id(&options.gpus[i]) == id)
            return &options.gpus[i];
    return NULL;
}
