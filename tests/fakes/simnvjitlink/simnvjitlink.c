/*
 * simnvjitlink: as much of libnvJitLink as jitwarm calls, with the stand-in's code. Its entry points have the names of the
 * header's; with SIM_OLD they have their release behind them, as all had before 12.3.
 *
 *   SIMNVJITLINK_VERSION   the release that it plays, else 13.0
 *   SIMNVJITLINK_FAULT     crash | hang | exit | refuse | garbage | wrong-sm | nothing | noise: what it does with inputs;
 *                          load-crash: what it does when it is asked for its version
 *   SIMNVJITLINK_AT        only with inputs that hold this text
 *   SIMNVJITLINK_UNKNOWN   an option that it does not take
 *   SIMNVJITLINK_LOG       a file that gets a line with the options of each call
 */
#include "sim.h"

#include "base/mem.h"
#include "formats/ptx.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define SIM_EXPORT __declspec(dllexport)
#else
#define SIM_EXPORT __attribute__((visibility("default")))
#endif

#ifdef SIM_OLD
#define NAME(name) __##name##_12_0
#else
#define NAME(name) name
#endif

enum {
    LINK_OK,
    LINK_OPTION,
    LINK_NO_ARCH,
    LINK_INPUT,
    LINK_PTX,
    LINK_INTERNAL = 6,
    LINK_TYPE = 12,
    INPUT_PTX = 2
};
enum { BRANCH = 580, MOST = 1 << 26, FOREVER_MS = 1000000 };

struct nvJitLink {
    unsigned sm;
    struct jw_buf ptx, cubin, log;
};

/* As real ones carry it. It is not the one that is played when SIMNVJITLINK_VERSION says another. */
#ifndef SIM_OLD
SIM_EXPORT extern const char nvJitLinkRelease[];
const char nvJitLinkRelease[] = "Cuda compilation tools, release 13.0, V13.0.88";

SIM_EXPORT unsigned nvJitLinkVersion(unsigned *major, unsigned *minor);
#endif
SIM_EXPORT extern const char jitwarm_simulated_nvjitlink[];
const char jitwarm_simulated_nvjitlink[] =
    "jitwarm's simulated nvJitLink: it makes no code that a GPU could run";

SIM_EXPORT unsigned NAME(nvJitLinkCreate)(struct nvJitLink **out, uint32_t n, const char **options);
SIM_EXPORT unsigned NAME(nvJitLinkDestroy)(struct nvJitLink **link);
SIM_EXPORT unsigned NAME(nvJitLinkAddData)(struct nvJitLink *link, unsigned kind, const void *data,
                                           size_t size, const char *name);
SIM_EXPORT unsigned NAME(nvJitLinkComplete)(struct nvJitLink *link);
SIM_EXPORT unsigned NAME(nvJitLinkGetLinkedCubinSize)(struct nvJitLink *link, size_t *size);
SIM_EXPORT unsigned NAME(nvJitLinkGetLinkedCubin)(struct nvJitLink *link, void *cubin);
SIM_EXPORT unsigned NAME(nvJitLinkGetErrorLogSize)(struct nvJitLink *link, size_t *size);
SIM_EXPORT unsigned NAME(nvJitLinkGetErrorLog)(struct nvJitLink *link, char *log);

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value && *value ? value : otherwise;
}

#ifndef SIM_OLD
unsigned nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    if (strcmp(setting("SIMNVJITLINK_FAULT", ""), "load-crash") == 0)
        abort();
    return sscanf(setting("SIMNVJITLINK_VERSION", "13.0"), "%u.%u", major, minor) == 2 ? LINK_OK
                                                                                       : LINK_INTERNAL;
}
#endif

static void log_call(uint32_t n, const char **options)
{
    const char *path = getenv("SIMNVJITLINK_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;

    if (!f)
        return;
    for (uint32_t i = 0; i < n; i++)
        (void)fprintf(f, "%s ", options[i]);
    (void)fputc('\n', f);
    (void)fclose(f);
}

/* The options of 13.0; -no-cache came with 12.5. */
static bool is_known(const char *option)
{
    static const char *const whole[] = {
        "-O0", "-O3", "-g", "-lineinfo", "-verbose", "-time", "-lto", "-ptx"
    };
    static const char *const begins[] = { "-arch=sm_", "-maxrregcount=", "-ftz=", "-Xptxas=" };

    if (strcmp(setting("SIMNVJITLINK_UNKNOWN", ""), option) == 0)
        return false;
    for (size_t i = 0; i < JW_COUNT(whole); i++)
        if (strcmp(option, whole[i]) == 0)
            return true;
    for (size_t i = 0; i < JW_COUNT(begins); i++)
        if (strncmp(option, begins[i], strlen(begins[i])) == 0)
            return true;
#ifdef SIM_OLD
    return false;
#else
    return strcmp(option, "-no-cache") == 0;
#endif
}

unsigned NAME(nvJitLinkCreate)(struct nvJitLink **out, uint32_t n, const char **options)
{
    struct nvJitLink *link;
    unsigned sm = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!is_known(options[i]))
            return LINK_OPTION;
        if (strncmp(options[i], "-arch=sm_", 9) == 0)
            sm = (unsigned)strtoul(options[i] + 9, NULL, 10);
    }
    log_call(n, options);
    link = sm ? jw_alloc(sizeof *link) : NULL;
    if (!link)
        return sm ? LINK_INTERNAL : LINK_NO_ARCH;
    *link = (struct nvJitLink){ sm, JW_BUF(MOST), JW_BUF(MOST), JW_BUF(MOST) };
    *out = link;
    return LINK_OK;
}

unsigned NAME(nvJitLinkDestroy)(struct nvJitLink **link)
{
    jw_buf_free(&(*link)->ptx);
    jw_buf_free(&(*link)->cubin);
    jw_buf_free(&(*link)->log);
    jw_free(*link);
    *link = NULL;
    return LINK_OK;
}

static unsigned refuse(struct nvJitLink *link, unsigned result, const char *why)
{
    jw_buf_text(&link->log, why);
    return result;
}

static unsigned compile(struct nvJitLink *link, const char *fault)
{
    struct sim_config config = { .driver = { .branch = BRANCH } };
    struct sim_image image = { .ptx = true, .bytes = link->ptx };
    struct sim_request r = { .image = &image,
                             .sm = strcmp(fault, "wrong-sm") == 0 ? link->sm + 1 : link->sm };

    if (strcmp(fault, "garbage") == 0)
        jw_buf_text(&link->cubin, "this is no machine code");
    else if (strcmp(fault, "refuse") == 0 || strstr(jw_buf_cstr(&link->ptx), "bogus")
             || !sim_standin(&config, &r, &link->cubin))
        return refuse(
            link, LINK_PTX,
            "simulated ptxas, line 1; error   : Parsing error\nERROR NVJITLINK_ERROR_PTX_COMPILE\n");
    return LINK_OK;
}

unsigned NAME(nvJitLinkAddData)(struct nvJitLink *link, unsigned kind, const void *data, size_t size,
                                const char *name)
{
    const char *fault = setting("SIMNVJITLINK_FAULT", ""), *at = setting("SIMNVJITLINK_AT", "");

    (void)name;
    if (kind != INPUT_PTX || !size || ((const char *)data)[size - 1])
        return refuse(link, LINK_TYPE, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_PTX");
    jw_buf_add(&link->ptx, data, size - 1);
    if (*at && !strstr(jw_buf_cstr(&link->ptx), at))
        fault = "";
    if (strcmp(fault, "crash") == 0)
        abort();
    if (strcmp(fault, "hang") == 0)
        jw_time_sleep_ms(FOREVER_MS);
    if (strcmp(fault, "exit") == 0)
        exit(3);
    if (strcmp(fault, "noise") == 0) {
        (void)fputs("words of a library, without an end", stdout);
        (void)fflush(stdout);
    }
    return compile(link, fault);
}

unsigned NAME(nvJitLinkComplete)(struct nvJitLink *link)
{
    return link->cubin.n ? LINK_OK : LINK_INTERNAL;
}

unsigned NAME(nvJitLinkGetLinkedCubinSize)(struct nvJitLink *link, size_t *size)
{
    *size = strcmp(setting("SIMNVJITLINK_FAULT", ""), "nothing") == 0
                    && strstr(jw_buf_cstr(&link->ptx), setting("SIMNVJITLINK_AT", ""))
                ? 0
                : link->cubin.n;
    return LINK_OK;
}

unsigned NAME(nvJitLinkGetLinkedCubin)(struct nvJitLink *link, void *cubin)
{
    memcpy(cubin, link->cubin.p, link->cubin.n);
    return LINK_OK;
}

unsigned NAME(nvJitLinkGetErrorLogSize)(struct nvJitLink *link, size_t *size)
{
    *size = link->log.n + 1;
    return LINK_OK;
}

unsigned NAME(nvJitLinkGetErrorLog)(struct nvJitLink *link, char *log)
{
    memcpy(log, jw_buf_cstr(&link->log), link->log.n + 1);
    return LINK_OK;
}
