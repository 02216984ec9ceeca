/* The sentences of scan: what a verdict means, and what to do about it. */
#include "verbs/scan.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "doctor/doctor_software.h"
#include "facts/archs.h"
#include "facts/compile_time.h"
#include "facts/drivers.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"
#include "software/find/vendor.h"

#include <stdlib.h>
#include <string.h>

enum jw_tint scan_tint(const struct jw_scan_verdict *v)
{
    static const enum jw_tint tints[JW_VERDICTS] = {
        [JW_VERDICT_BLOCKED] = TINT_BAD,   [JW_VERDICT_LINKS] = TINT_WARN, [JW_VERDICT_JIT] = TINT_WARN,
        [JW_VERDICT_UNKNOWN] = TINT_WARN,  [JW_VERDICT_WARM] = TINT_GOOD,  [JW_VERDICT_NATIVE] = TINT_GOOD,
        [JW_VERDICT_LAZY] = TINT_FAINT,    [JW_VERDICT_RDC] = TINT_FAINT,  [JW_VERDICT_NONE] = TINT_BAD,
        [JW_VERDICT_NO_CODE] = TINT_FAINT,
    };

    return jw_scan_harmless(v) ? TINT_FAINT : jw_scan_unusable(v) ? TINT_BAD : tints[v->verdict];
}

/* "NVIDIA H100 (sm_90)", or "sm_90". */
static void scan_say_gpu(struct jw_buf *out, const struct jw_gpu *gpu)
{
    jw_say(out, gpu->name[0] ? "%s (sm_%u)" : "%ssm_%u", gpu->name, gpu->sm);
}

void scan_share_sentences(const struct scan_view *v, const struct scan_sentences *s)
{
    struct jw_buf first = JW_BUF(JW_MAX_LINE), other = JW_BUF(JW_MAX_LINE), gpus = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < v->n_gpus; i++) {
        bool done = false;

        jw_buf_clear(&first);
        jw_buf_clear(&gpus);
        s->say(&first, i, s->ctx);
        scan_say_gpu(&gpus, &v->gpus[i]);
        for (size_t k = 0; k < v->n_gpus; k++) {
            if (k == i)
                continue;
            jw_buf_clear(&other);
            s->say(&other, k, s->ctx);
            if (strcmp(jw_buf_cstr(&first), jw_buf_cstr(&other)) != 0)
                continue;
            done |= k < i;
            jw_say(&gpus, ", ");
            scan_say_gpu(&gpus, &v->gpus[k]);
        }
        if (!done)
            s->put(jw_buf_cstr(&gpus), jw_buf_cstr(&first), i, s->ctx);
    }
    jw_buf_free(&first);
    jw_buf_free(&other);
    jw_buf_free(&gpus);
}

/* ---- advice: what the table of frameworks adds to the files of a fetched package; what runs is decided by the files alone ---- */

struct advice {
    const struct scan_view *v;
    const struct jw_fetched *package;
    /* for each GPU of all its files: the worst, and what is compiled of all */
    struct jw_scan_verdict *verdicts;
    struct jw_software_case c;
    struct jw_software s;
    struct jw_page *page;
    const char *name; /* before each line, where there are several packages */
};

static bool look_up(const struct scan_view *v, const struct jw_fetched *p, struct jw_arena *a,
                    struct advice *out)
{
    struct jw_release r = jw_release_of(p->owner.name, p->owner.version);
    struct jw_err ignored;

    out->v = v;
    out->c = (struct jw_software_case){ .gpus = v->gpus,
                                        .n_gpus = v->n_gpus,
                                        .driver = v->known.driver,
                                        .system = jw_build_system_here(v->for_windows, jw_os_arch()) };
    return r.product != JW_NO_PRODUCT && jw_software_of_release(&out->c, &r, a, &out->s, &ignored)
           && out->s.code;
}

/* Blocked, what is compiled or linked, unusable, then the rest. */
static unsigned rank_of(const struct jw_scan_verdict *v)
{
    if (v->verdict == JW_VERDICT_BLOCKED)
        return 4;
    if (v->verdict == JW_VERDICT_JIT || v->verdict == JW_VERDICT_LINKS || v->verdict == JW_VERDICT_UNKNOWN)
        return 3;
    if (jw_scan_unusable(v))
        return 2;
    return v->verdict != JW_VERDICT_NO_CODE;
}

static void add_verdict(struct jw_scan_verdict *to, const struct jw_scan_verdict *v)
{
    uint64_t jit = to->jit + v->jit, bytes = to->jit_ptx_bytes + v->jit_ptx_bytes;

    if (rank_of(v) > rank_of(to))
        *to = *v;
    to->jit = jit;
    to->jit_ptx_bytes = bytes;
}

/* False: it was not scanned. */
static bool sum_up(const struct scan_view *v, const struct jw_fetched *p, struct jw_arena *a,
                   struct advice *out)
{
    if (!p->wheel || p->why)
        return false;
    out->verdicts = jw_arena_alloc(a, (v->n_gpus + 1) * sizeof *out->verdicts);
    for (size_t k = 0; k < v->n_gpus; k++)
        out->verdicts[k].verdict = JW_VERDICT_NO_CODE;
    for (size_t i = 0; i < v->report.n_files; i++)
        for (size_t k = 0; jw_fetched_holds(p, v->report.files[i].path) && k < v->report.files[i].n_verdicts;
             k++)
            add_verdict(&out->verdicts[k], &v->report.files[i].verdicts[k]);
    return true;
}

bool scan_needs_newer_driver(const struct scan_view *v)
{
    struct jw_arena a = { 0 };
    struct advice one = { 0 };
    bool needs = false;

    for (size_t i = 0; i < v->n_packages; i++)
        if (sum_up(v, &v->packages[i], &a, &one) && look_up(v, &v->packages[i], &a, &one))
            for (size_t k = 0; k < v->n_gpus; k++)
                needs |= one.s.code[k].needs_toolkit != 0;
    jw_arena_free(&a);
    return needs;
}

/* True if compiling is known to fail. */
static bool say_reported(struct jw_buf *out, const struct advice *w, unsigned sm)
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

/* A cache that is too small forgets what was compiled. Of an unknown driver the smallest default counts. */
static void say_limit(struct jw_buf *out, const struct advice *w, const struct jw_scan_verdict *v)
{
    uint64_t usual = jw_cache_default(w->v->known.driver), need = jw_cache_bytes_for(v->jit_ptx_bytes);
    uint64_t limit = jw_cache_limit_for(need, usual);

    if (!v->jit)
        return;
    if (w->v->ignored)
        jw_say(out, "%s%s", out->n ? ". " : "", w->v->ignored);
    else if (w->v->limit && need > w->v->limit)
        jw_say(out,
               "%sthis environment sets CUDA_CACHE_MAXSIZE=%llu (%s), with which each start may compile it "
               "again: set %llu (%s)",
               out->n ? ". " : "", (unsigned long long)w->v->limit, JW_SIZE(w->v->limit),
               (unsigned long long)limit, JW_SIZE(limit));
    else if (!w->v->limit && need + need / 4 > (usual ? usual : jw_cache_limits().before) && limit > usual)
        jw_say(out, "%sset CUDA_CACHE_MAXSIZE=%llu (%s) before the first start", out->n ? ". " : "",
               (unsigned long long)limit, JW_SIZE(limit));
}

static void say_advice(struct jw_buf *out, size_t gpu, void *ctx)
{
    const struct advice *w = ctx;
    const struct jw_scan_verdict *v = &w->verdicts[gpu];
    const struct jw_gpu_code *code = &w->s.code[gpu];
    struct jw_framework ready;
    bool older, fails;

    if (code->needs_toolkit)
        jw_say(out, "it is made with CUDA %u.%u, which needs a driver >= %s", code->needs_toolkit / 100,
               code->needs_toolkit % 100, code->needs_driver);
    fails = say_reported(out, w, w->v->gpus[gpu].sm);
    if (!code->needs_toolkit && rank_of(v) == 1)
        return;
    if (!fails)
        say_limit(out, w, v);
    if (jw_software_ready(&w->c, &w->s, &w->v->gpus[gpu], &ready, &older))
        jw_say(out, "%s%s %s has machine code for it%s", out->n ? ". " : "", ready.package, ready.versions,
               older ? " (older)" : "");
}

static void show_advice(const char *gpus, const char *sentence, size_t first, void *ctx)
{
    const struct advice *w = ctx;

    (void)first;
    if (*sentence)
        jw_page_say(w->page, TINT_NONE, "  Advice", "%s%s%s%s%s", w->name, *w->name ? ", " : "",
                    w->v->n_gpus > 1 ? gpus : "", w->v->n_gpus > 1 || *w->name ? ": " : "", sentence);
}

/* XLA and NVRTC compile at run time by a compiler of the toolkit, which may be older than the GPU. */
static void show_own_compiler(const struct advice *w)
{
    const struct jw_framework *f = w->s.framework;

    for (size_t i = 0; f && i < w->v->n_gpus; i++) {
        unsigned sm = w->v->gpus[i].sm, needs = jw_own_compiler_needs(&w->s.about, f->cuda, sm);

        if (rank_of(&w->verdicts[i]) == 1 && needs)
            jw_page_say(w->page, TINT_WARN, "  Note", "%s of CUDA %s does not know sm_%u; CUDA %u.%u does",
                        w->s.about.compiler, f->cuda_text, sm, needs / 100, needs % 100);
    }
}

/* What the persons want to know whose GPUs differ, or who look for the reason of a slow start. */
static void show_what_compiles(const struct advice *w)
{
    size_t natives = 0, compiled = 0;

    for (size_t i = 0; i < w->v->n_gpus; i++) {
        if (!w->v->gpus[i].name[0])
            return;
        natives += w->verdicts[i].verdict == JW_VERDICT_NATIVE && !w->s.code[i].needs_toolkit;
        compiled += w->verdicts[i].verdict == JW_VERDICT_JIT;
    }
    if (natives && natives == w->v->n_gpus)
        jw_page_say(w->page, TINT_NONE, "  Note",
                    "the driver compiles nothing at its start: if it is slow, check CPU load, batch size and "
                    "data loading");
    else if (natives && compiled)
        jw_page_say(w->page, TINT_NONE, "  Note",
                    "it is compiled where a program sees that GPU: CUDA_VISIBLE_DEVICES with the number of "
                    "another one (nvidia-smi -L lists them) avoids it");
}

/* A package that it depends on may hold the code: tensorflow on Windows is an empty package of tensorflow-intel. */
static void show_no_code(const struct advice *w)
{
    for (size_t i = 0; i < w->v->n_gpus; i++)
        if (w->verdicts[i].verdict != JW_VERDICT_NO_CODE)
            return;
    for (size_t i = 0; i < w->v->report.n_skipped; i++)
        if (jw_fetched_holds(w->package, w->v->report.skipped[i].path))
            return;
    for (size_t i = 0; i < w->v->report.n_files; i++)
        if (w->v->report.files[i].n_problems && jw_fetched_holds(w->package, w->v->report.files[i].path))
            return;
    jw_page_say(w->page, TINT_NONE, NULL,
                "%s: no CUDA code in its wheel. What it depends on was not fetched.", w->package->text);
}

void scan_show_advice(struct jw_page *page, const struct scan_view *v)
{
    struct jw_arena *a = page->arena;
    for (size_t i = 0; i < v->n_packages; i++) {
        const struct jw_fetched *p = &v->packages[i];
        struct advice w = { .page = page, .name = v->n_packages > 1 ? p->text : "", .package = p };

        if (!sum_up(v, p, a, &w))
            continue;
        w.v = v;
        if (v->n_packages == 1)
            show_no_code(&w);
        if (!look_up(v, p, a, &w))
            continue;
        scan_share_sentences(v, &(struct scan_sentences){ say_advice, show_advice, &w });
        show_own_compiler(&w);
        show_what_compiles(&w);
    }
}
