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

/* By prime's measurements of this architecture and driver; else by the usual rates. */
static double seconds(const struct scan_view *v, unsigned sm, const struct scan_cost *cost)
{
    for (size_t i = 0; i < v->known.n_rates; i++)
        if (v->known.rates[i].sm == sm)
            return v->known.rates[i].base_s * (double)cost->modules
                   + v->known.rates[i].per_byte_s * (double)cost->ptx_bytes;
    return jw_compile_seconds(cost->modules, cost->ptx_bytes);
}

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

static struct jw_words modules(uint64_t n, uint64_t all)
{
    return n != all ? jw_phrase("%s of %s modules", JW_NUM(n), JW_NUM(all))
           : n == 1 ? jw_phrase("its one module")
           : n == 2 ? jw_phrase("both modules")
                    : jw_phrase("all %s modules", JW_NUM(n));
}

struct jw_words scan_cost_words(const struct scan_view *v, unsigned sm, const struct scan_cost *cost)
{
    double time = seconds(v, sm, cost);

    return jw_phrase("%s of PTX, %s%s on one core", JW_SIZE(cost->ptx_bytes),
                     time < 1     ? ""
                     : cost->lazy ? "up to "
                                  : "about ",
                     JW_DURATION(time));
}

static struct jw_words cost_here(const struct jw_scan_verdict *v, const struct scan_view *view, unsigned sm)
{
    const struct scan_cost cost = { v->ptx_modules, v->jit_ptx_bytes,
                                    jw_isa_is_lazy(v->isa_major, v->isa_minor) };

    return scan_cost_words(view, sm, &cost);
}

static uint64_t counted(const struct jw_scan_verdict *v)
{
    return v->native + v->jit + v->warm + v->blocked + v->none + v->lto;
}

/* The outcome on the tested drivers. driver-fact: F77-zstd-550 */
static const char *end_of_zstd(const char *driver)
{
    struct jw_driver_version v;
    struct jw_err ignored;

    if (!driver || !jw_driver_parse(driver, &v, &ignored))
        return "";
    if (v.branch == 525)
        return " (this driver crashes: signal 11)";
    return v.branch == 470 || v.branch == 535 ? " (this driver ends with error 218)" : "";
}

static void say_blocked(struct jw_buf *out, const struct jw_scan_verdict *v, const struct scan_view *view,
                        unsigned sm)
{
    const struct jw_arch_fact *arch = jw_arch_find(sm);
    const char *driver = view->driver ? view->driver : "here";
    bool one = v->blocked == 1;

    if (v->undriven) {
        jw_say(out, "driver %s does not drive this GPU: no program can use it", driver);
        if (v->needs_driver)
            jw_say(out, "; it needs a driver >= %s", v->needs_driver);
        else if (arch && arch->last_branch)
            jw_say(out, "; %u is the last branch that does", arch->last_branch);
        return;
    }
    jw_say(out, "%s cannot be loaded by driver %s: ", modules(v->blocked, counted(v)).text, driver);
    if (v->needs_cuda_13)
        jw_say(out, "%s %s of CUDA 13", one ? "its" : "their",
               v->jit_ptx_bytes ? "code is" : "machine code is");
    else if (v->needs_zstd)
        jw_say(out, "%s compressed with zstd%s", one ? "it is" : "they are", end_of_zstd(view->driver));
    else
        jw_say(out, "%s PTX is of ISA %u.%u", one ? "its" : "their", v->isa_major, v->isa_minor);
    if (v->needs_driver && *v->needs_driver)
        jw_say(out, ", which needs a driver >= %s", v->needs_driver);
    else
        jw_say(out, ", which needs a newer driver than any that jitwarm knows");
    if (v->jit_ptx_bytes)
        jw_say(out, "; then %s", cost_here(v, view, sm).text);
}

static void say_needs(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    if (v->needs_driver && *v->needs_driver)
        jw_say(out, ", needs a driver >= %s", v->needs_driver);
    else if (v->needs_driver)
        jw_say(out, ", needs a driver that knows PTX ISA %u.%u", v->isa_major, v->isa_minor);
}

static void say_from(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    for (size_t i = 0; i < v->n_from; i++)
        jw_say(out, "%s%s", jw_text_between(i, v->n_from), v->from[i]);
}

static void say_unknown(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    if (v->unknown)
        jw_say(out, "; %s code of a form that this jitwarm does not know",
               JW_N(v->unknown, "module has", "modules have"));
}

/* Modules that count, and that no other part of the sentence is about. */
static void say_lto(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    if (v->lto)
        jw_say(out, "; %s link-time code (LTO) for nvJitLink, and nothing for the driver",
               JW_N(v->lto, "is", "are"));
}

/* NVIDIA's own libraries choose by the GPU what they load, module by module. */
static void say_jit(struct jw_buf *out, const struct jw_scan_verdict *v, const struct scan_view *view,
                    unsigned sm, const struct jw_scan_file *file)
{
    jw_say(out, "%s ", modules(v->jit, counted(v)).text);
    if (view->of[file - view->report.files] == JW_CODE_OF_TESTS)
        jw_say(out, "%s compiled when the package's own tests run, from ", v->jit == 1 ? "is" : "are");
    else if (jw_vendor_file(jw_path_base(file->path)))
        jw_say(out, "%s compiled when a program uses %s, from ", v->jit == 1 ? "is" : "are",
               v->jit == 1 ? "it" : "them");
    else
        jw_say(out, "must be compiled from ");
    say_from(out, v);
    jw_say(out, ": %s", cost_here(v, view, sm).text);
    say_needs(out, v);
    if (v->warm)
        jw_say(out, "; %s of %s warm", JW_NUM(v->warm), JW_NUM(v->warm + v->jit));
    if (v->native && v->none)
        jw_say(out, "; machine code for %s; the other %s for other GPUs", JW_NUM(v->native),
               JW_N(v->none, "is", "are"));
    else if (v->none)
        jw_say(out, "; %s no code for this GPU", JW_N(v->none, "module has", "modules have"));
    say_lto(out, v);
    say_unknown(out, v);
}

uint64_t scan_link_ms(const struct scan_view *view, const struct jw_scan_verdict *v)
{
    return v->links && view->memory ? jw_warm_link(view->memory, v->name_sum, (size_t)v->named) : 0;
}

/* While a program starts, the driver compiles once and links each time. */
static void say_links(struct jw_buf *out, const struct jw_scan_verdict *v, const struct scan_view *view,
                      unsigned sm)
{
    uint64_t ms = scan_link_ms(view, v);

    jw_say(out, "the driver links %s at each start (%s): %s no machine code for this GPU",
           JW_N(v->inputs - v->inputs_missing, "input", "inputs"),
           ms ? JW_TENTHS((double)ms / 1000) : "how long was not measured",
           v->links == 1 ? "1 result has" : JW_PHRASE("%s results have", JW_NUM(v->links)));
    if (v->jit) {
        jw_say(out, "; at the first start it compiles %s from ", JW_N(v->jit, "module", "modules"));
        say_from(out, v);
        jw_say(out, ": %s", cost_here(v, view, sm).text);
        say_needs(out, v);
        if (v->warm)
            jw_say(out, "; %s of %s warm", JW_NUM(v->warm), JW_NUM(v->warm + v->jit));
    } else if (v->warm && !v->inputs_lto && !v->unknown) {
        jw_say(
            out,
            "; what it would compile is in the driver's cache: the next start links, and compiles nothing");
    } else if (!v->inputs_lto && !v->unknown) {
        jw_say(out, "; it compiles nothing");
    }
    say_unknown(out, v);
    if (v->inputs_lto)
        jw_say(out, "; %s link-time code (LTO) alone: whether the driver compiles that is not known",
               JW_N(v->inputs_lto, "input has", "inputs have"));
    if (v->inputs_missing)
        jw_say(out,
               "; %s neither machine code nor PTX for it: a result that needs one of them fails (error 300)",
               JW_N(v->inputs_missing, "other input has", "other inputs have"));
}

static void say_warm(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    jw_say(out, "%s%s in the driver's cache: nothing is compiled at the next start",
           v->warm == counted(v)
               ? modules(v->warm, v->warm).text
               : JW_PHRASE("the %s without machine code", JW_N(v->warm, "module", "modules")),
           v->warm == 1 ? " is" : " are");
    say_lto(out, v);
}

static void say_native(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    jw_say(out, "machine code for %s", modules(v->native, counted(v)).text);
    if (v->none)
        jw_say(out,
               v->twins ? "; the other %s for other GPUs, with the same kernels, which is normal"
                        : "; the other %s for other GPUs",
               JW_N(v->none, "is", "are"));
    say_lto(out, v);
    if (v->needs_zstd || v->needs_cuda_13)
        jw_say(out, "; needs a driver >= %s", v->needs_driver);
}

static unsigned row_sm(const struct jw_scan_row *r)
{
    const char *digits = strchr(r->arch, '_');

    return digits ? (unsigned)strtoul(digits + 1, NULL, 10) : 0;
}

/* The distinct targets of one kind, in row order. */
static void say_targets(struct jw_buf *out, const char *kind, const struct jw_scan_row *rows, size_t n)
{
    const char *last = "";

    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].kind, kind) != 0 || strcmp(rows[i].arch, last) == 0)
            continue;
        jw_say(out, " %s", rows[i].arch);
        last = rows[i].arch;
    }
}

static bool has_kind(const struct jw_scan_row *rows, size_t n, const char *kind)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].kind, kind) == 0)
            return true;
    return false;
}

void scan_say_holdings(struct jw_buf *out, const struct jw_scan_row *rows, size_t n)
{
    static const struct {
        const char *kind, *what;
    } kinds[] = { { "elf", "machine code for" },
                  { "ptx", "PTX for" },
                  { "nvvm", "linker code for" },
                  { "other", "unknown code for" } };
    const char *between = "";
    const struct jw_scan_row *newest = NULL;

    for (size_t k = 0; k < JW_COUNT(kinds); k++) {
        if (!has_kind(rows, n, kinds[k].kind))
            continue;
        jw_say(out, "%s%s", between, kinds[k].what);
        say_targets(out, kinds[k].kind, rows, n);
        between = "; ";
        if (strcmp(kinds[k].kind, "ptx") != 0)
            continue;
        for (size_t i = 0; i < n; i++)
            if (strcmp(rows[i].kind, "ptx") == 0
                && (!newest || rows[i].major > newest->major
                    || (rows[i].major == newest->major && rows[i].minor > newest->minor)))
                newest = &rows[i];
        if (newest)
            jw_say(out, " (ISA %u.%u)", newest->major, newest->minor);
    }
}

/* Explains why nothing runs: the GPU is older than all code, or of another kind. driver-fact: F101-newer-text */
static void say_none(struct jw_buf *out, const struct jw_gpu *gpu, const struct jw_scan_file *file)
{
    const struct jw_scan_row *rows = file->rows;
    size_t n = file->n_rows;
    unsigned oldest = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned sm = row_sm(&rows[i]);

        if (sm && (!oldest || sm < oldest))
            oldest = sm;
    }
    jw_say(out,
           "nothing in it runs on this GPU, and nothing can be compiled for it: %s; programs fail with %s",
           oldest > gpu->sm            ? JW_PHRASE("the oldest code is for sm_%u", oldest)
           : !has_kind(rows, n, "ptx") ? "there is only machine code of other GPUs, no PTX"
                                       : "its PTX is for other GPUs",
           strcmp(file->format, "ptx") == 0 ? "\"a PTX JIT compilation failed\" (error 218)"
                                            : "\"no kernel image is available\" (error 209)");
}

/* Most of the library was not built for this GPU. */
static void say_mostly_none(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    uint64_t run = jw_scan_can_run(v);

    jw_say(out,
           "code for %s; the other %s are for other GPUs, and have kernels that no module for this GPU has: "
           "programs that use one fail with \"no kernel image is available\" (error 209)",
           modules(run, run + v->none).text, JW_NUM(v->none));
}

void scan_say_verdict(struct jw_buf *out, const struct jw_scan_verdict *v, const struct jw_gpu *gpu,
                      const struct jw_scan_file *file, const struct scan_view *view)
{
    switch (v->verdict) {
    case JW_VERDICT_BLOCKED: say_blocked(out, v, view, gpu->sm); break;
    case JW_VERDICT_LINKS: say_links(out, v, view, gpu->sm); break;
    case JW_VERDICT_JIT: say_jit(out, v, view, gpu->sm, file); break;
    case JW_VERDICT_WARM: say_warm(out, v); break;
    case JW_VERDICT_NATIVE: say_native(out, v); break;
    case JW_VERDICT_UNKNOWN:
        jw_say(out,
               "not known: %s of a form that this jitwarm does not know (newer CUDA toolkits write it); a "
               "driver that does may compile it",
               v->unknown == 1 ? "the code of one module is" : "the code of some modules is");
        break;
    case JW_VERDICT_LAZY:
        jw_say(out,
               "nothing is compiled at start; up to %s modules (%s of PTX) when the library asks for one",
               JW_NUM(v->lazy_jit), JW_SIZE(v->lazy_ptx_bytes));
        break;
    case JW_VERDICT_RDC:
        jw_say(out, "only inputs of the device linker, which no driver loads by themselves (%s)",
               JW_N(v->rdc, "module", "modules"));
        if (jw_scan_unusable(v)) {
            jw_say(out, "; the others cannot run here: ");
            say_none(out, gpu, file);
        }
        break;
    case JW_VERDICT_NONE:
        if (v->mostly_none)
            say_mostly_none(out, v);
        else if (!jw_scan_harmless(v))
            say_none(out, gpu, file);
        else if (v->beside)
            jw_say(out, "for other GPUs: a file beside it is for this GPU");
        else if (v->lazy_native)
            jw_say(out,
                   "nothing is loaded at start, and nothing is compiled: there is machine code for %s that "
                   "the library loads on demand",
                   JW_N(v->lazy_native, "module", "modules"));
        else
            jw_say(
                out,
                v->lto
                    ? "only code for nvJitLink, which a library links while it runs: nothing for the driver"
                    : "only a linker's stub, or PTX without a kernel: nothing to run");
        break;
    default: jw_say(out, "no CUDA code in it"); break;
    }
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
                                        .driver = v->driver,
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
    uint64_t usual = jw_cache_default(w->v->driver), need = jw_cache_bytes_for(v->jit_ptx_bytes);
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
