#include "base/text.h"
#include "cli/table.h"
#include "doctor/command/doctor_ask.h"

#include <stdio.h>
#include <string.h>

const char *doctor_what_happens(const struct jw_judgement *v)
{
    static const char *const reasons[] = { "",
                                           "content not known",
                                           "no such build",
                                           "no build for it is known",
                                           "not for this Python",
                                           "no GPU is visible",
                                           "the driver no longer supports it",
                                           "",
                                           "",
                                           "",
                                           "",
                                           "needs a newer driver",
                                           "nothing was named" };

    if (v->known_to_fail && v->word == JW_WORD_JIT_FIRST)
        return "compiling is known to fail";
    switch (v->word) {
    case JW_WORD_NATIVE: return "starts at once";
    case JW_WORD_WARM: return "in the cache";
    case JW_WORD_JIT_FIRST: return "compiled at the first start";
    case JW_WORD_JIT_EVERY: return "compiled at every start";
    case JW_WORD_NO_KERNEL: return "does not run";
    case JW_WORD_DRIVER_OLD: return "needs a newer driver";
    case JW_WORD_PTX_TOO_NEW: return "needs a newer driver";
    case JW_WORD_CPU_BUILD: return "runs on the CPU";
    case JW_WORD_LIBS_MISSING: return "CUDA libraries are missing";
    case JW_WORD_WRONG_RESULT_RISK: return "results may be wrong";
    default: return reasons[v->reason];
    }
}

static enum jw_tint tint_of(enum jw_word w)
{
    if (w == JW_WORD_NATIVE || w == JW_WORD_WARM)
        return TINT_GOOD;
    if (w == JW_WORD_NONE)
        return TINT_FAINT;
    return w == JW_WORD_JIT_FIRST || w == JW_WORD_JIT_EVERY ? TINT_WARN : TINT_BAD;
}

static void gpu_text(char out[128], const struct jw_gpu *gpu)
{
    const char *name = gpu->name;

    if (jw_text_starts(name, "NVIDIA "))
        name += 7;
    (void)snprintf(out, 128, "%s%s%u.%u%s", name, *name ? " (" : "", (unsigned)gpu->sm / 10,
                   (unsigned)gpu->sm % 10, *name ? ")" : "");
}

static void add_rows(struct jw_table *t, const struct doctor_answer *a, size_t i, struct jw_findings *scratch)
{
    const struct jw_case *c = &a->c;

    for (size_t k = 0; k < c->n_gpus; k++) {
        const struct jw_judgement *v = &a->judgements[i * c->n_gpus + k];
        char gpu[128];

        gpu_text(gpu, &c->gpus[k]);
        jw_table_cell(t, TINT_STRONG, k ? "" : jw_software_name(&a->software[i], scratch));
        jw_table_cell(t, TINT_NONE, gpu);
        jw_table_cell(t, tint_of(v->word), v->word == JW_WORD_NONE ? "-" : jw_word_name(v->word));
        jw_table_cellf(t, TINT_NONE, "%s%s%s%s", doctor_what_happens(v),
                       *v->from && v->word != JW_WORD_NO_KERNEL ? " (" : "",
                       v->word != JW_WORD_NO_KERNEL ? v->from : "",
                       *v->from && v->word != JW_WORD_NO_KERNEL ? ")" : "");
    }
}

bool doctor_text_frameworks(struct cli *cli, const struct doctor_answer *a, struct jw_err *err)
{
    static const struct jw_column columns[] = { { "SOFTWARE", COLUMN_LEFT },
                                                { "GPU", COLUMN_GPU },
                                                { "VERDICT", COLUMN_LEFT },
                                                { "WHAT HAPPENS", COLUMN_LEFT } };
    struct jw_findings scratch = JW_FINDINGS(cli->arena);
    struct jw_table t;

    if (a->n == 0 || a->c.n_gpus == 0)
        return true;
    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < a->n; i++)
        add_rows(&t, a, i, &scratch);
    return jw_table_print(&t, cli->out.paint, cli->out.columns, jw_output_sink(&cli->out), err);
}
