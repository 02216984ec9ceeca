#include "doctor/doctor_framework.h"
#include "facts/archs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- from files ---- */

void jw_gpu_code_add(struct jw_gpu_code *code, const struct jw_scan_verdict *v)
{
    bool compiled = v->jit || v->warm || v->blocked;

    code->native += v->native;
    code->jit += v->jit;
    code->warm += v->warm;
    code->blocked += v->blocked;
    code->none += jw_scan_unusable(v) ? v->none + v->lazy_none : 0;
    code->ptx_bytes += compiled ? v->jit_ptx_bytes : 0;
    if (v->n_from && compiled
        && (!*code->from || v->isa_major > code->isa_major
            || (v->isa_major == code->isa_major && v->isa_minor > code->isa_minor)))
        (void)snprintf(code->from, sizeof code->from, "%.23s", v->from[0]);
    if (v->isa_major > code->isa_major
        || (v->isa_major == code->isa_major && v->isa_minor > code->isa_minor)) {
        code->isa_major = v->isa_major;
        code->isa_minor = v->isa_minor;
    }
    code->packed |= v->blocked && v->needs_zstd;
    if (v->blocked && v->needs_driver)
        code->needs_driver = v->needs_driver;
}

/* ---- a build of the table ---- */

/* The toolkit that is installed, where it matters to the build: not to one that brings its libraries along. */
static unsigned installed(const struct jw_case *c, const struct jw_software *s)
{
    return s->about.libs != JW_LIBS_INSIDE && c->cuda.presence == JW_PRESENCE_VERSION ? c->cuda.version : 0;
}

/* The toolkit that it was built with, as far as the question says: +cu118, else the oldest that it may be. */
static unsigned built_with(unsigned here, const struct jw_framework_spec *s,
                           const struct jw_framework_build *b)
{
    if (s->tag && s->tag % 100 != 99)
        return s->tag;
    if (s->tag && b->cuda_low < s->tag / 100 * 100)
        return s->tag / 100 * 100;
    if (here && b->cuda_low <= here && here <= b->cuda_high)
        return here;
    return b->cuda_low;
}

/* Only a build that was scanned itself is judged with confidence. */
static enum jw_confidence sure_of(const struct jw_framework_spec *s, enum jw_framework_match m,
                                  const struct jw_framework_build *b)
{
    if (!*b->code)
        return JW_UNSURE;
    if (m == JW_MATCH_EXACT)
        return s->guessed ? JW_FAIRLY_SURE : JW_SURE;
    return m == JW_MATCH_AGREED ? JW_FAIRLY_SURE : JW_UNSURE;
}

/* Everything that a toolkit can compile for: what a program of it holds at best. */
static void lists_of_toolkit(const struct jw_cuda_release *t, char sass[256], char ptx[16])
{
    const struct jw_arch_fact *arch;
    size_t n = 0;

    for (size_t i = 0; (arch = jw_arch_at(i)); i++)
        if (arch->sm >= t->oldest && arch->sm <= t->newest && arch->first_branch && n < 240)
            n += (size_t)snprintf(sass + n, 256 - n, "%s%u", n ? " " : "", arch->sm);
    (void)snprintf(ptx, 16, "%u", t->newest);
}

static void of_toolkit(const struct jw_case *c, struct jw_software *out, struct jw_gpu_code *code)
{
    char sass[256] = "", ptx[16] = "";
    struct jw_cuda_release t;

    out->toolkit_only = true;
    out->title = "any CUDA program";
    out->sure = JW_SURE;
    if (c->cuda.presence != JW_PRESENCE_VERSION || !jw_cuda_release_find(c->cuda.version, &t))
        return;
    out->cuda = c->cuda.version;
    out->sure = JW_UNSURE;
    lists_of_toolkit(&t, sass, ptx);
    for (size_t i = 0; i < c->n_gpus; i++)
        code[i] = jw_gpu_code_of_lists(sass, ptx, out->cuda, c->gpus[i].sm, c->driver, jw_case_forced(c));
}

/* What is said of a GPU if the software is this build; its code is left in place. */
static struct jw_judgement as_build(const struct jw_case *c, struct jw_software s,
                                    const struct jw_framework_build *b, struct jw_gpu_code *code, size_t gpu)
{
    s.match = JW_MATCH_EXACT;
    s.has_build = true;
    s.build = *b;
    s.cuda = built_with(installed(c, &s), &s.spec, b);
    code[gpu] = jw_gpu_code_of_build(b, c->gpus[gpu].sm, c->driver, jw_case_forced(c));
    return jw_judge(c, &s, gpu);
}

/* Judges a version that was not scanned if the scanned ones before and after it get the same verdict; else false. */
static bool neighbours_agree(const struct jw_case *c, struct jw_software *out, struct jw_gpu_code *code)
{
    struct jw_framework_build before, after;
    bool scanned = out->match == JW_MATCH_EXACT && *out->build.code;
    size_t agreed = 0;

    if (scanned
        || (out->match != JW_MATCH_EXACT && out->match != JW_MATCH_NEAR && out->match != JW_MATCH_BETWEEN)
        || !out->spec.parts || out->spec.dated
        || !jw_framework_neighbour(&out->spec, jw_case_os(c), false, &before)
        || !jw_framework_neighbour(&out->spec, jw_case_os(c), true, &after))
        return false;
    /* Below 1.0 each minor version is a new series: 0.7 may differ from both 0.6 and 0.8. */
    if (out->spec.number[0] == 0 && before.low[1] != out->spec.number[1]
        && after.low[1] != out->spec.number[1])
        return false;
    for (size_t i = 0; i < c->n_gpus; i++) {
        struct jw_judgement a = as_build(c, *out, &after, code, i), b = as_build(c, *out, &before, code, i);

        code[i].apart = a.word != b.word || a.reason != b.reason || strcmp(a.from, b.from) != 0;
        agreed += !code[i].apart;
    }
    out->build = agreed ? before : out->build;
    return agreed > 0;
}

/* `newest_text` is set when no version was asked for. */
static void of_build(const struct jw_case *c, const struct jw_framework_spec *spec, struct jw_software *out,
                     struct jw_gpu_code *code, char newest_text[24])
{
    const struct jw_framework_build *b = &out->build;

    out->match = jw_framework_pick(spec, jw_case_os(c), installed(c, out), &out->build);
    out->has_build = out->match != JW_MATCH_NONE;
    if (!out->has_build)
        return;
    if (neighbours_agree(c, out, code))
        out->match = JW_MATCH_AGREED;
    else
        for (size_t i = 0; i < c->n_gpus; i++)
            code[i] = jw_gpu_code_of_build(b, c->gpus[i].sm, c->driver, jw_case_forced(c));
    out->sure = sure_of(spec, out->match, b);
    out->cuda = built_with(installed(c, out), spec, b);
    if (spec->parts == 0) {
        const uint16_t *newest = b->high[0] == 0xffff ? b->low : b->high;

        memcpy(out->spec.number, newest, sizeof out->spec.number);
        jw_version_text(b, newest, newest == b->high ? b->parts : 2, newest_text);
    }
}

void jw_software_of_table(const struct jw_case *c, const struct jw_framework_spec *spec, struct jw_arena *a,
                          struct jw_software *out)
{
    struct jw_gpu_code *code = jw_arena_alloc(a, (c->n_gpus + 1) * sizeof *code);
    char newest[24] = "";

    *out = (struct jw_software){ .framework = JW_NO_FRAMEWORK,
                                 .about = JW_FRAMEWORK_UNKNOWN,
                                 .build = jw_no_framework_build,
                                 .title = "",
                                 .version = "",
                                 .variant = "",
                                 .sure = JW_UNSURE };
    out->code = code;
    if (!spec) {
        of_toolkit(c, out, code);
        return;
    }
    out->spec = *spec;
    out->framework = spec->framework;
    out->cpu = spec->cpu;
    (void)jw_framework_at(spec->framework, &out->about);
    out->title = out->about.title;
    of_build(c, spec, out, code, newest);
    out->version = jw_arena_str(a, spec->parts ? spec->version : newest);
    out->variant = jw_arena_str(a, spec->variant);
}

void jw_software_of_message(const struct jw_case *c, const char *sass, const char *ptx, struct jw_software *s)
{
    unsigned long oldest = strtoul(sass, NULL, 10);

    s->by_message = s->has_build = true;
    s->match = JW_MATCH_EXACT;
    s->sure = JW_SURE;
    s->build.sass = sass;
    s->build.ptx = ptx;
    s->build.code = "";
    for (size_t i = 0; i < c->n_gpus; i++)
        s->code[i] = jw_gpu_code_of_lists(sass, ptx, s->cuda, c->gpus[i].sm, c->driver, jw_case_forced(c));
    if (s->spec.parts)
        return;
    /* For an unknown version: newer ones help a new GPU, older ones an old GPU. */
    memset(s->spec.number, c->n_gpus && c->gpus[0].sm < oldest ? 0x7f : 0, sizeof s->spec.number);
    s->version = "";
    s->build.python = s->build.cudnn = "";
    s->cuda = 0;
}
