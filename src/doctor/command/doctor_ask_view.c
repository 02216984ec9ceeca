#include "base/json_write.h"
#include "base/text.h"
#include "cli/table.h"
#include "doctor/command/doctor_ask.h"

#include <stdio.h>
#include <string.h>

/* ---- JSON ---- */

static void write_library(struct jw_json *j, const char *name, const struct jw_library *l)
{
    char text[16];

    (void)snprintf(text, sizeof text, "%u.%u", l->version / 100, l->version % 100);
    jw_json_text(j, name,
                 l->presence == JW_PRESENCE_UNKNOWN ? NULL
                 : l->presence == JW_PRESENCE_NONE  ? "none"
                                                    : text);
}

static const char *system_name(enum jw_case_system s)
{
    static const char *const names[] = { "linux", "windows", "wsl" };

    return names[s];
}

void doctor_json_asked(struct jw_json *j, const struct doctor_answer *a)
{
    const struct jw_case *c = &a->c;
    char sm[16];

    if (!a->asked)
        return;
    jw_json_object(j, "asked");
    jw_json_text(j, "os", system_name(c->system));
    jw_json_text(j, "arch", c->aarch64 ? "aarch64" : "x86_64");
    jw_json_text(j, "driver", c->driver);
    jw_json_text(j, "python", c->python);
    write_library(j, "cuda", &c->cuda);
    write_library(j, "cudnn", &c->cudnn);
    jw_json_bool(j, "container", c->container);
    jw_json_array(j, "gpus");
    for (size_t i = 0; i < c->n_gpus; i++) {
        (void)snprintf(sm, sizeof sm, "sm_%u", c->gpus[i].sm);
        jw_json_object(j, NULL);
        jw_json_text(j, "gpu", sm);
        jw_json_text(j, "name", c->gpus[i].name[0] ? c->gpus[i].name : NULL);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_close(j);
}

static void write_verdict(struct jw_json *j, const struct jw_gpu *gpu, const struct jw_judgement *v,
                          const struct jw_gpu_code *code)
{
    static const char *const reasons[] = { "code",   "unknown", "variant", "system",  "python",
                                           "hidden", "dropped", "gpu",     "toolkit", "switched-off",
                                           "forced", "packed",  "unasked" };
    char sm[16];

    (void)snprintf(sm, sizeof sm, "sm_%u", gpu->sm);
    jw_json_object(j, NULL);
    jw_json_text(j, "gpu", sm);
    jw_json_text(j, "name", gpu->name[0] ? gpu->name : NULL);
    jw_json_text(j, "verdict", jw_word_name(v->word));
    jw_json_text(j, "also", jw_word_name(v->also));
    jw_json_text(j, "from", v->from[0] ? v->from : NULL);
    jw_json_text(j, "because", reasons[v->reason]);
    jw_json_text(j, "certainty",
                 v->word == JW_WORD_JIT_EVERY || v->also == JW_WORD_JIT_EVERY
                     ? jw_certainty_name(v->certainty)
                     : NULL);
    jw_json_bool(j, "known_to_fail", v->known_to_fail);
    jw_json_number(j, "jit", code->jit);
    jw_json_number(j, "warm", code->warm);
    jw_json_maybe(j, "jit_ptx_bytes", code->ptx_bytes, code->ptx_bytes);
    jw_json_close(j);
}

static void write_list(struct jw_json *j, const char *name, const char *prefix, const char *list)
{
    jw_json_array(j, name);
    while (*list) {
        char text[24];
        int n = (int)strcspn(list, " ");

        (void)snprintf(text, sizeof text, "%s%.*s", prefix, n, list);
        jw_json_text(j, NULL, text);
        list += n;
        list += *list == ' ';
    }
    jw_json_close(j);
}

static void write_software(struct jw_json *j, const struct doctor_answer *a, size_t i,
                           struct jw_findings *scratch)
{
    const struct jw_software *s = &a->software[i];
    bool table = s->has_build && !s->from_files;

    jw_json_object(j, NULL);
    jw_json_text(j, "framework", s->framework == JW_NO_FRAMEWORK ? NULL : s->about.name);
    jw_json_text(j, "name", s->title);
    jw_json_text(j, "version", *s->version ? s->version : NULL);
    jw_json_text(j, "variant", s->variant && *s->variant ? s->variant : NULL);
    jw_json_text(j, "known_from",
                 s->from_files     ? "files"
                 : s->toolkit_only ? "toolkit"
                 : table           ? "table"
                                   : "nothing");
    jw_json_text(j, "confidence", s->from_files ? "certain" : jw_confidence_name(s->sure));
    jw_json_text(j, "known_by", jw_software_known(s, scratch));
    jw_json_text(j, "measured", table && *s->build.measured ? s->build.measured : NULL);
    jw_json_text(j, "source", table && *s->build.source ? s->build.source : NULL);
    jw_json_text(j, "path", s->from_files ? s->path : NULL);
    write_list(j, "sass", "sm_", table ? s->build.sass : "");
    write_list(j, "ptx", "compute_", table ? s->build.ptx : "");
    jw_json_array(j, "verdicts");
    for (size_t k = 0; k < a->c.n_gpus; k++)
        write_verdict(j, &a->c.gpus[k], &a->judgements[i * a->c.n_gpus + k], &s->code[k]);
    jw_json_close(j);
    jw_json_close(j);
}

static void write_log(struct jw_json *j, const struct doctor_answer *a)
{
    const struct jw_log *log = a->log;

    if (!log)
        return;
    jw_json_object(j, "log");
    jw_json_text(j, "path", a->log_path);
    jw_json_number(j, "lines", log->lines);
    jw_json_maybe(j, "gap_milliseconds", log->gap.seconds > 0, (uint64_t)(log->gap.seconds * 1000 + 0.5));
    jw_json_number(j, "gap_line", log->gap.line);
    jw_json_close(j);
}

void doctor_json_frameworks(struct jw_json *j, const struct doctor_answer *a, struct jw_arena *arena)
{
    struct jw_findings scratch = JW_FINDINGS(arena);

    write_log(j, a);
    jw_json_array(j, "frameworks");
    for (size_t i = 0; i < a->n; i++)
        write_software(j, a, i, &scratch);
    jw_json_close(j);
}

/* ---- text ---- */

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
