/* What env apply and env undo did, or would do, for people. */
#include "base/limits.h"
#include "base/text.h"
#include "cli/page.h"
#include "env/command/env_view.h"
#include "os/machine/env.h"

#include <string.h>

enum { LABEL = 12, MOST_NAMED = 6 };

/* "made", "added to", "would be made" */
static const char *label_of(enum jw_env_done done)
{
    switch (done) {
    case JW_ENV_SAME: return "  unchanged";
    case JW_ENV_MADE: return "  new";
    case JW_ENV_ADDED: return "  added to";
    case JW_ENV_CHANGED: return "  changed";
    case JW_ENV_TAKEN: return "  restored";
    case JW_ENV_REMOVED: return "  removed";
    default: return "  left";
    }
}

/* Each line of what is written, below its file. */
static void show_lines(struct jw_page *p, const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        struct jw_buf raw = JW_BUF(JW_MAX_LINE), line = JW_BUF(JW_MAX_LINE);

        jw_buf_add(&raw, at, n);
        jw_buf_fill(&line, ' ', LABEL + 2);
        jw_say(&line, "%s\n", jw_buf_cstr(&raw));
        jw_page_put(p, jw_buf_cstr(&line));
        jw_buf_free(&raw);
        jw_buf_free(&line);
        at += n + (at[n] == '\n');
    }
}

static void show_step(struct jw_page *p, const struct env_done *d, const struct jw_env_step *s)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    enum jw_tint tint = s->done == JW_ENV_SAME ? TINT_FAINT : s->done == JW_ENV_LEFT ? TINT_WARN : TINT_GOOD;

    env_say_path(&text, s->path, d->home);
    jw_buf_text(&text, s->kind != JW_ENV_FOLDER ? "" : jw_os_is_windows() ? "\\" : "/");
    jw_page_whole(p, tint, label_of(s->done), jw_buf_cstr(&text));
    jw_buf_clear(&text);
    if (s->why) {
        jw_buf_text(&text, s->why);
        jw_page_line(p, TINT_NONE, "", &text);
    } else if (s->text && s->done != JW_ENV_SAME && (!d->undo || s->kind == JW_ENV_REGISTRY)) {
        show_lines(p, s->text);
    }
    jw_buf_free(&text);
}

static void show_settings(struct jw_page *p, const struct jw_env_report *r)
{
    for (size_t i = 0; i < r->n_settings; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_say(&text, "%s=%s\n", r->settings[i].name, r->settings[i].value);
        jw_page_put(p, jw_buf_cstr(&text));
        jw_buf_clear(&text);
        jw_text_clean(&text, r->why[i]);
        jw_page_line(p, TINT_NONE, "", &text);
    }
}

/* "bash (4711), zsh (4712) and 3 more" */
static bool say_runs(struct jw_buf *out, const struct jw_env_runnings *list, enum jw_env_run_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (list->v[i].kind != kind)
            continue;
        if (n < MOST_NAMED) {
            jw_say(out, "%s%s", n ? ", " : "", list->v[i].name);
            if (kind != JW_ENV_RUN_SERVICE)
                jw_buf_printf(out, " (%lu)", list->v[i].pid);
        }
        n++;
    }
    if (n > MOST_NAMED)
        jw_buf_printf(out, " and %zu more", n - MOST_NAMED);
    return n > 0;
}

static void show_running(struct jw_page *p, const struct jw_env_report *r)
{
    static const struct {
        enum jw_env_run_kind kind;
        const char *label, *what;
    } kinds[] = { { JW_ENV_RUN_SERVICE, "services", ": restart them" },
                  { JW_ENV_RUN_CUDA, "programs", ": start them again" },
                  { JW_ENV_RUN_SHELL, "shells", ": log in again, or open new ones after that" } };

    bool told = false;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        if (say_runs(&text, &r->running, kinds[i].kind)) {
            if (!told)
                jw_page_put(p, "\nThese run already, and keep the values that they were started with:\n");
            told = true;
            jw_buf_text(&text, kinds[i].what);
            jw_page_line(p, TINT_WARN, kinds[i].label, &text);
        }
        jw_buf_free(&text);
    }
}

static void show_notes(struct jw_page *p, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&text, notes->v[i]);
        jw_page_line(p, TINT_FAINT, i ? "" : "note", &text);
    }
}

static const char *scope_options(const struct jw_env_report *r)
{
    return r->scope == JW_ENV_SYSTEM ? " --system" : "";
}

static void show_end(struct jw_page *p, const struct env_done *d)
{
    const struct jw_env_report *r = d->report;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->checked)
        jw_page_put(p, "\nA new login was asked, and has these values.\n");
    if (jw_os_is_windows() && !d->dry_run && !r->nothing)
        jw_page_put(p, d->undo ? "\nWhat Explorer starts from now on has the old values again.\n"
                               : "\nWhat Explorer starts from now on has these values; running programs keep "
                                 "their old ones.\n");
    show_running(p, r);
    if (d->undo)
        return;
    if (d->dry_run) {
        jw_page_put(p, "\nNothing was written (--dry-run).\n");
    } else {
        jw_buf_printf(&text, "jitwarm env undo%s", scope_options(r));
        jw_page_put(p, "\n");
        jw_page_whole(p, TINT_NONE, "to undo", jw_buf_cstr(&text));
    }
    jw_buf_free(&text);
}

bool env_write_done_text(struct cli *cli, const struct env_done *d, struct jw_err *err)
{
    const struct jw_env_report *r = d->report;
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    if (d->undo && !r->n) {
        jw_page_put(&page,
                    r->scope == JW_ENV_SYSTEM
                        ? "Nothing to undo: jitwarm env apply --system has not written anything here.\n"
                        : "Nothing to undo: jitwarm env apply has not written anything for this user.\n");
        return !page.bad;
    }
    if (!d->undo && !r->n_settings) {
        jw_page_put(&page, "Nothing has to be changed.\n");
        show_notes(&page, &r->notes);
        return !page.bad;
    }
    show_settings(&page, r);
    if (!d->undo)
        jw_page_put(&page, "\n");
    if (!d->undo && r->nothing)
        jw_page_put(&page, "It is written already:\n");
    for (size_t i = 0; i < r->n; i++)
        show_step(&page, d, &r->steps[i]);
    show_notes(&page, &r->notes);
    show_end(&page, d);
    return !page.bad;
}
