#include "doctor/doctor_software.h"

#include "base/text.h"
#include "doctor/doctor.h"
#include "facts/env_defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The default of drivers before CUDA 12: small for some programs. */
enum { OLD_DEFAULT = 268435456 };

const char *const jw_software_verdict_names[] = { NULL,          "NATIVE",    "WARM",       "JIT_FIRST",
                                                  "JIT_EVERY",   "NO_KERNEL", "DRIVER_OLD", "PTX_TOO_NEW",
                                                  "NO_COMPILER", "REFUSED",   "CPU_BUILD",  "LIBS_MISSING",
                                                  "RUN_TIME" };

const char *const jw_software_verdict_texts[] = {
    "content not known",           "starts at once",          "in the cache",
    "compiled at the first start", "compiled at every start", "does not run",
    "needs a newer driver",        "needs a newer driver",    "cannot be compiled here",
    "refused by this driver",      "runs on the CPU",         "CUDA libraries are missing",
    "compiles while it runs"
};

const char *jw_software_source_name(enum jw_software_source s)
{
    static const char *const names[] = { "nothing", "files", "table", "message" };

    return names[s];
}

const char *jw_case_env(const struct jw_software_case *c, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < c->n_env; i++)
        if (strcmp(c->env[i].name, name) == 0)
            value = c->env[i].value;
    return value;
}

static bool is_on(const struct jw_software_case *c, const char *name)
{
    return jw_switch_is_on(jw_case_env(c, name));
}

bool jw_case_forced(const struct jw_software_case *c)
{
    return is_on(c, "CUDA_FORCE_PTX_JIT") || is_on(c, "CUDA_FORCE_JIT");
}

/* ---- code ---- */

static bool is_newer(const struct jw_scan_verdict *v, const struct jw_gpu_code *code)
{
    return v->isa_major > code->isa_major
           || (v->isa_major == code->isa_major && v->isa_minor > code->isa_minor);
}

void jw_gpu_code_add(struct jw_gpu_code *code, const struct jw_scan_verdict *v)
{
    bool compiled = v->jit || v->warm || v->blocked;

    code->native += v->native;
    code->jit += v->jit;
    code->warm += v->warm;
    code->refused += v->refused;
    code->damaged += v->damaged_entries;
    code->blocked += v->blocked;
    code->none += jw_scan_lacks(v);
    code->unknown += v->unknown;
    code->ptx_bytes += compiled ? v->jit_ptx_bytes : 0;
    if (v->n_from && compiled && (!*code->from || is_newer(v, code)))
        (void)snprintf(code->from, sizeof code->from, "%.23s", v->from[0]);
    if (is_newer(v, code)) {
        code->isa_major = v->isa_major;
        code->isa_minor = v->isa_minor;
    }
    if (!v->blocked)
        return;
    code->undriven |= v->undriven;
    code->packed |= v->needs_zstd;
    code->cuda_13 |= v->needs_cuda_13;
    code->needs_driver = v->needs_driver ? v->needs_driver : code->needs_driver;
}

/* ---- libraries ---- */

static bool lacks(const struct jw_library *l, unsigned major)
{
    return l->looked && major && major < 32 && !(l->majors >> major & 1);
}

/* With its libraries beside it, does any of its code run? */
static bool is_worth_libraries(enum jw_software_verdict code, const struct jw_gpu_code *of)
{
    return code == JW_SOFTWARE_PTX_TOO_NEW ? of->native || of->jit || of->warm
                                           : code != JW_SOFTWARE_NO_KERNEL && code != JW_SOFTWARE_DRIVER_OLD;
}

static bool libraries_missing(const struct jw_software_case *c, const struct jw_software *s)
{
    if (s->libraries.looked)
        return *s->libraries.missing || *s->libraries.unseen;
    if (!s->framework || !s->about.libs_outside)
        return false;
    return lacks(&c->cuda, s->framework->cuda / 100)
           || lacks(&c->cudnn, (unsigned)strtoul(s->framework->cudnn, NULL, 10));
}

/* ---- is it kept? ---- */

/* An entry holds the PTX and its machine code, which is about as large. */
static enum jw_uncached too_small(uint64_t limit, uint64_t ptx_bytes, struct jw_software_check *k)
{
    if (ptx_bytes == 0) {
        k->certainty = JW_AT_RISK;
        return limit <= OLD_DEFAULT ? JW_CACHE_SMALL : JW_KEPT;
    }
    k->certainty = limit < ptx_bytes ? JW_CERTAIN : JW_AT_RISK;
    return limit < 2 * ptx_bytes ? JW_CACHE_SMALL : JW_KEPT;
}

static enum jw_uncached kept(const struct jw_software_case *c, uint64_t ptx_bytes,
                             struct jw_software_check *k)
{
    const char *size = jw_case_env(c, "CUDA_CACHE_MAXSIZE"), *path = jw_case_env(c, "CUDA_CACHE_PATH");
    const uint64_t limit = jw_cache_limit_read(size, c->driver);
    enum jw_uncached every;

    k->certainty = JW_CERTAIN;
    if (jw_case_forced(c))
        return JW_CACHE_FORCED;
    if (jw_switch_is_on(jw_case_env(c, "CUDA_CACHE_DISABLE")))
        return JW_CACHE_OFF;
    if (c->not_kept)
        return JW_CACHE_BROKEN;
    if (size && limit < JW_CACHE_SMALLEST && size[strspn(size, "0123456789")])
        return JW_CACHE_SUFFIX;
    /* A limit equal to the driver's default changes nothing. */
    bool usual = c->driver && limit == jw_cache_default(c->driver);

    if (size && !usual && (every = too_small(limit, ptx_bytes, k)) != JW_KEPT)
        return every;
    if (!c->machine) /* its mounts were not seen */
        k->certainty = JW_LIKELY;
    return c->container && !(path && *path) ? JW_CACHE_GONE : JW_KEPT;
}

/* ---- the verdict ---- */

static enum jw_software_verdict compiled(const struct jw_software_case *c, const struct jw_gpu_code *code,
                                         struct jw_software_check *k)
{
    if (is_on(c, "CUDA_DISABLE_PTX_JIT") || is_on(c, "CUDA_DISABLE_JIT")) {
        k->switched_off = true;
        return JW_SOFTWARE_NO_KERNEL;
    }
    if (c->machine && c->machine->probe.cannot_compile)
        return JW_SOFTWARE_NO_COMPILER;
    k->every = kept(c, code->ptx_bytes, k);
    return k->every == JW_KEPT ? JW_SOFTWARE_JIT_FIRST : JW_SOFTWARE_JIT_EVERY;
}

static enum jw_software_verdict of_code(const struct jw_software_case *c, const struct jw_gpu_code *code,
                                        struct jw_software_check *k)
{
    if (code->blocked)
        return code->packed || code->cuda_13 || code->undriven || code->needs_toolkit
                   ? JW_SOFTWARE_DRIVER_OLD
                   : JW_SOFTWARE_PTX_TOO_NEW;
    if (jw_scan_is_foreign(code->none, code->native + code->jit + code->warm + code->unknown)) {
        k->forced = jw_case_forced(c);
        return JW_SOFTWARE_NO_KERNEL;
    }
    if (code->jit)
        return compiled(c, code, k);
    if (code->refused)
        return JW_SOFTWARE_REFUSED;
    if (code->unknown)
        return JW_SOFTWARE_UNKNOWN;
    return code->warm ? JW_SOFTWARE_WARM : JW_SOFTWARE_NATIVE;
}

struct jw_software_check jw_check_software(const struct jw_software_case *c, const struct jw_software *s,
                                           size_t gpu)
{
    struct jw_software_check k = { 0 };

    if (s->cpu) {
        k.code = k.verdict = JW_SOFTWARE_CPU_BUILD;
        return k;
    }
    if (s->from == JW_FROM_NOTHING && !s->run_time)
        return k;
    k.code = k.verdict = s->from == JW_FROM_NOTHING ? JW_SOFTWARE_RUN_TIME : of_code(c, &s->code[gpu], &k);
    if (is_worth_libraries(k.code, &s->code[gpu]) && libraries_missing(c, s))
        k.verdict = JW_SOFTWARE_LIBS_MISSING;
    return k;
}
