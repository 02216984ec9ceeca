#include "software/scan/verdict_words.h"

#include "base/path.h"
#include "facts/archs.h"
#include "facts/compile_time.h"
#include "software/find/vendor.h"

#include <string.h>

static struct jw_words modules(uint64_t n, uint64_t all)
{
    return jw_phrase("%s of %s modules", JW_NUM(n), JW_NUM(all));
}

/* "263 MiB of PTX, 4 to 36 minutes on one core"; less where programs load only the modules that they use. */
static struct jw_words cost_here(const struct jw_scan_verdict *v)
{
    return jw_phrase("%s of PTX%s", JW_SIZE(v->jit_ptx_bytes),
                     v->seconds > 0 ? JW_PHRASE(", %s%s on one core", v->on_use ? "for all of it " : "",
                                                jw_compile_span(v->seconds, v->slower).text)
                                    : "");
}

static uint64_t counted(const struct jw_scan_verdict *v)
{
    const uint64_t *n = v->modules;

    return n[JW_SELECTED_NATIVE] + n[JW_SELECTED_JIT] + n[JW_SELECTED_BLOCKED] + n[JW_SELECTED_NONE]
           + n[JW_SELECTED_LTO];
}

static void say_count(struct jw_buf *out, const char *what, uint64_t n)
{
    if (n)
        jw_say(out, "; %s: %s", what, JW_NUM(n));
}

/* Modules that no other part of the sentence is about. */
static void say_others(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    say_count(out, "for other GPUs alone, which is usual", v->modules[JW_SELECTED_NONE]);
    say_count(out, "link-time code (LTO) for nvJitLink alone", v->modules[JW_SELECTED_LTO]);
    say_count(out, "code of a form that this jitwarm does not know", v->modules[JW_SELECTED_UNKNOWN]);
    if (v->modules[JW_SELECTED_UNKNOWN])
        jw_buf_printf(out, " (the first at 0x%llx)", (unsigned long long)v->unknown_at);
}

static void say_needs(struct jw_buf *out, unsigned branch)
{
    if (branch)
        jw_say(out, ", needs %s", jw_driver_needed(branch).text);
}

static void say_undriven(struct jw_buf *out, const struct jw_scan_verdict *v, const char *driver, unsigned sm)
{
    const struct jw_arch_fact *arch = jw_arch_find(sm);

    jw_say(out, "driver %s does not drive this GPU", driver);
    say_needs(out, v->needs_driver);
    if (!v->needs_driver && arch && arch->last_branch)
        jw_say(out, "; %u is the last branch that does", arch->last_branch);
}

static void say_blocked(struct jw_buf *out, const struct jw_scan_verdict *v, const char *driver)
{
    static const char *const what[] = { [JW_NEED_CUDA_13] = "code of CUDA 13",
                                        [JW_NEED_TOOLKIT] = "machine code of CUDA",
                                        [JW_NEED_ISA] = "PTX of ISA",
                                        [JW_NEED_PACKING] = "code compressed with" };

    jw_say(out, "%s cannot be loaded by driver %s", modules(v->modules[JW_SELECTED_BLOCKED], counted(v)).text,
           driver);
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
    if (v->jit_ptx_bytes)
        jw_say(out, "; then %s", cost_here(v).text);
}

static void say_from(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    jw_say(out, " from ");
    for (size_t i = 0; i < v->n_from; i++)
        jw_say(out, "%s%s", jw_text_between(i, v->n_from), jw_arch_name("compute_", v->from[i]).text);
    jw_say(out, ": %s", cost_here(v).text);
    say_needs(out, v->needs_driver);
}

/* NVIDIA's own libraries choose by the GPU what they load, module by module; TensorFlow 2.8 to 2.10 has up to 1,883 modules
 * among its data. driver-fact: F106-embedded */
static void say_jit(struct jw_buf *out, const struct jw_scan_verdict *v, const struct jw_scan_file *file)
{
    jw_say(out, "%s %s", modules(v->modules[JW_SELECTED_JIT], counted(v)).text,
           v->embedded_jit == v->modules[JW_SELECTED_JIT] ? "are compiled when an operation first uses them,"
           : jw_is_vendor_file(jw_path_base(file->path))  ? "are compiled when a program uses them,"
                                                          : "must be compiled");
    say_from(out, v);
    say_others(out, v);
}

/* While a program starts, the driver compiles once and links each time. */
static void say_links(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    jw_say(out,
           "the driver links %s of %s inputs at each start; results without machine code for this GPU: %s",
           JW_NUM(v->inputs - v->inputs_missing), JW_NUM(v->inputs), JW_NUM(v->modules[JW_SELECTED_LINKED]));
    if (v->modules[JW_SELECTED_JIT]) {
        jw_say(out, "; at the first start it compiles %s",
               JW_N(v->modules[JW_SELECTED_JIT], "module", "modules"));
        say_from(out, v);
    }
    say_others(out, v);
    say_count(out, "inputs with nothing for it, so that a result that needs one fails (error 300)",
              v->inputs_missing);
}

static void say_native(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    jw_say(out, "machine code for %s", modules(v->modules[JW_SELECTED_NATIVE], counted(v)).text);
    say_others(out, v);
    say_needs(out, v->needs_driver);
}

static void say_lazy(struct jw_buf *out, const struct jw_scan_verdict *v)
{
    jw_say(out, "nothing is compiled at start");
    if (v->lazy[JW_SELECTED_JIT])
        jw_say(out, "; up to %s (%s of PTX) when the library asks for one",
               JW_N(v->lazy[JW_SELECTED_JIT], "module", "modules"), JW_SIZE(v->lazy_ptx_bytes));
    say_count(out, "too new for this driver, which refuses them", v->lazy[JW_SELECTED_BLOCKED]);
    say_needs(out, v->needs_driver);
}

/* Rows are by kind, then by architecture. */
void jw_holdings_say(struct jw_buf *out, const struct jw_scan_row *rows, size_t n)
{
    static const char *const what[] = { [JW_CODE_MACHINE] = "machine code for",
                                        [JW_CODE_PTX] = "PTX for",
                                        [JW_CODE_NVVM] = "linker code for",
                                        [JW_CODE_UNKNOWN] = "unknown code for" };
    const char *between = "";

    for (size_t i = 0; i < n;) {
        const enum jw_code_kind kind = rows[i].kind;
        const struct jw_scan_row *newest = &rows[i];

        jw_say(out, "%s%s", between, what[kind]);
        between = "; ";
        for (const char *last = ""; i < n && rows[i].kind == kind; last = rows[i++].arch) {
            if (strcmp(rows[i].arch, last) != 0)
                jw_say(out, " %s", rows[i].arch);
            if (rows[i].major > newest->major
                || (rows[i].major == newest->major && rows[i].minor > newest->minor))
                newest = &rows[i];
        }
        if (kind == JW_CODE_PTX)
            jw_say(out, " (ISA %u.%u)", newest->major, newest->minor);
    }
}

/* Explains why nothing runs: the GPU is older than all code, or of another kind. driver-fact: F101-newer-text */
static void say_none(struct jw_buf *out, const struct jw_scan_verdict *v, uint16_t sm,
                     const struct jw_scan_file *file)
{
    unsigned oldest = 0;
    bool ptx = false;

    for (size_t i = 0; i < file->n_rows; i++) {
        const struct jw_scan_row *row = &file->rows[i];

        ptx |= row->kind == JW_CODE_PTX;
        if (row->sm && (!oldest || row->sm < oldest))
            oldest = row->sm;
    }
    jw_say(out, "%s runs on this GPU, and nothing can be compiled for it: %s; programs fail with %s",
           v->lazy[JW_SELECTED_NATIVE] || v->lazy[JW_SELECTED_JIT] ? "nothing that it registers"
                                                                   : "nothing in it",
           oldest > sm ? JW_PHRASE("the oldest code is for sm_%u", oldest)
           : !ptx      ? "there is only machine code of other GPUs, no PTX"
                       : "its PTX is for other GPUs",
           strcmp(file->format, "ptx") == 0 ? "\"a PTX JIT compilation failed\" (error 218)"
                                            : "\"no kernel image is available\" (error 209)");
}

void jw_verdict_say(struct jw_buf *out, const struct jw_scan_verdict *v, uint16_t sm,
                    const struct jw_scan_file *file, const char *driver)
{
    switch (v->verdict) {
    case JW_VERDICT_BLOCKED:
        driver = driver ? driver : "here";
        if (v->undriven)
            say_undriven(out, v, driver, sm);
        else if (!v->modules[JW_SELECTED_BLOCKED])
            say_lazy(out, v);
        else
            say_blocked(out, v, driver);
        break;
    case JW_VERDICT_LINKS: say_links(out, v); break;
    case JW_VERDICT_JIT: say_jit(out, v, file); break;
    case JW_VERDICT_NATIVE: say_native(out, v); break;
    case JW_VERDICT_UNKNOWN:
        jw_say(out, "not known: %s",
               v->modules[JW_SELECTED_UNKNOWN]
                   ? "newer CUDA toolkits write this code; a driver that knows it may compile it"
                   : "it is damaged");
        say_others(out, v);
        break;
    case JW_VERDICT_LAZY: say_lazy(out, v); break;
    case JW_VERDICT_RDC:
        jw_say(out, "only inputs of the device linker, which no driver loads by themselves (%s)",
               JW_N(v->modules[JW_SELECTED_RDC], "module", "modules"));
        break;
    case JW_VERDICT_NONE: say_none(out, v, sm, file); break;
    case JW_VERDICT_NOTHING:
        jw_say(out,
               file->ptx_pieces && !file->n_rows ? "only pieces of PTX, which it puts together while it runs"
               : !file->n_rows                   ? "no CUDA code in it"
               : v->modules[JW_SELECTED_NONE]    ? "for other GPUs: a file beside it is for this GPU"
               : v->lazy[JW_SELECTED_NATIVE]
                   ? "nothing is loaded at start: the library loads its machine code on demand"
               : v->modules[JW_SELECTED_LTO] ? "only code for nvJitLink, which a library links while it runs"
                                             : "only a linker's stub: nothing to run");
        break;
    default: break;
    }
}
