#include "base/text.h"
#include "doctor/doctor_framework_say.h"
#include "facts/compile_time.h"
#include "facts/env_defaults.h"

#include <string.h>

/* What all of it takes in the cache, besides what is there; 0: not known. */
static uint64_t cache_need(const struct said *d)
{
    uint64_t ptx = d->s->code[d->gpu].ptx_bytes;

    return ptx ? d->c->cache_used + jw_cache_bytes_for(ptx) : 0;
}

/* The recommended limit. What no cache may hold gets all that there is. */
static uint64_t better_limit(const struct said *d)
{
    uint64_t better = jw_cache_limit_for(cache_need(d), jw_cache_default(d->c->driver));

    return better ? better : jw_cache_limits().most;
}

/* Is it as large as that without being set? */
static bool default_is_enough(const struct said *d)
{
    return cache_need(d) && better_limit(d) <= jw_cache_default(d->c->driver);
}

static const char *set_limit(const struct said *d)
{
    return said_set(d, "CUDA_CACHE_MAXSIZE",
                    jw_finding_say(d->f, "%llu", (unsigned long long)better_limit(d)));
}

/* By what prime measured with this driver for one of the GPUs; else by what is usual. */
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
    struct jw_buf text = JW_BUF(64);
    const char *kept;

    if (seconds(d) >= 1)
        jw_buf_text(&text, lazy ? "up to " : "about ");
    jw_text_duration(&text, seconds(d));
    kept = jw_finding_say(d->f, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
    return kept;
}

/* How long it takes, as far as that is known. */
static const char *how_long(const struct said *d)
{
    const struct jw_gpu_code *code = &d->s->code[d->gpu];
    struct jw_report r;

    if (code->ptx_bytes && d->s->from_files)
        return jw_finding_say(d->f, "; by its size that is %s on one processor core", duration(d));
    for (size_t k = 0; k < d->n; k++)
        if (jw_framework_report(d->s->framework, d->s->spec.number, jw_case_os(d->c), d->s->cuda,
                                d->c->gpus[d->alike[k]].sm, JW_REPORT_COST, &r))
            return jw_finding_say(d->f, "; others waited %s", r.text);
    if (code->ptx_bytes)
        return jw_finding_say(d->f, "; by its size that is %s on one processor core", duration(d));
    return "; expect minutes";
}

/* So little is compiled that nobody would notice. */
static bool hardly_any(const struct said *d)
{
    return d->s->from_files && d->s->code[d->gpu].ptx_bytes && seconds(d) < 4;
}

static void jit_little(const struct said *d, bool again)
{
    said_add(d, (struct jw_finding){
                    .id = "framework-jit-little",
                    .severity = JW_NOTE,
                    .text = jw_finding_say(d->f, "the driver compiles a little of %s for %s at %s start (%s)",
                                           d->name, d->gpus, again ? "every" : "the first", said_source(d)),
                    .consequence = jw_finding_say(d->f, "that takes %s on one processor core%s", duration(d),
                                                  again ? "" : ", once per driver version") });
}

void say_warm(const struct said *d)
{
    uint64_t warm = d->s->code[d->gpu].warm;

    said_add(d,
             (struct jw_finding){
                 .id = "framework-warm",
                 .severity = JW_NOTE,
                 .text = warm == 1
                             ? jw_finding_say(d->f,
                                              "%s is warm for %s: the driver's cache has the one module that "
                                              "would be compiled",
                                              d->name, d->gpus)
                             : jw_finding_say(d->f,
                                              "%s is warm for %s: the driver's cache has all %llu modules "
                                              "that would be compiled",
                                              d->name, d->gpus, (unsigned long long)warm),
                 .consequence = "the next start compiles nothing" });
}

/* "; 32 of 140 modules are warm" */
static const char *warm_part(const struct said *d)
{
    const struct jw_gpu_code *code = &d->s->code[d->gpu];

    if (!code->warm)
        return "";
    return jw_finding_say(d->f, "; %llu of %llu modules are warm already", (unsigned long long)code->warm,
                          (unsigned long long)code->warm + code->jit);
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
    said_add(d, (struct jw_finding){
                    .id = "framework-jit-first",
                    .severity = JW_WARNING,
                    .text = jw_finding_say(
                        d->f,
                        "%s has no ready-made code for %s%s; the driver compiles it at the first start, "
                        "from code in a portable form (PTX%s%s)%s",
                        d->name, d->gpus, said_holds(d), *d->j->from ? ", " : "", d->j->from, warm_part(d)),
                    .consequence = jw_finding_say(
                        d->f,
                        "the first start seems to hang: one processor core is busy and nothing is "
                        "printed%s. The driver keeps the result in its cache, so it is once per "
                        "driver version, as long as the cache is large enough",
                        how_long(d)),
                    .fix = jw_finding_say(
                        d->f, "%s; jitwarm prime compiles everything ahead, on all cores%s%s",
                        sized ? "let the first start finish"
                              : jw_finding_say(d->f,
                                               "set CUDA_CACHE_MAXSIZE=%llu before the next start, because "
                                               "the default may be too small",
                                               (unsigned long long)better_limit(d)),
                        instead ? ". To be rid of it: " : "", instead ? instead : ""),
                    .command = sized ? NULL : set_limit(d) });
}

static const char *why_not_kept(const struct said *d)
{
    const char *size = jw_case_env(d->c, "CUDA_CACHE_MAXSIZE");
    uint64_t bytes = d->s->code[d->gpu].ptx_bytes;

    switch (d->j->every) {
    case JW_CACHE_OFF:
        return jw_finding_say(d->f, "CUDA_CACHE_DISABLE=%.40s switches the driver's cache off",
                              jw_case_env(d->c, "CUDA_CACHE_DISABLE"));
    case JW_CACHE_SUFFIX:
        return jw_finding_say(
            d->f,
            "the driver most likely reads CUDA_CACHE_MAXSIZE=%.40s as a few bytes: it takes "
            "digits only",
            size);
    case JW_CACHE_SMALL:
        if (bytes)
            return jw_finding_say(d->f,
                                  "CUDA_CACHE_MAXSIZE=%.40s is less than the %llu MiB or so that it needs",
                                  size, (unsigned long long)(2 * bytes >> 20));
        return jw_finding_say(d->f, "CUDA_CACHE_MAXSIZE=%.40s may be less than it needs", size);
    case JW_CACHE_BROKEN: return d->c->not_kept;
    default: return "the driver's cache lies inside the container and is lost with it";
    }
}

void say_jit_every(const struct said *d)
{
    static const char *const sure[] = { "compiles it at every start",
                                        "most likely compiles it at every start",
                                        "may have to compile it at every start" };
    bool gone = d->j->every == JW_CACHE_GONE, off = d->j->every == JW_CACHE_OFF;
    bool broken = d->j->every == JW_CACHE_BROKEN;
    const char *instead = said_better(d), *fix;

    if (hardly_any(d)) {
        jit_little(d, true);
        return;
    }
    if (gone)
        fix = "keep the cache on a volume, at its usual place or wherever CUDA_CACHE_PATH says";
    else if (broken)
        fix = "mend that first";
    else if (off)
        fix = default_is_enough(d)
                  ? "unset CUDA_CACHE_DISABLE"
                  : jw_finding_say(d->f, "unset CUDA_CACHE_DISABLE, and set CUDA_CACHE_MAXSIZE=%llu",
                                   (unsigned long long)better_limit(d));
    else
        fix = jw_finding_say(d->f, "set CUDA_CACHE_MAXSIZE=%llu before the next start",
                             (unsigned long long)better_limit(d));
    said_add(
        d,
        (struct jw_finding){
            .id = "framework-jit-every",
            .severity = JW_WARNING,
            .text = jw_finding_say(
                d->f, "%s has no ready-made code for %s%s; the driver %s, from portable code (PTX%s%s): %s%s",
                d->name, d->gpus, said_holds(d), sure[d->j->certainty], *d->j->from ? ", " : "", d->j->from,
                why_not_kept(d), warm_part(d)),
            .consequence =
                jw_finding_say(d->f,
                               "each start seems to hang: one processor core is busy and nothing is "
                               "printed%s",
                               how_long(d)),
            .fix = instead ? jw_finding_say(d->f, "%s. To be rid of it: %s", fix, instead) : fix,
            .command = broken ? NULL
                       : gone ? jw_finding_say(d->f, "docker run -v cache:%s ...",
                                               d->c->cache ? d->c->cache : "/root/.nv/ComputeCache")
                       : off && d->c->system == JW_CASE_WINDOWS ? "setx CUDA_CACHE_DISABLE 0"
                       : off                                    ? "unset CUDA_CACHE_DISABLE"
                                                                : set_limit(d) });
}

void say_known_to_fail(const struct said *d)
{
    unsigned sm = d->c->gpus[d->gpu].sm;
    struct jw_report r;

    if (!jw_framework_report(d->s->framework, d->s->spec.number, jw_case_os(d->c), d->s->cuda, sm,
                             JW_REPORT_FAILS, &r))
        return;
    said_add(d,
             (struct jw_finding){ .id = "framework-jit-fails",
                                  .severity = JW_PROBLEM,
                                  .text = jw_finding_say(d->f, "%s on %s: JIT from %s is known to fail: %s",
                                                         d->name, d->gpus, said_source(d), r.text),
                                  .evidence = jw_finding_say(d->f, "reports: %s", r.source),
                                  .consequence = "nothing that this machine can set helps",
                                  .fix = *r.fix ? r.fix : NULL });
}

void say_wrong_result(const struct said *d)
{
    struct jw_cuda_release t;
    struct jw_report r;

    if (!jw_framework_report(d->s->framework, d->s->spec.number, jw_case_os(d->c), d->s->cuda,
                             d->c->gpus[d->gpu].sm, JW_REPORT_WRONG, &r))
        return;
    const char *knows = jw_cuda_release_find(d->s->cuda, &t)
                            ? jw_finding_say(d->f, "CUDA %u.%u knows nothing newer than %u.%u. ",
                                             t.cuda / 100, t.cuda % 100, t.newest / 10, t.newest % 10)
                            : "";

    said_add(d, (struct jw_finding){
                    .id = "framework-wrong-results",
                    .severity = JW_PROBLEM,
                    .text = jw_finding_say(d->f, "%s may compute wrong results on %s", d->name, d->gpus),
                    .evidence = jw_finding_say(d->f, "reports: %s", r.source),
                    .consequence = jw_finding_say(d->f, "%s%s", knows, r.text),
                    .fix = *r.fix ? r.fix : NULL });
}

void say_not_compat(const struct said *d)
{
    const char *name = d->s->framework == JW_NO_FRAMEWORK ? "" : d->s->about.name, *falls = "";
    bool one = d->n == 1 && *d->j->from;

    if (strcmp(name, "pytorch") == 0)
        falls = ". PyTorch does not fall back to the processor silently: without code for the GPU it stops "
                "with error 209";
    else if (d->s->framework != JW_NO_FRAMEWORK && d->s->about.cpu_else && !d->s->from_files)
        falls = jw_finding_say(
            d->f, ". %s falls back to the processor when CUDA libraries are missing; its log says so",
            d->s->title);
    said_add(d, (struct jw_finding){
                    .id = "not-compat",
                    .severity = JW_NOTE,
                    .text = jw_finding_say(
                        d->f,
                        "compatibility is not the problem: %s has ready-made code%s%s%s for %s; "
                        "a slow start here is not JIT, the driver compiles nothing",
                        d->name, one ? " (" : "", one ? d->j->from : "", one ? ")" : "", d->gpus),
                    .consequence =
                        jw_finding_say(d->f,
                                       "if it is slow, look at the processor, the batch size and how data is "
                                       "loaded%s",
                                       falls) });
}

/* It runs natively; but what it compiles itself, while it runs, is compiled by something that does not know the GPUs. */
void say_own_compiler(const struct said *d, unsigned knows)
{
    unsigned newest = 0, first = d->c->gpus[d->alike[0]].sm;
    const char *unknown = jw_finding_say(d->f, "sm_%u", first);
    bool several = false;
    bool nvrtc = d->s->framework != JW_NO_FRAMEWORK && strcmp(d->s->about.compiler, "nvrtc") == 0;
    struct jw_cuda_release t;

    for (size_t i = 0; i < d->n; i++) {
        unsigned sm = d->c->gpus[d->alike[i]].sm;

        if (sm != first && (i == 0 || sm != d->c->gpus[d->alike[i - 1]].sm)) {
            unknown = jw_finding_say(d->f, "%s, sm_%u", unknown, sm);
            several = true;
        }
        if (jw_cuda_release_for(sm, &t) && t.cuda > newest)
            newest = t.cuda;
    }
    if (!newest || !d->s->cuda)
        return;
    said_add(
        d,
        (struct jw_finding){
            .id = nvrtc ? "nvrtc-old" : "ptxas-old",
            .severity = JW_WARNING,
            .text =
                jw_finding_say(d->f, "%s of CUDA %u.%u does not know %s, only up to sm_%u",
                               nvrtc ? "NVRTC" : "ptxas", d->s->cuda / 100, d->s->cuda % 100, unknown, knows),
            .consequence =
                nvrtc
                    ? jw_finding_say(d->f,
                                     "the kernels that come with %s run, but what it compiles while it runs "
                                     "may stop with \"invalid value for --gpu-architecture\"",
                                     d->name)
                    : jw_finding_say(
                        d->f,
                        "the kernels that come with %s run; what it compiles while it runs (XLA, "
                        "autotuning) is left to the driver, with messages %s \"sm_%u is not "
                        "defined\"",
                        d->name, several ? "such as" : "that say", first),
            .fix = nvrtc ? jw_finding_say(d->f, "use a build for CUDA >= %u.%u", newest / 100, newest % 100)
                         : jw_finding_say(d->f,
                                          "take ptxas of CUDA >= %u.%u: put its bin folder first on the PATH",
                                          newest / 100, newest % 100) });
}
