#include "base/text.h"
#include "doctor/doctor_framework_say.h"
#include "facts/compile_time.h"
#include "facts/env_defaults.h"

#include <string.h>

/* Cache size with all of it compiled; 0: unknown. */
static uint64_t cache_need(const struct said *d)
{
    uint64_t ptx = d->s->code[d->gpu].ptx_bytes;

    return ptx ? d->c->cache_used + jw_cache_bytes_for(ptx) : 0;
}

/* The recommended limit, at most the documented maximum. */
static uint64_t better_limit(const struct said *d)
{
    uint64_t better = jw_cache_limit_for(cache_need(d), jw_cache_default(d->c->driver));

    return better ? better : jw_cache_limits().most;
}

static bool default_is_enough(const struct said *d)
{
    return cache_need(d) && better_limit(d) <= jw_cache_default(d->c->driver);
}

static const char *set_limit(const struct said *d)
{
    return said_set(d, "CUDA_CACHE_MAXSIZE", jw_fmt(d->f, "%llu", (unsigned long long)better_limit(d)));
}

/* By prime's measurements on this machine, or else by typical rates. */
static double seconds(const struct said *d)
{
    const struct jw_gpu_code *code = &d->s->code[d->gpu];
    double modules = (double)code->jit, bytes = (double)code->ptx_bytes;

    for (size_t k = 0; k < d->n; k++)
        for (size_t i = 0; i < d->c->n_rates; i++)
            if (d->c->rates[i].sm == d->c->gpus[d->alike[k]].sm)
                return d->c->rates[i].base_s * modules + d->c->rates[i].per_byte_s * bytes;
    return jw_compile_seconds(code->jit, code->ptx_bytes);
}

/* "up to 5 minutes" of software whose programs load only what they use */
static const char *duration(const struct said *d)
{
    const struct jw_gpu_code *code = &d->s->code[d->gpu];
    bool lazy = jw_isa_is_lazy(code->isa_major, code->isa_minor);
    const char *bound = seconds(d) < 1 ? "" : lazy ? "up to " : "about ";

    return jw_fmt(d->f, "%s%s", bound, JW_DURATION(seconds(d)));
}

static const char *how_long(const struct said *d)
{
    const struct jw_gpu_code *code = &d->s->code[d->gpu];
    struct jw_report r;

    if (code->ptx_bytes && d->s->from_files)
        return jw_fmt(d->f, "; by its size that is %s on one CPU core", duration(d));
    for (size_t k = 0; k < d->n; k++)
        if (jw_software_report(d->c, d->s, d->c->gpus[d->alike[k]].sm, JW_REPORT_COST, &r))
            return jw_fmt(d->f, "; others waited %s", r.text);
    if (code->ptx_bytes)
        return jw_fmt(d->f, "; by its size that is %s on one CPU core", duration(d));
    return "; expect minutes";
}

/* Too little to notice. */
static bool hardly_any(const struct said *d)
{
    return d->s->from_files && d->s->code[d->gpu].ptx_bytes && seconds(d) < 4;
}

static void jit_little(const struct said *d, bool again)
{
    SAID(d, .id = "framework-jit-little", .severity = JW_NOTE,
         .text = jw_fmt(d->f, "the driver compiles a small part of %s for %s at %s start (%s)", d->name,
                        d->gpus, again ? "every" : "the first", said_source(d)),
         .consequence = jw_fmt(d->f, "that takes %s on one CPU core%s", duration(d),
                               again ? "" : ", once per driver version"));
}

void say_warm(const struct said *d)
{
    uint64_t warm = d->s->code[d->gpu].warm;

    SAID(d, .id = "framework-warm", .severity = JW_NOTE,
         .text = jw_fmt(
             d->f, "%s is warm for %s: the driver's cache has %s that would be compiled", d->name, d->gpus,
             warm == 1 ? "the one module" : JW_PHRASE("all %llu modules", (unsigned long long)warm)),
         .consequence = "the next start compiles nothing");
}

/* "; 32 of 140 modules are warm" */
static const char *warm_part(const struct said *d)
{
    const struct jw_gpu_code *code = &d->s->code[d->gpu];

    if (!code->warm)
        return "";
    return jw_fmt(d->f, "; %llu of %llu modules are warm already", (unsigned long long)code->warm,
                  (unsigned long long)code->warm + code->jit);
}

/* " (compute_70)" */
static const char *of_ptx(const struct said *d)
{
    return *d->j->from ? jw_fmt(d->f, " (%s)", d->j->from) : "";
}

void say_jit_first(const struct said *d)
{
    const char *instead = said_better(d), *size = jw_case_env(d->c, "CUDA_CACHE_MAXSIZE");
    uint64_t limit = 0;
    bool usual = d->c->driver && size && jw_text_u64(size, &limit) && limit == jw_cache_default(d->c->driver);
    bool sized = (size && *size && !usual) || default_is_enough(d);

    if (hardly_any(d)) {
        jit_little(d, false);
        return;
    }
    SAID(
        d, .id = "framework-jit-first", .severity = JW_WARNING,
        .text = jw_fmt(d->f,
                       "%s has no machine code for %s%s; the driver compiles its PTX%s at the first start%s",
                       d->name, d->gpus, said_holds(d), of_ptx(d), warm_part(d)),
        .consequence = jw_fmt(d->f,
                              "the first start seems to hang: one CPU core is busy and nothing is printed%s. "
                              "This happens once per driver version, if the cache is large enough",
                              how_long(d)),
        .fix = jw_fmt(
            d->f, "%s; jitwarm prime compiles all of it ahead of time, on all cores%s%s",
            sized
                ? "let the first start finish"
                : jw_fmt(
                    d->f,
                    "set CUDA_CACHE_MAXSIZE=%llu before the next start, because the default may be too small",
                    (unsigned long long)better_limit(d)),
            instead ? ". To avoid compiling: " : "", instead ? instead : ""),
        .command = sized ? "jitwarm prime" : set_limit(d));
}

static const char *why_not_kept(const struct said *d)
{
    const char *size = jw_case_env(d->c, "CUDA_CACHE_MAXSIZE");
    uint64_t bytes = d->s->code[d->gpu].ptx_bytes;

    switch (d->j->every) {
    case JW_CACHE_OFF:
        return jw_fmt(d->f, "CUDA_CACHE_DISABLE=%.40s switches the driver's cache off",
                      jw_case_env(d->c, "CUDA_CACHE_DISABLE"));
    case JW_CACHE_SUFFIX:
        return jw_fmt(
            d->f, "the driver probably reads CUDA_CACHE_MAXSIZE=%.40s as a few bytes: it accepts digits only",
            size);
    case JW_CACHE_SMALL:
        if (bytes)
            return jw_fmt(d->f, "CUDA_CACHE_MAXSIZE=%.40s is less than the needed %llu MiB (estimated)", size,
                          (unsigned long long)(2 * bytes >> 20));
        return jw_fmt(d->f, "CUDA_CACHE_MAXSIZE=%.40s may be less than it needs", size);
    case JW_CACHE_BROKEN: return d->c->not_kept;
    default: return "the driver's cache is inside the container and is lost with it";
    }
}

void say_jit_every(const struct said *d)
{
    static const char *const sure[] = { "compiles", "probably compiles", "may have to compile" };
    bool gone = d->j->every == JW_CACHE_GONE, off = d->j->every == JW_CACHE_OFF;
    bool broken = d->j->every == JW_CACHE_BROKEN;
    const char *instead = said_better(d), *fix;

    if (hardly_any(d)) {
        jit_little(d, true);
        return;
    }
    if (gone)
        fix = "keep the cache on a volume, at its default path or at CUDA_CACHE_PATH";
    else if (broken)
        fix = "mend that first";
    else if (off)
        fix = default_is_enough(d) ? "unset CUDA_CACHE_DISABLE"
                                   : jw_fmt(d->f, "unset CUDA_CACHE_DISABLE, and set CUDA_CACHE_MAXSIZE=%llu",
                                            (unsigned long long)better_limit(d));
    else
        fix = jw_fmt(d->f, "set CUDA_CACHE_MAXSIZE=%llu before the next start",
                     (unsigned long long)better_limit(d));
    SAID(d, .id = "framework-jit-every", .severity = JW_WARNING,
         .text = jw_fmt(d->f, "%s has no machine code for %s%s; the driver %s its PTX%s at every start: %s%s",
                        d->name, d->gpus, said_holds(d), sure[d->j->certainty], of_ptx(d), why_not_kept(d),
                        warm_part(d)),
         .consequence = jw_fmt(
             d->f, "each start seems to hang: one CPU core is busy and nothing is printed%s", how_long(d)),
         .fix = instead ? jw_fmt(d->f, "%s. To avoid compiling: %s", fix, instead) : fix,
         .command = broken                                   ? NULL
                    : gone                                   ? jw_fmt(d->f, "docker run -v cache:%s ...",
                                    d->c->cache ? d->c->cache : "/root/.nv/ComputeCache")
                    : off && d->c->system == JW_CASE_WINDOWS ? "setx CUDA_CACHE_DISABLE 0"
                    : off                                    ? "unset CUDA_CACHE_DISABLE"
                                                             : set_limit(d));
}

void say_known_to_fail(const struct said *d)
{
    struct jw_report r;

    if (!said_report(d, JW_REPORT_FAILS, &r))
        return;
    SAID(d, .id = "framework-jit-fails", .severity = JW_PROBLEM,
         .text = jw_fmt(d->f, "%s on %s: JIT from %s is known to fail: %s", d->name, d->gpus, said_source(d),
                        r.text),
         .evidence = jw_fmt(d->f, "reports: %s", r.source), .consequence = "no setting of this machine helps",
         .fix = *r.fix ? r.fix : NULL, .command = *r.command ? r.command : said_install(d));
}

void say_wrong_result(const struct said *d)
{
    struct jw_cuda_release t;
    struct jw_report r;

    if (!said_report(d, JW_REPORT_WRONG, &r))
        return;
    const char *knows = jw_cuda_release_find(d->s->cuda, &t)
                            ? jw_fmt(d->f, "CUDA %u.%u knows nothing newer than %u.%u. ", t.cuda / 100,
                                     t.cuda % 100, t.newest / 10, t.newest % 10)
                            : "";

    SAID(d, .id = "framework-wrong-results", .severity = JW_PROBLEM,
         .text = jw_fmt(d->f, "%s may compute wrong results on %s", d->name, d->gpus),
         .evidence = jw_fmt(d->f, "reports: %s", r.source),
         .consequence = jw_fmt(d->f, "%s%s", knows, r.text), .fix = *r.fix ? r.fix : NULL,
         .command = *r.command ? r.command : said_install(d));
}

void say_not_compat(const struct said *d)
{
    const char *name = d->s->framework == JW_NO_FRAMEWORK ? "" : d->s->about.name, *falls = "";
    bool one = d->n == 1 && *d->j->from;

    if (strcmp(name, "pytorch") == 0)
        falls = ". PyTorch does not fall back to the CPU silently: without code for the GPU it stops with "
                "error 209";
    else if (d->s->framework != JW_NO_FRAMEWORK && d->s->about.cpu_else && !d->s->from_files)
        falls = jw_fmt(d->f, ". %s falls back to the CPU when CUDA libraries are missing; its log says so",
                       d->s->title);
    SAID(d, .id = "not-compat", .severity = JW_NOTE,
         .text = jw_fmt(d->f,
                        "compatibility is not the problem: %s has machine code%s%s%s for %s; a slow start "
                        "here is not JIT, the driver compiles nothing",
                        d->name, one ? " (" : "", one ? d->j->from : "", one ? ")" : "", d->gpus),
         .consequence = jw_fmt(d->f, "if it is slow, check CPU load, batch size and data loading%s", falls));
}

/* The software runs natively, but its own compiler does not know these GPUs. */
void say_own_compiler(const struct said *d, unsigned knows)
{
    unsigned newest = 0, first = d->c->gpus[d->alike[0]].sm;
    const char *unknown = jw_fmt(d->f, "sm_%u", first);
    bool several = false;
    bool nvrtc = d->s->framework != JW_NO_FRAMEWORK && strcmp(d->s->about.compiler, "nvrtc") == 0;
    struct jw_cuda_release t;

    for (size_t i = 0; i < d->n; i++) {
        unsigned sm = d->c->gpus[d->alike[i]].sm;

        if (sm != first && (i == 0 || sm != d->c->gpus[d->alike[i - 1]].sm)) {
            unknown = jw_fmt(d->f, "%s, sm_%u", unknown, sm);
            several = true;
        }
        if (jw_cuda_release_for(sm, &t) && t.cuda > newest)
            newest = t.cuda;
    }
    if (!newest || !d->s->cuda)
        return;
    SAID(d, .id = nvrtc ? "nvrtc-old" : "ptxas-old", .severity = JW_WARNING,
         .text = jw_fmt(d->f, "%s of CUDA %u.%u does not know %s, only up to sm_%u",
                        nvrtc ? "NVRTC" : "ptxas", d->s->cuda / 100, d->s->cuda % 100, unknown, knows),
         .consequence = nvrtc ? jw_fmt(d->f,
                                       "the kernels inside %s run, but what it compiles at run time may stop "
                                       "with \"invalid value for --gpu-architecture\"",
                                       d->name)
                              : jw_fmt(d->f,
                                       "the kernels inside %s run; the driver compiles what ptxas should "
                                       "(XLA, autotuning), with messages %s \"sm_%u is not defined\"",
                                       d->name, several ? "such as" : "that say", first),
         .fix = nvrtc ? jw_fmt(d->f, "use a build for CUDA >= %u.%u", newest / 100, newest % 100)
                      : jw_fmt(d->f, "use ptxas of CUDA >= %u.%u: put its bin folder first on the PATH",
                               newest / 100, newest % 100),
         .command =
             nvrtc ? NULL
                   : jw_fmt(d->f,
                            d->c->system == JW_CASE_WINDOWS ? "set PATH=%%ProgramFiles%%\\NVIDIA GPU "
                                                              "Computing Toolkit\\CUDA\\v%u.%u\\bin;%%PATH%%"
                                                            : "export PATH=/usr/local/cuda-%u.%u/bin:$PATH",
                            newest / 100, newest % 100));
}
