#include "base/limits.h"
#include "base/text.h"
#include "cli/help.h"
#include "doctor/command/doctor_view.h"

#include <stdio.h>
#include <string.h>

enum {
    LABEL = 12,
    DATE = 11 /* "Jan  7 2026" of a stamp */
};

/* "driver      580.126.09 ...", wrapped; an empty label continues the line before. */
static void line(struct cli *cli, const char *label, enum jw_tint tint, const char *text)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE), wrapped = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&clean, text);
    jw_help_wrap(&wrapped, jw_buf_cstr(&clean), LABEL, LABEL, cli->out.width);
    jw_output_printf(&cli->out, "%s%-*s%s%s", jw_paint_on(cli->out.paint, tint), LABEL, label,
                     jw_paint_off(cli->out.paint, tint), jw_buf_cstr(&wrapped));
    jw_buf_free(&clean);
    jw_buf_free(&wrapped);
}

/* A path behind its label, never wrapped. */
static void whole_label(struct cli *cli, const char *label, const char *text)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&clean, text);
    jw_output_printf(&cli->out, "%s%-*s%s%s\n", jw_paint_on(cli->out.paint, TINT_STRONG), LABEL, label,
                     jw_paint_off(cli->out.paint, TINT_STRONG), jw_buf_cstr(&clean));
    jw_buf_free(&clean);
}

/* Text to copy: not wrapped. */
static void whole_line(struct cli *cli, const char *text)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&clean, text);
    jw_output_printf(&cli->out, "%-*s%s\n", LABEL, "", jw_buf_cstr(&clean));
    jw_buf_free(&clean);
}

static void show_driver(struct cli *cli, const struct doctor_view *v)
{
    const struct jw_worker_driver *d = &v->machine->probe.driver;
    const char *stamp = v->machine->probe.state.stamp;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!d->library) {
        line(cli, "driver", TINT_STRONG,
             v->machine->probe.broken ? "it did not survive its start" : "none was found");
        return;
    }
    jw_buf_text(&text, jw_doctor_version(v->machine) ? jw_doctor_version(v->machine) : "unknown version");
    if (d->cuda_version)
        jw_buf_printf(&text, ", for CUDA up to %u.%u", d->cuda_version / 1000, d->cuda_version % 1000 / 10);
    if (d->wsl)
        jw_buf_text(&text, ", under WSL");
    if (d->container)
        jw_buf_text(&text, ", in a container");
    if (d->mps)
        jw_buf_text(&text, ", with MPS");
    line(cli, "driver", TINT_STRONG, jw_buf_cstr(&text));
    if (!v->portable)
        whole_line(cli, doctor_say(v, d->library));
    jw_buf_clear(&text);
    if (stamp && strlen(stamp) > DATE)
        jw_buf_printf(&text, "built %.*s %s, ", DATE, stamp, stamp + DATE);
    jw_buf_printf(&text, "build id %s", d->build && *d->build ? d->build : "unknown");
    if (cli->out.columns && LABEL + text.n > cli->out.columns)
        line(cli, "", TINT_NONE, jw_buf_cstr(&text));
    else
        whole_line(cli, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* "8 GiB", "7.6 GiB" */
static void say_memory(struct jw_buf *text, uint64_t bytes)
{
    uint64_t tenths = (bytes / 1024 * 10 + (1 << 19)) >> 20;

    if (tenths % 10)
        jw_buf_printf(text, "%llu.%llu GiB", (unsigned long long)(tenths / 10),
                      (unsigned long long)(tenths % 10));
    else
        jw_buf_printf(text, "%llu GiB", (unsigned long long)(tenths / 10));
}

static void show_devices(struct cli *cli, const struct doctor_view *v)
{
    enum { PROHIBITED = 2, EXCLUSIVE = 3 };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    char label[16];

    for (size_t i = 0; i < v->machine->probe.n_devices; i++) {
        const struct jw_worker_device *d = &v->machine->probe.devices[i];

        (void)snprintf(label, sizeof label, "GPU %u", d->index);
        jw_buf_clear(&text);
        jw_buf_printf(&text, "%s, sm_%u, ", d->name, d->sm);
        say_memory(&text, d->memory);
        jw_buf_printf(&text, "%s%s%s%s", d->mig ? ", a MIG slice" : "",
                      d->compute_mode == EXCLUSIVE ? ", exclusive to one process" : "",
                      d->compute_mode == PROHIBITED ? ", closed for computing" : "",
                      d->integrated ? ", integrated" : "");
        line(cli, label, TINT_STRONG, jw_buf_cstr(&text));
        if (!v->portable)
            whole_line(cli, d->uuid);
    }
    jw_buf_free(&text);
}

/* GPUs on the bus, if the driver shows none. */
static void show_plugged_in(struct cli *cli, const struct doctor_view *v)
{
    for (size_t i = 0; i < v->machine->here.n && !jw_doctor_sees_gpus(v->machine); i++)
        line(cli, i ? "" : "plugged in", TINT_STRONG, v->machine->here.gpus[i].name);
}

static void show_knowledge(struct cli *cli, const struct doctor_view *v)
{
    const struct jw_driver_state *s = &v->machine->probe.state;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!jw_doctor_sees_gpus(v->machine))
        return;
    if (s->level == JW_LEVEL_NONE)
        jw_buf_text(&text, v->machine->probe.unproven ? "not known yet" : "not at all");
    else
        jw_buf_printf(&text, "%slevel %d of 5 (%s)", v->machine->probe.unproven ? "at least " : "",
                      (int)s->level, jw_level_name(s->level));
    if (!v->machine->probe.unproven && !v->portable)
        jw_buf_text(&text, !v->machine->probe.proven_now ? ", proven before (--probe proves it again)"
                           : s->level > JW_LEVEL_PLACEABLE && jw_probe_played(&v->machine->probe)
                               ? ", rehearsed now: level 3 is proven"
                               : ", proven now");
    line(cli, "probe", s->level >= JW_LEVEL_PLACEABLE ? TINT_GOOD : TINT_WARN, jw_buf_cstr(&text));
    for (size_t i = 0; i < s->n_evidence && v->evidence; i++) {
        jw_buf_clear(&text);
        jw_buf_printf(&text, "- %s", s->evidence[i]);
        line(cli, "", TINT_NONE, jw_buf_cstr(&text));
    }
    if (s->level >= 0)
        line(cli, "allows", TINT_STRONG, jw_level_unlocks(s->level));
    jw_buf_free(&text);
}

static void show_cache(struct cli *cli, const struct doctor_view *v)
{
    const struct jw_status_report *r = v->machine->cache;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (v->portable)
        return;
    jw_buf_text(&text, r->dir.root ? doctor_say(v, r->dir.root) : "none");
    whole_label(cli, "cache", jw_buf_cstr(&text));
    jw_buf_clear(&text);
    if (r->dir.root && !r->list.found)
        jw_buf_text(&text, r->primed.emptied ? "not there any more"
                                             : "not there yet: no program has cached code in it");
    else if (r->dir.root) {
        jw_say(&text, "%s in %s; the limit is ", JW_SIZE(r->used),
               JW_N(r->files.entries, "entry", "entries"));
        if (r->dir.limit_known)
            jw_text_bytes(&text, r->dir.limit);
        else
            jw_buf_text(&text, r->dir.limit_from.value ? "not clear" : "the driver's default");
    }
    if (text.n)
        line(cli, "", TINT_NONE, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

/* ---- findings ---- */

static void part(struct cli *cli, const struct doctor_view *v, const char *label, const char *text)
{
    if (text)
        line(cli, label, TINT_FAINT, doctor_say(v, text));
}

static void show_finding(struct cli *cli, const struct doctor_view *v, const struct jw_finding *f, bool first)
{
    static const struct {
        const char *label;
        enum jw_tint tint;
    } severities[] = { { "note", TINT_FAINT }, { "warning", TINT_WARN }, { "problem", TINT_BAD } };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&text, "%s [%s]", doctor_say(v, f->text), f->id);
    if (!first)
        jw_output_text(&cli->out, "\n");
    line(cli, severities[f->severity].label, severities[f->severity].tint, jw_buf_cstr(&text));
    jw_buf_free(&text);
    part(cli, v, "  seen", f->evidence);
    part(cli, v, "  so", f->consequence);
    part(cli, v, "  do", f->fix ? f->fix : f->command ? "run this:" : NULL);
    if (f->command)
        whole_line(cli, doctor_say(v, f->command));
}

/* "1 problem, 2 warnings, 1 note" */
static void say_counts(struct jw_buf *text, const unsigned n[JW_PROBLEM + 1])
{
    static const char *const nouns[] = { "note", "warning", "problem" };
    const char *between = "";

    for (int s = JW_PROBLEM; s >= JW_NOTE; s--) {
        if (!n[s])
            continue;
        jw_buf_printf(text, "%s%u %s%s", between, n[s], nouns[s], n[s] == 1 ? "" : "s");
        between = ", ";
    }
}

/* What was checked: printed if nothing is wrong, or with -v. */
static void show_checked(struct cli *cli, const struct doctor_view *v, bool well)
{
    const struct jw_doctor_checked *c = v->checked;

    if (v->portable || !(well || cli->common.verbose))
        return;
    for (size_t i = 0; i < c->checked.n; i++)
        line(cli, i ? "" : "checked", TINT_STRONG, doctor_say(v, c->checked.v[i]));
    for (size_t i = 0; i < c->unchecked.n; i++)
        line(cli, i ? "" : "not checked", TINT_STRONG, doctor_say(v, c->unchecked.v[i]));
}

/* True if software was named, and no verdict on it was possible. */
static bool nothing_known(const struct doctor_view *v)
{
    const struct doctor_answer *a = v->answer;

    for (size_t i = 0; i < a->n * a->c.n_gpus; i++)
        if (a->judgements[i].word != JW_WORD_NONE)
            return false;
    return !v->machine && a->n && a->c.n_gpus;
}

static void show_verdict(struct cli *cli, const struct doctor_view *v)
{
    unsigned n[JW_PROBLEM + 1] = { 0 };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool first = !v->machine && !v->answer->n;

    for (size_t i = 0; i < v->findings->n; i++)
        if (doctor_is_shown(v, &v->findings->v[i])) {
            n[v->findings->v[i].severity]++;
            show_finding(cli, v, &v->findings->v[i], first);
            first = false;
        }
    jw_output_text(&cli->out, "\n");
    show_checked(cli, v, !n[JW_WARNING] && !n[JW_PROBLEM]);
    if (v->ignored->n) {
        for (size_t i = 0; i < v->ignored->n; i++)
            jw_buf_printf(&text, "%s%s", i ? ", " : "", v->ignored->items[i]);
        line(cli, "ignored", TINT_STRONG, jw_buf_cstr(&text));
        jw_buf_clear(&text);
    }
    if (n[JW_WARNING] || n[JW_PROBLEM])
        say_counts(&text, n);
    else {
        jw_buf_text(&text, v->machine         ? "nothing is wrong"
                           : nothing_known(v) ? "not known"
                                              : "nothing wrong was found");
        if (n[JW_NOTE]) {
            jw_buf_text(&text, " (");
            say_counts(&text, n);
            jw_buf_text(&text, " above)");
        }
    }
    line(cli, "verdict",
         n[JW_PROBLEM]   ? TINT_BAD
         : n[JW_WARNING] ? TINT_WARN
                         : TINT_GOOD,
         jw_buf_cstr(&text));
    jw_buf_free(&text);
}

bool doctor_write_text(struct cli *cli, const struct doctor_view *v, struct jw_err *err)
{
    if (v->machine) {
        show_driver(cli, v);
        show_devices(cli, v);
        show_plugged_in(cli, v);
        show_knowledge(cli, v);
        show_cache(cli, v);
    }
    if (!doctor_text_frameworks(cli, v->answer, err))
        return false;
    show_verdict(cli, v);
    if (v->machine && v->machine->probe.driver.simulated)
        line(cli, "simulated", TINT_WARN, "this is jitwarm's simulated driver, not hardware");
    return true;
}
