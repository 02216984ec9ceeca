/* What the table of frameworks adds to the files of a fetched package. What runs is decided by the files alone. */
#include "verbs/scan.h"

#include "base/limits.h"
#include "doctor/doctor_software.h"
#include "facts/cuda_releases.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <string.h>

struct advice {
    const struct scan_view *v;
    const struct scan_package *package;
    struct jw_scan_verdict
        *verdicts; /* for each GPU of all its files: the worst, and what is compiled of all */
    struct jw_software_case c;
    struct jw_software s;
    struct jw_page *page;
    const char *name; /* before each line, where there are several packages */
};

static bool look_up(const struct scan_view *v, const struct scan_package *p, struct jw_arena *a,
                    struct advice *out)
{
    struct jw_release r = jw_release_of(p->owner.name, p->owner.version);
    struct jw_err ignored;

    out->v = v;
    out->c = (struct jw_software_case){ .gpus = v->gpus,
                                        .n_gpus = v->n_gpus,
                                        .driver = v->driver,
                                        .system = jw_build_system_here(v->for_windows, jw_os_arch()) };
    return r.product != JW_NO_PRODUCT && jw_software_of_release(&out->c, &r, a, &out->s, &ignored);
}

bool scan_is_of_package(const struct scan_package *p, const char *path)
{
    size_t n = p->wheel ? strlen(p->wheel) : 0;

    return n && strncmp(path, p->wheel, n) == 0 && (path[n] == '\0' || path[n] == '!');
}

/* Blocked, what is compiled or linked, unusable, then the rest. */
static unsigned rank_of(const struct jw_scan_verdict *v)
{
    if (v->verdict == JW_VERDICT_BLOCKED)
        return 4;
    if (v->verdict == JW_VERDICT_JIT || v->verdict == JW_VERDICT_LINKS)
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
static bool sum_up(const struct scan_view *v, const struct scan_package *p, struct jw_arena *a,
                   struct advice *out)
{
    if (!p->wheel || p->why)
        return false;
    out->verdicts = jw_arena_alloc(a, (v->n_gpus + 1) * sizeof *out->verdicts);
    for (size_t k = 0; k < v->n_gpus; k++)
        out->verdicts[k].verdict = JW_VERDICT_NO_CODE;
    for (size_t i = 0; i < v->report.n_files; i++)
        for (size_t k = 0;
             scan_is_of_package(p, v->report.files[i].path) && k < v->report.files[i].n_verdicts; k++)
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

/* ---- sentences ---- */

static void say_reported(struct jw_buf *out, const struct advice *w, unsigned sm)
{
    static const enum jw_report_effect effects[] = { JW_REPORT_FAILS, JW_REPORT_WRONG, JW_REPORT_ENDED };
    unsigned cuda = w->s.framework ? w->s.framework->cuda : 0;
    struct jw_report r;

    for (size_t i = 0; i < JW_COUNT(effects); i++)
        if (jw_framework_report(w->s.product, w->s.number, w->c.system, cuda, sm, effects[i], &r))
            jw_say(out, "%s%s: %s (%s)%s%s", out->n ? ". " : "",
                   effects[i] == JW_REPORT_FAILS ? "compiling is known to fail" : "reported", r.text,
                   r.source, *r.fix ? "; " : "", r.fix);
}

/* A cache that is too small forgets what was compiled. Of an unknown driver the smallest default counts. */
static void say_limit(struct jw_buf *out, const struct advice *w, const struct jw_scan_verdict *v)
{
    uint64_t usual = jw_cache_default(w->v->driver), need = jw_cache_bytes_for(v->jit_ptx_bytes);
    uint64_t limit = jw_cache_limit_for(need, usual);

    if (v->jit && need + need / 4 > (usual ? usual : jw_cache_limits().before) && limit > usual)
        jw_say(out, "%sset CUDA_CACHE_MAXSIZE=%llu (%s) before the first start", out->n ? ". " : "",
               (unsigned long long)limit, JW_SIZE(limit));
}

static void say_advice(struct jw_buf *out, size_t gpu, void *ctx)
{
    const struct advice *w = ctx;
    const struct jw_scan_verdict *v = &w->verdicts[gpu];
    const struct jw_gpu_code *code = &w->s.code[gpu];
    struct jw_framework ready;
    bool older;

    if (code->needs_toolkit)
        jw_say(out, "it is made with CUDA %u.%u, which needs a driver >= %s", code->needs_toolkit / 100,
               code->needs_toolkit % 100, code->needs_driver);
    say_reported(out, w, w->v->gpus[gpu].sm);
    if (!code->needs_toolkit && rank_of(v) == 1)
        return;
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

/* What it depends on may hold the code: tensorflow on Windows is an empty package of tensorflow-intel. */
static void show_no_code(const struct advice *w)
{
    for (size_t i = 0; i < w->v->n_gpus; i++)
        if (w->verdicts[i].verdict != JW_VERDICT_NO_CODE)
            return;
    for (size_t i = 0; i < w->v->report.n_skipped; i++)
        if (scan_is_of_package(w->package, w->v->report.skipped[i].path))
            return;
    for (size_t i = 0; i < w->v->report.n_files; i++)
        if (w->v->report.files[i].n_problems && scan_is_of_package(w->package, w->v->report.files[i].path))
            return;
    jw_page_say(w->page, TINT_NONE, NULL,
                "%s: no CUDA code in its wheel. What it depends on was not fetched.", w->package->text);
}

void scan_show_advice(struct jw_page *page, const struct scan_view *v)
{
    struct jw_arena *a = page->arena;
    for (size_t i = 0; i < v->n_packages; i++) {
        const struct scan_package *p = &v->packages[i];
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
    }
}
