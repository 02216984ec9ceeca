#include "base/limits.h"
#include "base/text.h"
#include "cli/page.h"
#include "cli/table.h"
#include "doctor/command/doctor_view.h"
#include "pack/kit/kit.h"

#include <stdio.h>
#include <string.h>

enum { LABEL = 12 };

static void show_driver(struct jw_page *p, const struct doctor_view *v)
{
    const struct jw_worker_driver *d = &v->machine->probe.driver;
    const char *stamp = v->machine->probe.state.stamp, *version = jw_doctor_version(v->machine);
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!d->library) {
        jw_page_say(p, TINT_STRONG, "Driver", "%s",
                    v->machine->probe.broken ? "it did not survive its start" : "none was found");
        return;
    }
    jw_say(&text, "%s", version ? version : "unknown version");
    if (d->cuda_version)
        jw_say(&text, ", for CUDA up to %u.%u", d->cuda_version / 1000, d->cuda_version % 1000 / 10);
    jw_say(&text, "%s%s%s", d->wsl ? ", under WSL" : "", d->container ? ", in a container" : "",
           d->mps ? ", with MPS" : "");
    jw_page_line(p, TINT_STRONG, "Driver", &text);
    jw_page_whole(p, TINT_NONE, "", "%s", d->library);
    if (stamp && *jw_stamp_text(stamp).text)
        jw_say(&text, "built %s, ", jw_stamp_text(stamp).text);
    jw_say(&text, "build id %s", d->build && *d->build ? d->build : "unknown");
    if (p->columns && LABEL + text.n > p->columns)
        jw_page_say(p, TINT_NONE, "", "%s", jw_buf_cstr(&text));
    else
        jw_page_whole(p, TINT_NONE, "", "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* "8 GiB", "7.6 GiB" */
static void say_memory(struct jw_buf *text, uint64_t bytes)
{
    uint64_t tenths = (bytes / 1024 * 10 + (1 << 19)) >> 20;

    jw_say(text, "%llu", (unsigned long long)(tenths / 10));
    if (tenths % 10)
        jw_say(text, ".%llu", (unsigned long long)(tenths % 10));
    jw_say(text, " GiB");
}

static void show_devices(struct jw_page *p, const struct doctor_view *v)
{
    char label[16];

    for (size_t i = 0; i < v->machine->probe.n_devices; i++) {
        const struct jw_device *d = &v->machine->probe.devices[i];

        (void)snprintf(label, sizeof label, "GPU %u", d->index);
        jw_page_say(p, TINT_STRONG, label, "%s, sm_%u, %s%s%s%s%s", d->name, d->sm,
                    jw_words(say_memory, d->memory).text, d->mig ? ", a MIG slice" : "",
                    d->compute_mode == JW_COMPUTE_EXCLUSIVE ? ", exclusive to one process" : "",
                    d->compute_mode == JW_COMPUTE_PROHIBITED ? ", closed for computing" : "",
                    d->integrated ? ", integrated" : "");
        if (*d->uuid) /* drivers before 410 tell none */
            jw_page_whole(p, TINT_NONE, "", "%s", d->uuid);
    }
}

/* GPUs on the bus, if the driver shows none. */
static void show_plugged_in(struct jw_page *p, const struct doctor_view *v)
{
    if (!jw_doctor_sees_gpus(v->machine))
        jw_page_rows(p, TINT_STRONG, doctor_plugged_rows, &v->machine->host);
}

static void show_knowledge(struct jw_page *p, const struct doctor_view *v)
{
    const struct jw_probe_report *probe = &v->machine->probe;
    const struct jw_driver_state *s = &probe->state;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!jw_doctor_sees_gpus(v->machine))
        return;
    if (s->level == JW_LEVEL_NONE)
        jw_say(&text, "%s", probe->unproven ? "not known yet" : "not at all");
    else
        jw_say(&text, "%s%d of 3 steps proven", probe->unproven ? "at least " : "", (int)s->level);
    if (!probe->unproven && s->level != JW_LEVEL_NONE)
        jw_say(&text, "%s", probe->proven_now ? " now" : " before (--probe proves them again)");
    jw_page_line(p, s->level >= JW_LEVEL_PLACEABLE ? TINT_GOOD : TINT_WARN, "Probe", &text);
    for (size_t i = 0; i < s->n_evidence && v->evidence; i++)
        jw_page_say(p, TINT_NONE, "", "- %s", s->evidence[i]);
    if (s->level >= 0)
        jw_page_rows(p, TINT_STRONG, doctor_allows_rows, s);
}

static void show_cache_folder(struct jw_page *p, const struct doctor_view *v)
{
    const struct jw_status_report *r = v->machine->cache;

    jw_page_rows(p, TINT_STRONG, doctor_root_rows, r);
    if (r->dir.root && !r->list.found)
        jw_page_say(p, TINT_NONE, "", "%s",
                    r->primed.emptied ? "not there any more"
                                      : "not there yet: no program has cached code in it");
    else if (r->dir.root)
        jw_page_say(p, TINT_NONE, "", "%s in %s; the limit is %s", JW_SIZE(r->used),
                    JW_N(r->files.entries, "entry", "entries"),
                    r->dir.limit_known        ? JW_SIZE(r->dir.limit)
                    : r->dir.limit_from.value ? "not clear"
                                              : "the driver's default");
}

/* Caches of other compilers. */
static void show_others(struct jw_page *p, const struct jw_status_report *r, struct jw_arena *a)
{
    const char *words = jw_kit_words(r->kits, r->n_kits, a);

    if (*words)
        jw_page_say(p, TINT_STRONG, "Others", "%s", words);
}

/* ---- the software ---- */

static enum jw_tint tint_of_verdict(enum jw_software_verdict v)
{
    if (v == JW_SOFTWARE_NATIVE || v == JW_SOFTWARE_WARM)
        return TINT_GOOD;
    if (v == JW_SOFTWARE_UNKNOWN)
        return TINT_FAINT;
    return v == JW_SOFTWARE_JIT_FIRST || v == JW_SOFTWARE_JIT_EVERY ? TINT_WARN : TINT_BAD;
}

static void gpu_text(char out[128], const struct jw_gpu *gpu)
{
    const char *name = gpu->name;

    if (jw_text_starts(name, "NVIDIA "))
        name += 7;
    (void)snprintf(out, 128, "%s%s%u.%u%s", name, *name ? " (" : "", (unsigned)gpu->sm / 10,
                   (unsigned)gpu->sm % 10, *name ? ")" : "");
}

static const char *what_happens(enum jw_software_verdict v, enum jw_uncached every)
{
    return v == JW_SOFTWARE_JIT_EVERY && every == JW_CACHE_GONE ? "compiled in each new container"
                                                                : jw_software_verdict_text(v);
}

static void add_rows(struct jw_table *t, const struct doctor_answer *a, size_t i, struct jw_findings *scratch)
{
    const struct jw_software_case *c = &a->c;

    for (size_t k = 0; k < c->n_gpus; k++) {
        const struct jw_software_check *check = &a->checks[i * c->n_gpus + k];
        enum jw_software_verdict v = check->verdict, code = check->code;
        bool then = v == JW_SOFTWARE_LIBS_MISSING && code != JW_SOFTWARE_UNKNOWN;
        const char *word = jw_software_verdict_name(v), *from = a->software[i].code[k].from;
        char gpu[128];

        gpu_text(gpu, &c->gpus[k]);
        jw_table_cell(t, TINT_STRONG, k ? "" : jw_software_name(&a->software[i], scratch));
        jw_table_cell(t, TINT_NONE, gpu);
        jw_table_cell(t, tint_of_verdict(v), word ? word : "-");
        if (then)
            jw_table_cellf(t, TINT_NONE, "no CUDA libraries; then %s", what_happens(code, check->every));
        else
            jw_table_cellf(t, TINT_NONE, "%s%s%s%s", what_happens(v, check->every), *from ? " (" : "", from,
                           *from ? ")" : "");
    }
}

static bool show_software(struct cli *cli, const struct doctor_answer *a, struct jw_err *err)
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

/* ---- findings ---- */

static void show_part(struct jw_page *p, const char *label, const char *text)
{
    if (text)
        jw_page_say(p, TINT_FAINT, label, "%s", text);
}

static void show_finding(struct jw_page *p, const struct jw_finding *f, bool first)
{
    static const struct {
        const char *label;
        enum jw_tint tint;
    } severities[] = { { "Note", TINT_FAINT }, { "Warning", TINT_WARN }, { "Problem", TINT_BAD } };

    if (!first)
        jw_page_put(p, "\n");
    jw_page_say(p, severities[f->severity].tint, severities[f->severity].label, "%s [%s]", f->text, f->id);
    show_part(p, "  Seen", f->evidence);
    show_part(p, "  So", f->consequence);
    show_part(p, "  Do", f->fix ? f->fix : f->command ? "run this:" : NULL);
    if (f->command)
        jw_page_whole(p, TINT_NONE, "", "%s", f->command);
}

/* "1 problem, 2 warnings, 1 note" */
static struct jw_words counts_words(const unsigned n[JW_PROBLEM + 1])
{
    static const char *const nouns[] = { "note", "warning", "problem" };
    struct jw_words all = { "" };

    for (int s = JW_PROBLEM; s >= JW_NOTE; s--)
        if (n[s])
            all = jw_phrase("%s%s%u %s%s", all.text, all.text[0] ? ", " : "", n[s], nouns[s],
                            n[s] == 1 ? "" : "s");
    return all;
}

/* True if software was named, and no verdict on it was possible. */
static bool nothing_known(const struct doctor_view *v)
{
    const struct doctor_answer *a = v->answer;

    for (size_t i = 0; i < a->n * a->c.n_gpus; i++)
        if (a->checks[i].verdict != JW_SOFTWARE_UNKNOWN)
            return false;
    return !v->machine && a->n && a->c.n_gpus;
}

static void show_total(struct jw_page *p, const struct doctor_view *v, bool verbose)
{
    unsigned n[JW_PROBLEM + 1] = { 0 };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool first = !v->machine && !v->answer->n;

    for (size_t i = 0; i < v->findings->n; i++)
        if (doctor_is_shown(v, &v->findings->v[i])) {
            n[v->findings->v[i].severity]++;
            show_finding(p, &v->findings->v[i], first);
            first = false;
        }
    jw_page_put(p, "\n");
    if (verbose || (!n[JW_WARNING] && !n[JW_PROBLEM]))
        jw_page_rows(p, TINT_STRONG, doctor_checked_rows, v->checked);
    for (size_t i = 0; i < v->ignored->n; i++)
        jw_say(&text, "%s%s", i ? ", " : "", v->ignored->items[i]);
    jw_page_line(p, TINT_STRONG, "Ignored", &text);
    if (n[JW_WARNING] || n[JW_PROBLEM])
        jw_page_say(p, n[JW_PROBLEM] ? TINT_BAD : TINT_WARN, "Verdict", "%s", counts_words(n).text);
    else
        jw_page_say(p, TINT_GOOD, "Verdict", "%s%s",
                    v->machine         ? "nothing is wrong"
                    : nothing_known(v) ? "not known"
                                       : "nothing wrong was found",
                    n[JW_NOTE] ? JW_PHRASE(" (%s above)", counts_words(n).text) : "");
}

bool doctor_write_text(struct cli *cli, const struct doctor_view *v, struct jw_err *err)
{
    const struct doctor_todo todo = doctor_todo(v);
    struct jw_page p;

    jw_page_open(&p, cli, LABEL, err);
    if (v->machine) {
        show_driver(&p, v);
        show_devices(&p, v);
        show_plugged_in(&p, v);
        show_knowledge(&p, v);
        show_cache_folder(&p, v);
        show_others(&p, v->machine->cache, cli->arena);
    }
    if (p.bad || !show_software(cli, v->answer, err))
        return false;
    show_total(&p, v, cli->common.verbose);
    if (v->settings.n)
        doctor_show_settings(cli, &p, &v->settings);
    jw_page_end(&p, v->machine ? v->machine->probe.state.stamp : NULL);
    if (todo.when)
        jw_page_say(&p, TINT_NONE, "When", "%s:", todo.when);
    jw_page_whole(&p, TINT_STRONG, "To do", "%s", todo.command);
    return !p.bad;
}
