/*
 * An NVRTC for machines without one. It reads no CUDA: it looks for `__global__ void NAME(`, and makes of
 * each a PTX kernel that does nothing. A source with #error does not compile.
 *
 *   SIMNVRTC_VERSION   13.0 if unset; decides the architectures and the PTX ISA
 */
#include "base/buf.h"
#include "base/mem.h"
#include "formats/arch.h"
#include "os/machine/env.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define SIM_EXPORT __declspec(dllexport)
#else
#define SIM_EXPORT __attribute__((visibility("default")))
#endif

enum {
    RTC_OK,
    RTC_OUT_OF_MEMORY,
    RTC_CREATION,
    RTC_INVALID_INPUT,
    RTC_INVALID_PROGRAM,
    RTC_INVALID_OPTION,
    RTC_COMPILATION
};

#define MAX_SOURCE ((size_t)64 << 20)

struct program {
    uint32_t magic;
    bool compiled;
    struct jw_buf source, ptx, log;
};

enum { MAGIC = 0x4352564eu };

SIM_EXPORT extern const char jitwarm_simulated_nvrtc[];
SIM_EXPORT int nvrtcVersion(int *major, int *minor);
SIM_EXPORT int nvrtcGetNumSupportedArchs(int *n);
SIM_EXPORT int nvrtcGetSupportedArchs(int *archs);
SIM_EXPORT const char *nvrtcGetErrorString(int code);
SIM_EXPORT int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int n,
                                  const char *const *headers, const char *const *names);
SIM_EXPORT int nvrtcDestroyProgram(struct program **program);
SIM_EXPORT int nvrtcCompileProgram(struct program *p, int n, const char *const *options);
SIM_EXPORT int nvrtcGetPTXSize(struct program *p, size_t *size);
SIM_EXPORT int nvrtcGetPTX(struct program *p, char *out);
SIM_EXPORT int nvrtcGetProgramLogSize(struct program *p, size_t *size);
SIM_EXPORT int nvrtcGetProgramLog(struct program *p, char *out);
SIM_EXPORT int nvrtcAddNameExpression(struct program *p, const char *name);
SIM_EXPORT int nvrtcGetLoweredName(struct program *p, const char *name, const char **lowered);

const char jitwarm_simulated_nvrtc[] = "jitwarm's simulated NVRTC: it reads no CUDA";

struct flavour {
    int major, minor;
    unsigned isa_major, isa_minor;
    const int *archs;
    int n_archs;
};

static const int archs_11[] = { 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87 };
static const int archs_12[] = { 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120 };
static const int archs_13[] = { 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 };

static struct flavour flavour(void)
{
    struct jw_arena a = { 0 };
    const char *text = jw_env(&a, "SIMNVRTC_VERSION");
    char *end = NULL;
    struct flavour f = { 13, 0, 9, 0, archs_13, (int)JW_COUNT(archs_13) };

    if (text && *text) {
        f.major = (int)strtol(text, &end, 10);
        f.minor = *end == '.' ? (int)strtol(end + 1, NULL, 10) : 0;
    }
    jw_arena_free(&a);
    f.isa_major = f.major >= 13 ? 9 : f.major == 12 ? 8 : 7;
    f.isa_minor = (unsigned)f.minor;
    if (f.major == 12) {
        f.archs = archs_12;
        f.n_archs = (int)JW_COUNT(archs_12);
    } else if (f.major < 12) {
        f.archs = archs_11;
        f.n_archs = (int)JW_COUNT(archs_11);
    }
    return f;
}

int nvrtcVersion(int *major, int *minor)
{
    struct flavour f = flavour();

    if (!major || !minor)
        return RTC_INVALID_INPUT;
    *major = f.major;
    *minor = f.minor;
    return RTC_OK;
}

int nvrtcGetNumSupportedArchs(int *n)
{
    if (!n)
        return RTC_INVALID_INPUT;
    *n = flavour().n_archs;
    return RTC_OK;
}

int nvrtcGetSupportedArchs(int *archs)
{
    struct flavour f = flavour();

    if (!archs)
        return RTC_INVALID_INPUT;
    memcpy(archs, f.archs, (size_t)f.n_archs * sizeof *archs);
    return RTC_OK;
}

const char *nvrtcGetErrorString(int code)
{
    static const char *const texts[] = {
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
    };

    return code >= 0 && (size_t)code < JW_COUNT(texts) ? texts[code] : "NVRTC_ERROR unknown";
}

int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int n,
                       const char *const *headers, const char *const *names)
{
    struct program *p;

    (void)name;
    (void)n;
    (void)headers;
    (void)names;
    if (!out || !source)
        return RTC_INVALID_INPUT;
    p = jw_alloc(sizeof *p);
    if (!p)
        return RTC_OUT_OF_MEMORY;
    *p = (struct program){ MAGIC, false, JW_BUF(MAX_SOURCE), JW_BUF(MAX_SOURCE), JW_BUF(MAX_SOURCE) };
    jw_buf_text(&p->source, source);
    if (p->source.bad) {
        jw_free(p);
        return RTC_OUT_OF_MEMORY;
    }
    *out = p;
    return RTC_OK;
}

static bool valid(const struct program *p)
{
    return p && p->magic == MAGIC;
}

int nvrtcDestroyProgram(struct program **program)
{
    if (!program || !valid(*program))
        return RTC_INVALID_PROGRAM;
    jw_buf_free(&(*program)->source);
    jw_buf_free(&(*program)->ptx);
    jw_buf_free(&(*program)->log);
    (*program)->magic = 0;
    jw_free(*program);
    *program = NULL;
    return RTC_OK;
}

/* The value of --gpu-architecture= or -arch=, in one word or two. */
static const char *asked_arch(int n, const char *const *options)
{
    static const char *const names[] = { "--gpu-architecture", "-arch" };

    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < JW_COUNT(names); k++) {
            size_t length = strlen(names[k]);

            if (strncmp(options[i], names[k], length) != 0)
                continue;
            if (options[i][length] == '=')
                return options[i] + length + 1;
            if (!options[i][length] && i + 1 < n)
                return options[i + 1];
        }
    return "compute_75";
}

static bool supported(const struct flavour *f, const char *arch, struct jw_arch *target)
{
    if (!jw_arch_parse(arch, target))
        return false;
    for (int i = 0; i < f->n_archs; i++)
        if (f->archs[i] == (int)target->sm)
            return true;
    return false;
}

static bool is_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void add_kernels(struct program *p, const char *source)
{
    static const char word[] = "__global__";

    for (const char *at = strstr(source, word); at; at = strstr(at + 1, word)) {
        const char *open = strchr(at, '('), *end = open;

        while (end && end > at && (end[-1] == ' ' || end[-1] == '\n'))
            end--;
        const char *from = end;

        while (from && from > at && is_name(from[-1]))
            from--;
        if (from && from < end && strncmp(from, word, sizeof word - 1) != 0)
            jw_buf_printf(&p->ptx, ".visible .entry %.*s()\n{\n\tret;\n}\n\n", (int)(end - from), from);
    }
}

int nvrtcCompileProgram(struct program *p, int n, const char *const *options)
{
    struct flavour f = flavour();
    struct jw_arch target;

    if (!valid(p) || (n > 0 && !options))
        return valid(p) ? RTC_INVALID_INPUT : RTC_INVALID_PROGRAM;
    p->compiled = false;
    jw_buf_clear(&p->ptx);
    jw_buf_clear(&p->log);
    if (!supported(&f, asked_arch(n, options), &target)) {
        jw_buf_printf(&p->log, "nvrtc: error: invalid value for --gpu-architecture (-arch)\n");
        return RTC_INVALID_OPTION;
    }
    if (strstr(jw_buf_cstr(&p->source), "#error")) {
        jw_buf_text(&p->log, "default_program(1): catastrophic error: #error directive\n");
        return RTC_COMPILATION;
    }
    jw_buf_printf(&p->ptx,
                  "//\n// Made by a simulated NVRTC\n//\n\n.version %u.%u\n.target %s\n.address_size 64\n\n",
                  f.isa_major, f.isa_minor, jw_arch_name("sm_", target).text);
    add_kernels(p, jw_buf_cstr(&p->source));
    p->compiled = !p->ptx.bad;
    return p->compiled ? RTC_OK : RTC_OUT_OF_MEMORY;
}

static int get_size(struct program *p, struct jw_buf *text, size_t *size)
{
    if (!valid(p) || !size)
        return valid(p) ? RTC_INVALID_INPUT : RTC_INVALID_PROGRAM;
    *size = text->n + 1;
    return RTC_OK;
}

static int get(struct program *p, struct jw_buf *text, char *out)
{
    if (!valid(p) || !out)
        return valid(p) ? RTC_INVALID_INPUT : RTC_INVALID_PROGRAM;
    memcpy(out, jw_buf_cstr(text), text->n + 1);
    return RTC_OK;
}

int nvrtcGetPTXSize(struct program *p, size_t *size)
{
    return valid(p) && !p->compiled ? RTC_INVALID_PROGRAM : get_size(p, p ? &p->ptx : NULL, size);
}

int nvrtcGetPTX(struct program *p, char *out)
{
    return valid(p) && !p->compiled ? RTC_INVALID_PROGRAM : get(p, p ? &p->ptx : NULL, out);
}

int nvrtcGetProgramLogSize(struct program *p, size_t *size)
{
    return get_size(p, p ? &p->log : NULL, size);
}

int nvrtcGetProgramLog(struct program *p, char *out)
{
    return get(p, p ? &p->log : NULL, out);
}

/* Names are taken as they stand: nothing is mangled here. */
int nvrtcAddNameExpression(struct program *p, const char *name)
{
    return !valid(p) ? RTC_INVALID_PROGRAM : name ? RTC_OK : RTC_INVALID_INPUT;
}

int nvrtcGetLoweredName(struct program *p, const char *name, const char **lowered)
{
    if (!valid(p) || !p->compiled)
        return RTC_INVALID_PROGRAM;
    if (!name || !lowered)
        return RTC_INVALID_INPUT;
    *lowered = name;
    return RTC_OK;
}
