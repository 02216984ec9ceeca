#include "software/scan/verdict_words.h"

#include "base/path.h"
#include "facts/archs.h"
#include "facts/compile_time.h"
#include "facts/drivers.h"
#include "software/find/vendor.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 << 10 };

static struct jw_words modules(uint64_t n, uint64_t all)
{
    return n != all ? jw_phrase("%s of %s modules", JW_NUM(n), JW_NUM(all))
           : n == 1 ? jw_phrase("its one module")
           : n == 2 ? jw_phrase("both modules")
                    : jw_phrase("all %s modules", JW_NUM(n));
}

/* "263 MiB of PTX, about 4 minutes on one core"; an upper bound where programs load only the modules that they use. */
static struct jw_words cost_here(const struct jw_scan_verdict *v)
{
    double time = jw_compile_seconds(v->ptx_modules, v->jit_ptx_bytes);

    return jw_phrase("%s of PTX, %s%s on one core", JW_SIZE(v->jit_ptx_bytes),
                     time < 1                                     ? ""
                     : jw_isa_is_lazy(v->isa_major, v->isa_minor) ? "up to "
                                                                  : "about ",
                     JW_TENTHS(time));
}

static uint64_t counted(const struct jw_scan_verdict *v)
{
    return v->native + v->jit + v->blocked + v->none + v->lto;
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

static void say_blocked(struct jw_buf *out, const struct jw_scan_verdict *v, const char *given, unsigned sm)
{
    const struct jw_arch_fact *arch = jw_arch_find(sm);
    const char *driver = given ? given : "here";
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
    if (v->code_of)
        jw_say(out, "%s machine code is of CUDA %u.%u", one ? "its" : "their", v->code_of / 10,
               v->code_of % 10);
    else if (v->needs_cuda_13)
        jw_say(out, "%s %s of CUDA 13", one ? "its" : "their",
               v->jit_ptx_bytes ? "code is" : "machine code is");
    else if (v->needs_zstd)
        jw_say(out, "%s compressed with zstd%s", one ? "it is" : "they are", end_of_zstd(given));
    else
        jw_say(out, "%s PTX is of ISA %u.%u", one ? "its" : "their", v->isa_major, v->isa_minor);
    if (v->needs_driver && *v->needs_driver)
        jw_say(out, ", which needs a driver >= %s", v->needs_driver);
    else
        jw_say(out, ", which needs a newer driver than any that jitwarm knows");
    if (v->jit_ptx_bytes)
        jw_say(out, "; then %s", cost_here(v).text);
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

/* TensorFlow 2.8 to 2.10 has 1,883 of them. driver-fact: F106-embedded */
static void say_embedded(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    bool small = v->jit_ptx_bytes / v->jit < SMALL;

    jw_say(out, "%s%s when an operation first uses %s, from ", JW_NUM(v->jit),
           v->jit == 1 ? JW_PHRASE(" %smodule compiles", small ? "small " : "")
                       : JW_PHRASE(" %smodules compile", small ? "small " : ""),
           v->jit == 1 ? "it" : "them");
    say_from(out, v);
    jw_say(out, ": %s; prime compiles %s in about %s", JW_SIZE(v->jit_ptx_bytes), v->jit == 1 ? "it" : "all",
           JW_TENTHS(jw_compile_seconds(v->jit, v->jit_ptx_bytes)));
    say_needs(out, v);
    say_unknown(out, v);
}

/* NVIDIA's own libraries choose by the GPU what they load, module by module. */
static void say_jit(struct jw_buf *out, const struct jw_scan_verdict *v, const struct jw_scan_file *file,
                    enum jw_code_of of)
{
    if (v->embedded_jit == v->jit && of != JW_CODE_OF_TESTS) {
        say_embedded(out, v);
        return;
    }
    jw_say(out, "%s ", modules(v->jit, counted(v)).text);
    if (of == JW_CODE_OF_TESTS)
        jw_say(out, "%s compiled when the package's own tests run, from ", v->jit == 1 ? "is" : "are");
    else if (jw_vendor_file(jw_path_base(file->path)))
        jw_say(out, "%s compiled when a program uses %s, from ", v->jit == 1 ? "is" : "are",
               v->jit == 1 ? "it" : "them");
    else
        jw_say(out, "must be compiled from ");
    say_from(out, v);
    jw_say(out, ": %s", cost_here(v).text);
    say_needs(out, v);
    if (v->native && v->none)
        jw_say(out, "; machine code for %s; the other %s for other GPUs", JW_NUM(v->native),
               JW_N(v->none, "is", "are"));
    else if (v->none)
        jw_say(out, "; %s no code for this GPU", JW_N(v->none, "module has", "modules have"));
    say_lto(out, v);
    say_unknown(out, v);
}

/* While a program starts, the driver compiles once and links each time. */
static void say_links(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    jw_say(out, "the driver links %s at each start: %s no machine code for this GPU",
           JW_N(v->inputs - v->inputs_missing, "input", "inputs"),
           v->links == 1 ? "1 result has" : JW_PHRASE("%s results have", JW_NUM(v->links)));
    if (v->jit) {
        jw_say(out, "; at the first start it compiles %s from ", JW_N(v->jit, "module", "modules"));
        say_from(out, v);
        jw_say(out, ": %s", cost_here(v).text);
        say_needs(out, v);
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

static void say_native(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    jw_say(out, "machine code for %s", modules(v->native, counted(v)).text);
    if (v->none)
        jw_say(out, "; the other %s for other GPUs", JW_N(v->none, "is", "are"));
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

void jw_holdings_say(struct jw_buf *out, const struct jw_scan_row *rows, size_t n)
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

void jw_verdict_say(struct jw_buf *out, const struct jw_scan_verdict *v, const struct jw_gpu *gpu,
                    const struct jw_scan_file *file, enum jw_code_of of, const char *driver)
{
    switch (v->verdict) {
    case JW_VERDICT_BLOCKED: say_blocked(out, v, driver, gpu->sm); break;
    case JW_VERDICT_LINKS: say_links(out, v); break;
    case JW_VERDICT_JIT: say_jit(out, v, file, of); break;
    case JW_VERDICT_NATIVE: say_native(out, v); break;
    case JW_VERDICT_UNKNOWN:
        jw_say(out,
               "not known: %s of a form that this jitwarm does not know (newer CUDA toolkits write it); a "
               "driver that does may compile it",
               v->unknown == 1 ? "the code of one module is" : "the code of some modules is");
        break;
    case JW_VERDICT_LAZY:
        jw_say(out, "nothing is compiled at start; up to %s (%s of PTX) when the library asks for one",
               JW_N(v->lazy_jit, "module", "modules"), JW_SIZE(v->lazy_ptx_bytes));
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
        if (!jw_scan_harmless(v))
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
                    : "only a linker's stub: nothing to run");
        break;
    default: jw_say(out, "no CUDA code in it"); break;
    }
}
