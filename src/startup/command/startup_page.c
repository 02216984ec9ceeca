#include "base/limits.h"
#include "base/text.h"
#include "cli/page.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "startup/command/startup_view.h"

#include <string.h>

enum { LABEL = 12 };

struct showing {
    struct jw_page page;
    struct cli *cli;
    const struct startup_view *v;
    const struct jw_startup_report *r;
    const char *home;
};

/* Appends "~/.config/..." for paths below the home; on Windows with backslashes. */
static void say_path(struct jw_buf *out, const struct showing *t, const char *path)
{
    size_t n = t->home ? strlen(t->home) : 0;
    char *own = jw_os_is_windows() ? jw_arena_str(t->cli->arena, path) : NULL;

    for (char *at = own; at && *at; at++)
        if (*at == '/')
            *at = '\\';
    path = own ? own : path;

    if (n > 1 && strncmp(path, t->home, n) == 0 && (path[n] == '/' || path[n] == '\\')
        && !jw_os_is_windows()) {
        jw_buf_text(out, "~");
        path += n;
    }
    jw_text_clean(out, path);
}

static void sentence(struct showing *t, enum jw_tint tint, const char *text)
{
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&b, text);
    jw_page_sentence(&t->page, tint, &b);
}

static void show_path(struct showing *t, const char *label, const char *path)
{
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    say_path(&b, t, path);
    jw_page_whole(&t->page, TINT_NONE, label, jw_buf_cstr(&b));
    jw_buf_free(&b);
}

/* ---- steps ---- */

static const char *word_of(const struct showing *t, const struct jw_startup_step *s)
{
    bool taken = t->v->verb == STARTUP_REMOVE;

    if (s->act == JW_STARTUP_COMMAND)
        return t->v->dry_run ? "runs" : s->done ? "ran" : "failed";
    if (!taken && s->found == JW_FOUND_SAME)
        return "unchanged";
    if (taken && s->found == JW_FOUND_NOTHING)
        return NULL;
    if (taken)
        return t->v->dry_run ? "removes" : "removed";
    switch (s->act) {
    case JW_STARTUP_LINK: return t->v->dry_run ? "links" : "linked";
    case JW_STARTUP_JOB: return t->v->dry_run ? "registers" : "registered";
    default: return t->v->dry_run ? "writes" : "wrote";
    }
}

static void show_steps(struct showing *t)
{
    for (size_t i = 0; i < t->r->n_steps; i++) {
        const struct jw_startup_step *s = &t->r->steps[i];
        const char *word = word_of(t, s);

        if (word)
            show_path(t, word, s->path);
    }
}

/* The exact content, without control characters. */
static void show_content(struct showing *t, const struct jw_startup_step *s)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE), clean = JW_BUF(JW_MAX_LINE);
    const char *at = s->text;

    jw_page_put(&t->page, "\n");
    show_path(t, "", s->path);
    while (*at) {
        size_t n = strcspn(at, "\n");

        jw_buf_clear(&line);
        jw_buf_clear(&clean);
        jw_buf_add(&line, at, n);
        jw_say(&clean, "%s\n", jw_buf_cstr(&line));
        jw_page_put(&t->page, "    ");
        jw_page_put(&t->page, jw_buf_cstr(&clean));
        at += n + (at[n] == '\n');
    }
    jw_buf_free(&clean);
    jw_buf_free(&line);
}

static void show_contents(struct showing *t)
{
    for (size_t i = 0; i < t->r->n_steps; i++) {
        const struct jw_startup_step *s = &t->r->steps[i];

        if (s->text && (s->act == JW_STARTUP_FILE || s->act == JW_STARTUP_JOB) && s->found != JW_FOUND_SAME)
            show_content(t, s);
    }
}

static void show_notes(struct showing *t)
{
    for (size_t i = 0; i < t->r->notes.n; i++) {
        struct jw_buf b = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&b, t->r->notes.v[i]);
        jw_page_line(&t->page, TINT_NONE, "Note", &b);
    }
}

static const char *when_of(const struct jw_startup_report *r)
{
    return r->everybody ? "for every user: runs 45 seconds after login"
                        : "for you: runs 45 seconds after login";
}

static void show_install(struct showing *t)
{
    const struct jw_startup_report *r = t->r;
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    if (r->end == JW_END_CONSENT) {
        sentence(t, TINT_BAD, r->why);
        return;
    }
    jw_buf_printf(&b, "%s %s",
                  r->end == JW_END_NOTHING ? "Already installed"
                  : t->v->dry_run          ? "Would be installed"
                                           : "Installed",
                  when_of(r));
    jw_page_sentence(&t->page, TINT_GOOD, &b);
    show_steps(t);
    show_path(t, "Command", r->command);
    if (r->packs)
        show_path(t, "Packs", r->packs);
    if (r->log && !r->everybody)
        show_path(t, "Log", r->log);
    show_notes(t);
    if (r->end == JW_END_PARTLY)
        sentence(t, TINT_BAD, r->why);
    if (t->v->dry_run)
        show_contents(t);
    else if (r->end != JW_END_PARTLY)
        sentence(t, TINT_NONE,
                 r->everybody
                     ? "After each login it warms what the user primed before, and imports packs that fit. "
                       "jitwarm "
                       "startup status shows whether it works; jitwarm startup remove --system undoes it."
                     : "jitwarm startup status shows whether it works; jitwarm startup remove undoes it.");
}

static void show_remove(struct showing *t)
{
    const struct jw_startup_report *r = t->r;

    if (r->end == JW_END_CONSENT) {
        sentence(t, TINT_BAD, r->why);
        return;
    }
    if (r->end == JW_END_NOTHING)
        sentence(t, TINT_NONE, "Nothing to remove: not installed");
    else
        sentence(t, TINT_GOOD, t->v->dry_run ? "Would be removed" : "Removed");
    show_steps(t);
    if (r->end == JW_END_PARTLY)
        sentence(t, TINT_BAD, r->why);
}

static void show_run(struct showing *t)
{
    if (t->r->end == JW_END_PARTLY)
        sentence(t, TINT_BAD, t->r->why);
    else
        sentence(t, TINT_GOOD,
                 t->v->dry_run ? "Would be started" : "Started; jitwarm startup status shows the result");
}

/* ---- status ---- */

static void say_ago(struct jw_buf *out, int64_t when)
{
    int64_t ago = jw_time_unix() - when;

    jw_say(out, "%s ago", JW_CLOCK(ago > 0 ? (double)ago : 0));
}

static void say_run(struct jw_buf *out, const struct jw_startup_run *last)
{
    jw_buf_text(out, "last run ");
    say_ago(out, last->when);
    jw_buf_printf(out, ", exit %u, ", last->exit);
    if (last->milliseconds < 1000)
        jw_buf_printf(out, "%llu ms", (unsigned long long)last->milliseconds);
    else
        jw_text_clock(out, (double)last->milliseconds / 1000);
    jw_say(out, ": %s", last->what);
}

static void say_status(struct jw_buf *out, const struct showing *t)
{
    const struct jw_startup_report *r = t->r;

    if (!r->installed)
        jw_text_clean(out, r->why);
    else if (r->end == JW_END_NOTHING)
        jw_buf_text(
            out,
            "it has not run yet. It runs 45 seconds after the next login, or now with jitwarm startup run");
    else if (r->end == JW_END_PARTLY && (!r->ran || r->why != r->last.what)
             && strcmp(r->why, r->last.what ? r->last.what : "") != 0)
        jw_text_clean(out, r->why);
    else if (r->last.began) {
        jw_buf_text(out, "running; it began ");
        say_ago(out, r->last.when);
        jw_buf_text(out, " (jitwarm status shows its progress)");
    } else
        say_run(out, &r->last);
}

/* One line, for scripts and for copying. */
static void show_status(struct showing *t)
{
    const struct jw_startup_report *r = t->r;
    struct jw_buf b = JW_BUF(JW_MAX_LINE);
    bool bad = r->end == JW_END_PARTLY;

    jw_buf_text(&b, !r->installed              ? "Not installed: "
                    : bad                      ? "Not working: "
                    : r->end == JW_END_NOTHING ? "Installed: "
                                               : "Working: ");
    if (!r->installed && jw_text_starts(r->why, "it is not installed: "))
        jw_buf_text(&b, r->why + strlen("it is not installed: "));
    else
        say_status(&b, t);
    if (r->log && (r->installed || r->ran)) {
        jw_buf_text(&b, "; log ");
        say_path(&b, t, r->log);
    }
    jw_buf_text(&b, "\n");
    jw_page_put(&t->page, jw_buf_cstr(&b));
    jw_buf_free(&b);
    if (t->cli->messages.level != MESSAGES_VERBOSE)
        return;
    for (size_t i = 0; i < r->n_steps; i++)
        show_path(t, jw_startup_act_name(r->steps[i].act), r->steps[i].path);
    if (r->program)
        show_path(t, "program", r->program);
    show_notes(t);
}

bool startup_write_text(struct cli *cli, const struct startup_view *v, struct jw_err *err)
{
    static void (*const show[])(struct showing * t) = { show_status, show_install, show_remove, show_run };
    struct showing t = { .cli = cli, .v = v, .r = v->report, .home = jw_env_home(cli->arena) };

    jw_page_open(&t.page, cli, LABEL, err);
    show[v->verb](&t);
    return !t.page.bad;
}
