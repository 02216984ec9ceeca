#include "base/limits.h"
#include "base/text.h"
#include "cli/doctor_view.h"
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

enum { LABEL = 12, PAGE_WIDTH = 100 };

/* "driver      580.126.09 ..." wrapped under itself; an empty label goes on under the one before. */
static void line(struct cli *cli, const char *label, enum jw_tint tint, const char *text)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE), wrapped = JW_BUF(JW_MAX_LINE);
    size_t width = cli->answer.columns ? cli->answer.columns : PAGE_WIDTH;

    jw_text_clean(&clean, text);
    jw_help_wrap(&wrapped, jw_buf_cstr(&clean), LABEL, LABEL, width);
    jw_answer_printf(&cli->answer, "%s%-*s%s%s", jw_paint_on(cli->answer.paint, tint), LABEL, label,
                     jw_paint_off(cli->answer.paint, tint), jw_buf_cstr(&wrapped));
    jw_buf_free(&clean);
    jw_buf_free(&wrapped);
}

static void tell_driver(struct cli *cli, const struct doctor_view *v)
{
    const struct jw_worker_driver *d = &v->probe->driver;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!d->library)
        return;
    jw_buf_text(&text, d->version ? d->version : "unknown version");
    if (d->cuda_version)
        jw_buf_printf(&text, ", for CUDA up to %u.%u", d->cuda_version / 1000, d->cuda_version % 1000 / 10);
    if (d->wsl)
        jw_buf_text(&text, ", under WSL");
    if (d->container)
        jw_buf_text(&text, ", in a container");
    if (d->mps)
        jw_buf_text(&text, ", with MPS");
    line(cli, "driver", TINT_STRONG, jw_buf_cstr(&text));
    line(cli, "", TINT_NONE, d->library);
    jw_buf_clear(&text);
    jw_buf_printf(&text, "build %s", d->build && *d->build ? d->build : "unknown");
    if (v->probe->state.stamp && strlen(v->probe->state.stamp) > 11)
        jw_buf_printf(&text, ", made %.11s %s", v->probe->state.stamp, v->probe->state.stamp + 11);
    line(cli, "", TINT_NONE, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

static void tell_devices(struct cli *cli, const struct doctor_view *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    char label[16];

    for (size_t i = 0; i < v->probe->n_devices; i++) {
        const struct jw_worker_device *d = &v->probe->devices[i];

        (void)snprintf(label, sizeof label, "GPU %u", d->index);
        jw_buf_clear(&text);
        jw_buf_printf(&text, "%s (sm_%u), ", d->name, d->sm);
        jw_text_bytes(&text, d->memory);
        jw_buf_printf(&text, "%s%s%s%s, %s", d->mig ? ", a MIG slice" : "",
                      d->compute_mode == 3 ? ", exclusive to one process" : "",
                      d->compute_mode == 2 ? ", closed for computing" : "",
                      d->integrated ? ", integrated" : "", d->uuid);
        line(cli, label, TINT_STRONG, jw_buf_cstr(&text));
    }
    jw_buf_free(&text);
}

static void tell_knowledge(struct cli *cli, const struct doctor_view *v)
{
    const struct jw_driver_state *s = &v->probe->state;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (v->probe->n_devices == 0 || v->probe->driver.init_result != 0)
        return;
    if (s->level == JW_LEVEL_NONE)
        jw_buf_text(&text, "nothing could be proven");
    else
        jw_buf_printf(&text, "level %d of 5, %s", (int)s->level, jw_level_name(s->level));
    jw_buf_text(&text, v->probe->proven_now ? "; proven now" : "; proven before (--probe proves it again)");
    line(cli, "understood", s->level >= JW_LEVEL_PLACEABLE ? TINT_GOOD : TINT_WARN, jw_buf_cstr(&text));
    for (size_t i = 0; i < s->n_evidence; i++) {
        jw_buf_clear(&text);
        jw_buf_printf(&text, "- %s", s->evidence[i]);
        line(cli, "", TINT_NONE, jw_buf_cstr(&text));
    }
    if (s->level >= 0)
        line(cli, "unlocks", TINT_STRONG, jw_level_unlocks(s->level));
    jw_buf_free(&text);
}

static void tell_findings(struct cli *cli, const struct doctor_view *v)
{
    static const struct {
        const char *label;
        enum jw_tint tint;
    } severities[] = { { "note", TINT_FAINT }, { "warning", TINT_WARN }, { "problem", TINT_BAD } };

    for (size_t i = 0; i < v->n_findings; i++) {
        const struct doctor_finding *f = &v->findings[i];

        line(cli, severities[f->severity].label, severities[f->severity].tint, f->text);
        if (f->fix)
            line(cli, "what to do", TINT_STRONG, f->fix);
    }
}

bool doctor_write_text(struct cli *cli, const struct doctor_view *v, struct jw_err *err)
{
    (void)err;
    tell_driver(cli, v);
    tell_devices(cli, v);
    tell_knowledge(cli, v);
    tell_findings(cli, v);
    if (v->probe->driver.simulated)
        jw_answer_text(&cli->answer,
                       "simulated: this is jitwarm's own simulated driver; it says nothing about "
                       "hardware\n");
    return true;
}
