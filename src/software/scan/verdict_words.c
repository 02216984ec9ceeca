#include "software/scan/verdict_words.h"

#include "base/num.h"
#include "facts/archs.h"

#include <string.h>

static void say_count(struct jw_buf *out, const char *what, uint64_t n)
{
    if (n)
        jw_say(out, "%s%s: %s", out->n ? "; " : "", what, JW_NUM(n));
}

static void say_needs(struct jw_buf *out, unsigned branch)
{
    if (branch)
        jw_say(out, ", needs %s", jw_driver_needed(branch).text);
}

static void say_undriven(struct jw_buf *out, const struct jw_scan_verdict *v, const char *driver,
                         unsigned sm)
{
    const struct jw_arch_fact *arch = jw_arch_find(sm);

    jw_say(out, "driver %s does not drive this GPU", driver);
    say_needs(out, v->needs_driver);
    if (!v->needs_driver && arch && arch->last_branch)
        jw_say(out, "; %u is the last branch that does", arch->last_branch);
}

static void say_too_new(struct jw_buf *out, const struct jw_scan_verdict *v, const char *driver)
{
    static const char *const what[] = {[JW_NEED_CUDA_13] = "code of CUDA 13",
                                       [JW_NEED_TOOLKIT] = "machine code of CUDA",
                                       [JW_NEED_ISA] = "PTX of ISA",
                                       [JW_NEED_PACKING] = "code compressed with"};
    JW_ROW_FOR_EACH(what, JW_NEED_KINDS, 4);

    jw_say(out, "too new for driver %s", driver);
    for (size_t i = 0, n = 0; i < JW_NEED_KINDS; i++) {
        const struct jw_need *need = &v->too_new[i];

        if (!need->branch)
            continue;
        jw_say(out, "%s%s", n++ ? "; " : ": ", what[i]);
        if (need->version)
            jw_say(out, " %u.%u", need->version / 10, need->version % 10);
        else if (need->packing)
            jw_say(out, " %s", need->packing);
        say_needs(out, need->branch);
    }
    say_count(out, "modules", v->modules[JW_SELECTED_BLOCKED]);
}

static void say_unknown(struct jw_buf *out, const struct jw_scan_verdict *v,
                        const struct jw_scan_file *file)
{
    if (file->n_problems)
        jw_say(out, "damaged: %s", file->problems[0]);
    say_count(out, "problems", file->n_problems > 1 ? file->n_problems : 0);
    say_count(out, "PTX texts whose end is not known", file->ptx_unbounded);
    say_count(out, "modules of a form that this jitwarm does not know",
              v->modules[JW_SELECTED_UNKNOWN]);
    if (v->modules[JW_SELECTED_UNKNOWN])
        jw_buf_printf(out, " (the first at 0x%llx)", (unsigned long long)v->unknown_at);
    say_count(out, "modules with options that a driver may refuse", v->odd_options);
    if (v->odd_options)
        jw_buf_printf(out, " (%.40s)", v->odd_option);
    say_count(
        out,
        "inputs of the device linker without code for it, so that what needs one fails (error 300)",
        v->inputs_missing);
}

uint64_t jw_verdict_modules(const struct jw_scan_verdict *v)
{
    const uint64_t *n = v->modules;

    return n[JW_SELECTED_NATIVE] + n[JW_SELECTED_JIT] + n[JW_SELECTED_BLOCKED]
           + n[JW_SELECTED_UNKNOWN] + n[JW_SELECTED_NONE] + n[JW_SELECTED_LTO];
}

static void say_compiled(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    if (!v->modules[JW_SELECTED_JIT])
        return;
    say_count(out, "compiled", v->modules[JW_SELECTED_JIT]);
    jw_say(out, " of %s, %s of PTX", JW_N(jw_verdict_modules(v), "module", "modules"),
           JW_SIZE(v->jit_ptx_bytes));
}

/* Says the rows of the first one's kind, by architecture. Returns how many these are. */
static size_t say_kind(struct jw_buf *out, const struct jw_fat_entry *rows, size_t n)
{
    static const char *const what[] = {[JW_CODE_MACHINE] = "machine code for",
                                       [JW_CODE_PTX] = "PTX for",
                                       [JW_CODE_NVVM] = "linker code for",
                                       [JW_CODE_UNKNOWN] = "unknown code for"};
    JW_ROW_FOR_EACH(what, JW_CODE_KINDS, 4);
    const enum jw_code_kind kind = jw_fat_code_kind(rows->kind);
    unsigned isa = 0;
    size_t i = 0;

    jw_say(out, "%s", what[kind]);
    for (; i < n; i++) {
        if (jw_fat_code_kind(rows[i].kind) != kind)
            break;
        if (!i || jw_arch_rank(rows[i - 1].target) != jw_arch_rank(rows[i].target))
            jw_say(out, " %s", jw_fat_arch_name(&rows[i]).text);
        isa = (unsigned)jw_max(isa, rows[i].major * 100U + rows[i].minor);
    }
    if (kind == JW_CODE_PTX)
        jw_say(out, " (ISA %u.%u)", isa / 100, isa % 100);
    return i;
}

/* Rows are by kind. */
void jw_holdings_say(struct jw_buf *out, const struct jw_fat_entry *rows, size_t n)
{
    for (size_t i = 0; i < n;) {
        if (i)
            jw_say(out, "; ");
        i += say_kind(out, rows + i, n - i);
    }
}

/* Explains why nothing runs: the GPU is older than all code, or of another kind. driver-fact:
 * F101-newer-text */
static void say_none(struct jw_buf *out, const struct jw_scan_verdict *v, uint16_t sm,
                     const struct jw_scan_file *file)
{
    unsigned oldest = 0;
    bool ptx = false;

    for (size_t i = 0; i < file->n_rows; i++) {
        const unsigned of = file->rows[i].target.sm;

        ptx |= file->rows[i].kind == JW_KIND_PTX;
        oldest = of && (!oldest || of < oldest) ? of : oldest;
    }
    const char *error = "error 209, \"no kernel image is available\"";
    const char *what = v->lazy[JW_SELECTED_NATIVE] || v->lazy[JW_SELECTED_JIT]
                           ? "nothing that it registers"
                           : "nothing in it";

    if (strcmp(file->format, "ptx") == 0)
        error = "error 218, \"a PTX JIT compilation failed\"";
    if (strcmp(file->format, "cubin") == 0)
        error = "error 300, \"device kernel image is invalid\"";
    jw_say(out, "%s runs on this GPU: ", what);
    if (oldest > sm)
        jw_say(out, "the oldest code is for sm_%u", oldest);
    else
        jw_say(out, "%s",
               ptx ? "its PTX is for other GPUs"
                   : "there is only machine code of other GPUs, no PTX");
    jw_say(out, " (%s)", error);
}

static const char *why_nothing(const struct jw_scan_verdict *v, const struct jw_scan_file *file)
{
    if (!file->n_rows && file->ptx_pieces)
        return "only pieces of PTX, which it puts together while it runs";
    if (!file->n_rows)
        return "no CUDA code in it";
    if (v->needs_driver)
        return "for newer drivers: a library beside it is for this one";
    if (v->modules[JW_SELECTED_RDC])
        return "only inputs of the device linker, which no driver loads";
    if (v->modules[JW_SELECTED_NONE])
        return "for other GPUs: a file beside it is for this GPU";
    if (v->modules[JW_SELECTED_LTO])
        return "only code for nvJitLink, which a library links while it runs";
    return "only a linker's stub: nothing to run";
}

void jw_verdict_say(struct jw_buf *out, const struct jw_scan_verdict *v, uint16_t sm,
                    const struct jw_scan_file *file, const char *driver)
{
    if (v->refused) {
        jw_say(out, "%s", v->refused);
        return;
    }
    if (v->verdict == JW_VERDICT_NONE) {
        say_none(out, v, sm, file);
        return;
    }
    if (v->verdict == JW_VERDICT_NOTHING) {
        jw_say(out, "%s", why_nothing(v, file));
        return;
    }
    if (v->undriven)
        say_undriven(out, v, driver, sm);
    else if (v->verdict == JW_VERDICT_BLOCKED)
        say_too_new(out, v, driver);
    else if (v->verdict == JW_VERDICT_UNKNOWN)
        say_unknown(out, v, file);
    say_compiled(out, v);
    say_count(out, "pieces of PTX, which it puts together while it runs", file->ptx_pieces);
    say_count(out, "linked at each start", v->modules[JW_SELECTED_LINKED]);
    say_count(out, "compiled when the library asks for it", v->lazy[JW_SELECTED_JIT]);
    say_count(out, "machine code", v->modules[JW_SELECTED_NATIVE]);
    say_count(out, "machine code that the library loads on demand", v->lazy[JW_SELECTED_NATIVE]);
    say_count(out, "for other GPUs alone, which is usual", v->modules[JW_SELECTED_NONE]);
    say_count(out, "link-time code (LTO) for nvJitLink alone", v->modules[JW_SELECTED_LTO]);
}
