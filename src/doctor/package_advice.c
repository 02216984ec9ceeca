#include "doctor/package_advice.h"

#include "base/text.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

/* The order: blocked, compiled or linked, unusable, then the rest. */
static unsigned weight_of(const struct jw_scan_verdict *v)
{
    if (v->verdict == JW_VERDICT_BLOCKED)
        return 4;
    if (v->verdict == JW_VERDICT_JIT || v->verdict == JW_VERDICT_LINKS || v->verdict == JW_VERDICT_UNKNOWN)
        return 3;
    if (jw_scan_unusable(v))
        return 2;
    return v->verdict != JW_VERDICT_NO_CODE;
}

void jw_package_verdict_add(struct jw_scan_verdict *to, const struct jw_scan_verdict *v)
{
    uint64_t jit = to->jit + v->jit, bytes = to->jit_ptx_bytes + v->jit_ptx_bytes;

    if (weight_of(v) > weight_of(to))
        *to = *v;
    to->jit = jit;
    to->jit_ptx_bytes = bytes;
}

bool jw_package_advice(const struct jw_package_asked *o, const struct jw_scan_verdict *verdicts,
                       struct jw_arena *a, struct jw_package_advice *out)
{
    const struct jw_release r = jw_release_of(o->package->name, o->package->version);
    struct jw_err ignored;

    *out = (struct jw_package_advice){ .c = { .gpus = o->gpus,
                                              .n_gpus = o->n_gpus,
                                              .driver = o->driver,
                                              .system = jw_build_system_here(o->for_windows, jw_os_arch()) },
                                       .asked = *o,
                                       .verdicts = verdicts };
    return r.product != JW_NO_PRODUCT && jw_software_of_release(&out->c, &r, a, &out->s, &ignored)
           && out->s.code;
}

/* True if compiling is known to fail. */
static bool say_reported(struct jw_buf *out, const struct jw_package_advice *w, unsigned sm)
{
    static const enum jw_report_effect effects[] = { JW_REPORT_FAILS, JW_REPORT_WRONG, JW_REPORT_ENDED };
    unsigned cuda = w->s.framework ? w->s.framework->cuda : 0;
    bool fails = false;
    struct jw_report r;

    for (size_t i = 0; i < JW_COUNT(effects); i++)
        if (jw_framework_report(w->s.product, w->s.number, w->c.system, cuda, sm, effects[i], &r)) {
            fails |= effects[i] == JW_REPORT_FAILS;
            jw_say(out, "%s%s: %s (%s)%s%s", out->n ? ". " : "",
                   effects[i] == JW_REPORT_FAILS ? "compiling is known to fail" : "reported", r.text,
                   r.source, *r.fix ? "; " : "", r.fix);
        }
    return fails;
}

/* A cache that is too small forgets modules. For an unknown driver the smallest default counts. */
static void say_limit(struct jw_buf *out, const struct jw_package_advice *w, const struct jw_scan_verdict *v)
{
    uint64_t usual = jw_cache_default(w->c.driver), need = jw_cache_bytes_for(v->jit_ptx_bytes);
    uint64_t limit = jw_cache_limit_for(need, usual);

    if (!v->jit)
        return;
    if (w->asked.ignored)
        jw_say(out, "%s%s", out->n ? ". " : "", w->asked.ignored);
    else if (w->asked.limit && need > w->asked.limit)
        jw_say(out,
               "%sthis environment sets CUDA_CACHE_MAXSIZE=%llu (%s), with which each start may compile it "
               "again: set %llu (%s)",
               out->n ? ". " : "", (unsigned long long)w->asked.limit, JW_SIZE(w->asked.limit),
               (unsigned long long)limit, JW_SIZE(limit));
    else if (!w->asked.limit && need + need / 4 > (usual ? usual : jw_cache_limits().before) && limit > usual)
        jw_say(out, "%sset CUDA_CACHE_MAXSIZE=%llu (%s) before the first start", out->n ? ". " : "",
               (unsigned long long)limit, JW_SIZE(limit));
}

void jw_package_advice_say(struct jw_buf *out, const struct jw_package_advice *w, size_t gpu)
{
    const struct jw_scan_verdict *v = &w->verdicts[gpu];
    const struct jw_gpu_code *code = &w->s.code[gpu];
    struct jw_framework ready;
    bool older, fails;

    if (code->needs_toolkit)
        jw_say(out, "it is made with CUDA %u.%u, which needs a driver >= %s", code->needs_toolkit / 100,
               code->needs_toolkit % 100, code->needs_driver);
    fails = say_reported(out, w, w->c.gpus[gpu].sm);
    if (!code->needs_toolkit && weight_of(v) == 1)
        return;
    if (!fails)
        say_limit(out, w, v);
    if (jw_software_ready(&w->c, &w->s, &w->c.gpus[gpu], &ready, &older))
        jw_say(out, "%s%s %s has machine code for it%s", out->n ? ". " : "", ready.package, ready.versions,
               older ? " (older)" : "");
}

const char *jw_package_old_compiler(const struct jw_package_advice *w, size_t gpu, struct jw_arena *a)
{
    const struct jw_framework *f = w->s.framework;
    unsigned sm = w->c.gpus[gpu].sm, needs = f ? jw_own_compiler_needs(&w->s.about, f->cuda, sm) : 0;

    return weight_of(&w->verdicts[gpu]) == 1 && needs
               ? jw_arena_printf(a, "%s of CUDA %s does not know sm_%u; CUDA %u.%u does", w->s.about.compiler,
                                 f->cuda_text, sm, needs / 100, needs % 100)
               : NULL;
}

const char *jw_package_slow_start(const struct jw_package_advice *w)
{
    size_t natives = 0, compiled = 0;

    for (size_t i = 0; i < w->c.n_gpus; i++) {
        if (!w->c.gpus[i].name[0])
            return NULL;
        natives += w->verdicts[i].verdict == JW_VERDICT_NATIVE && !w->s.code[i].needs_toolkit;
        compiled += w->verdicts[i].verdict == JW_VERDICT_JIT;
    }
    return natives && natives == w->c.n_gpus ? "the driver compiles nothing at its start: if it is slow, "
                                               "check CPU load, batch size and data loading"
           : natives && compiled ? "it is compiled where a program sees that GPU: CUDA_VISIBLE_DEVICES with "
                                   "the number of another one "
                                   "(nvidia-smi -L lists them) avoids it"
                                 : NULL;
}
