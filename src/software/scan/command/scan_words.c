#include "base/limits.h"
#include "base/text.h"
#include "facts/compile_time.h"
#include "facts/drivers.h"
#include "software/scan/command/scan_view.h"

#include <stdlib.h>
#include <string.h>

/* By prime's measurements of this architecture and driver; else by the usual rates. */
static double seconds(const struct scan_view *v, unsigned sm, const struct scan_cost *cost)
{
    for (size_t i = 0; i < v->n_rates; i++)
        if (v->rates[i].sm == sm)
            return v->rates[i].base_s * (double)cost->modules
                   + v->rates[i].per_byte_s * (double)cost->ptx_bytes;
    return jw_compile_seconds(cost->modules, cost->ptx_bytes);
}

enum jw_tint scan_tint(const struct jw_scan_verdict *v)
{
    static const enum jw_tint tints[JW_VERDICTS] = { TINT_BAD,   TINT_WARN,  TINT_GOOD, TINT_GOOD,
                                                     TINT_FAINT, TINT_FAINT, TINT_BAD,  TINT_FAINT };

    return jw_scan_harmless(v) ? TINT_FAINT : jw_scan_unusable(v) ? TINT_BAD : tints[v->verdict];
}

void scan_say_gpu(struct jw_buf *out, const struct jw_gpu *gpu)
{
    if (gpu->name[0])
        jw_buf_printf(out, "%s (sm_%u)", gpu->name, gpu->sm);
    else
        jw_buf_printf(out, "sm_%u", gpu->sm);
}

static void say_list(struct jw_buf *out, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        jw_buf_printf(out, "%s%s", i == 0 ? "" : i + 1 == n ? " and " : ", ", words[i]);
}

static void say_modules(struct jw_buf *out, uint64_t n, uint64_t all)
{
    if (n == all && n == 1) {
        jw_buf_text(out, "its one module");
        return;
    }
    if (n == all && n == 2) {
        jw_buf_text(out, "both modules");
        return;
    }
    if (n == all)
        jw_buf_text(out, "all ");
    jw_text_count(out, n);
    if (n != all) {
        jw_buf_text(out, " of ");
        jw_text_count(out, all);
    }
    jw_buf_text(out, " modules");
}

void scan_say_cost(struct jw_buf *out, const struct scan_view *v, unsigned sm, const struct scan_cost *cost)
{
    double time = seconds(v, sm, cost);

    jw_text_bytes(out, cost->ptx_bytes);
    jw_buf_text(out, " of PTX, ");
    if (time >= 1)
        jw_buf_text(out, cost->lazy ? "up to " : "about ");
    jw_text_duration(out, time);
    jw_buf_text(out, " on one core");
}

static void say_own_cost(struct jw_buf *out, const struct jw_scan_verdict *v, const struct scan_view *view,
                         unsigned sm)
{
    const struct scan_cost cost = { v->jit + v->blocked, v->jit_ptx_bytes,
                                    jw_isa_is_lazy(v->isa_major, v->isa_minor) };

    scan_say_cost(out, view, sm, &cost);
}

static void say_need(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    if (!v->needs_driver)
        return;
    if (*v->needs_driver)
        jw_buf_printf(out, ", needs a driver >= %s", v->needs_driver);
    else
        jw_buf_printf(out, ", needs a driver that knows PTX ISA %u.%u", v->isa_major, v->isa_minor);
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
    const char *driver = view->driver;
    bool one = v->blocked == 1;

    if (v->undriven) {
        jw_buf_printf(out, "driver %s does not drive this GPU: no program can use it",
                      driver ? driver : "here");
        if (v->needs_driver)
            jw_buf_printf(out, "; it needs a driver >= %s", v->needs_driver);
        return;
    }
    say_modules(out, v->blocked, counted(v));
    jw_buf_printf(out, " cannot be loaded by driver %s: ", driver ? driver : "here");
    if (v->needs_zstd)
        jw_buf_printf(out, "%s compressed with zstd%s", one ? "it is" : "they are", end_of_zstd(driver));
    else
        jw_buf_printf(out, "%s PTX is of ISA %u.%u", one ? "its" : "their", v->isa_major, v->isa_minor);
    if (v->needs_driver && *v->needs_driver)
        jw_buf_printf(out, ", which needs a driver >= %s", v->needs_driver);
    else
        jw_buf_text(out, ", which needs a newer driver than any that jitwarm knows");
    if (v->jit_ptx_bytes) {
        jw_buf_text(out, "; then ");
        say_own_cost(out, v, view, sm);
    }
}

static void say_jit(struct jw_buf *out, const struct jw_scan_verdict *v, const struct scan_view *view,
                    unsigned sm)
{
    say_modules(out, v->jit, counted(v));
    jw_buf_text(out, " must be compiled from ");
    say_list(out, v->from, v->n_from);
    jw_buf_text(out, ": ");
    say_own_cost(out, v, view, sm);
    say_need(out, v);
    if (v->warm) {
        jw_buf_text(out, "; ");
        scan_say_warm(out, v->warm, v->warm + v->jit);
    }
    if (v->none) {
        jw_buf_text(out, "; ");
        jw_text_count(out, v->none);
        jw_buf_text(out,
                    v->none == 1 ? " module has no code for this GPU" : " modules have no code for this GPU");
    }
}

void scan_say_warm(struct jw_buf *out, uint64_t warm, uint64_t all)
{
    jw_text_count(out, warm);
    jw_buf_text(out, " of ");
    jw_text_count(out, all);
    jw_buf_text(out, " warm");
}

static void say_warm(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    if (v->warm == counted(v))
        say_modules(out, v->warm, v->warm);
    else {
        jw_buf_text(out, "the ");
        jw_text_count(out, v->warm);
        jw_buf_text(out, v->warm == 1 ? " module without machine code" : " modules without machine code");
    }
    jw_buf_text(out, v->warm == 1 ? " is in the driver's cache: nothing is compiled at the next start"
                                  : " are in the driver's cache: nothing is compiled at the next start");
}

static void say_native(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    jw_buf_text(out, "machine code for ");
    say_modules(out, v->native, counted(v));
    if (v->none) {
        jw_buf_text(out, "; the other ");
        jw_text_count(out, v->none);
        jw_buf_text(out, v->none == 1 ? " is for other GPUs, which is normal"
                                      : " are for other GPUs, which is normal");
    }
    if (v->needs_zstd)
        jw_buf_printf(out, "; needs a driver >= %s", v->needs_driver);
}

static unsigned row_sm(const struct jw_scan_row *r)
{
    const char *digits = strchr(r->arch, '_');

    return digits ? (unsigned)strtoul(digits + 1, NULL, 10) : 0;
}

/* The distinct targets of one kind, in row order. */
static size_t say_targets(struct jw_buf *out, const char *kind, const struct jw_scan_row *rows, size_t n)
{
    const char *last = "";
    size_t said = 0;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].kind, kind) != 0 || strcmp(rows[i].arch, last) == 0)
            continue;
        jw_buf_printf(out, " %s", rows[i].arch);
        last = rows[i].arch;
        said++;
    }
    return said;
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
        jw_buf_printf(out, "%s%s", between, kinds[k].what);
        (void)say_targets(out, kinds[k].kind, rows, n);
        between = "; ";
        if (strcmp(kinds[k].kind, "ptx") != 0)
            continue;
        for (size_t i = 0; i < n; i++)
            if (strcmp(rows[i].kind, "ptx") == 0
                && (!newest || rows[i].major > newest->major
                    || (rows[i].major == newest->major && rows[i].minor > newest->minor)))
                newest = &rows[i];
        if (newest)
            jw_buf_printf(out, " (ISA %u.%u)", newest->major, newest->minor);
    }
}

/* Explains why nothing runs: the GPU is older than all code, or of another kind. */
static void say_none(struct jw_buf *out, const struct jw_gpu *gpu, const struct jw_scan_row *rows, size_t n)
{
    unsigned oldest = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned sm = row_sm(&rows[i]);

        if (sm && (!oldest || sm < oldest))
            oldest = sm;
    }
    jw_buf_text(out, "nothing in it runs on this GPU, and nothing can be compiled for it: ");
    if (oldest > gpu->sm)
        jw_buf_printf(out, "the oldest code is for sm_%u", oldest);
    else if (!has_kind(rows, n, "ptx"))
        jw_buf_text(out, "there is only machine code of other GPUs, no PTX");
    else
        jw_buf_text(out, "its PTX is for other GPUs");
    jw_buf_text(out, "; programs fail with \"no kernel image is available\" (error 209)");
}

static void say_lazy_native(struct jw_buf *out, uint64_t n)
{
    jw_buf_text(out, "nothing is loaded at start, and nothing is compiled: there is machine code for ");
    jw_text_count(out, n);
    jw_buf_text(out, n == 1 ? " module that the library loads on demand"
                            : " modules that the library loads on demand");
}

void scan_say_verdict(struct jw_buf *out, const struct jw_scan_verdict *v, const struct jw_gpu *gpu,
                      const struct jw_scan_row *rows, size_t n_rows, const struct scan_view *view)
{
    switch (v->verdict) {
    case JW_VERDICT_BLOCKED: say_blocked(out, v, view, gpu->sm); break;
    case JW_VERDICT_JIT: say_jit(out, v, view, gpu->sm); break;
    case JW_VERDICT_WARM: say_warm(out, v); break;
    case JW_VERDICT_NATIVE: say_native(out, v); break;
    case JW_VERDICT_LAZY:
        jw_buf_text(out, "nothing is compiled at start; up to ");
        jw_text_count(out, v->lazy_jit);
        jw_buf_text(out, " modules (");
        jw_text_bytes(out, v->lazy_ptx_bytes);
        jw_buf_text(out, " of PTX) when the library asks for one");
        break;
    case JW_VERDICT_RDC:
        jw_buf_text(out, "only inputs of the device linker, which no driver loads by themselves (");
        jw_text_count(out, v->rdc);
        jw_buf_text(out, v->rdc == 1 ? " module)" : " modules)");
        if (jw_scan_unusable(v)) {
            jw_buf_text(out, "; the others cannot run here: ");
            say_none(out, gpu, rows, n_rows);
        }
        break;
    case JW_VERDICT_NONE:
        if (!jw_scan_harmless(v))
            say_none(out, gpu, rows, n_rows);
        else if (v->lazy_native)
            say_lazy_native(out, v->lazy_native);
        else if (v->lto)
            jw_buf_text(
                out, "only code for nvJitLink, which a library links while it runs: nothing for the driver");
        else
            jw_buf_text(out, "only a linker's stub, or PTX without a kernel: nothing to run");
        break;
    default: jw_buf_text(out, "no CUDA code in it"); break;
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
            jw_buf_text(&gpus, ", ");
            scan_say_gpu(&gpus, &v->gpus[k]);
        }
        if (!done)
            s->put(jw_buf_cstr(&gpus), jw_buf_cstr(&first), i, s->ctx);
    }
    jw_buf_free(&first);
    jw_buf_free(&other);
    jw_buf_free(&gpus);
}
