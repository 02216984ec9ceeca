#include "base/limits.h"
#include "base/text.h"
#include "cli/page.h"
#include "env/command/env_view.h"
#include "os/machine/env.h"

#include <string.h>

enum { LABEL = 14 };

void env_say_path(struct jw_buf *out, const char *path, const char *home)
{
    size_t n = home ? strlen(home) : 0;

    if (n > 1 && strncmp(path, home, n) == 0 && path[n] == '/') {
        jw_buf_text(out, "~");
        path += n;
    }
    jw_text_clean(out, path);
}

/* "4294967296 (4 GiB)" */
static void say_value(struct jw_buf *out, const char *name, const char *value)
{
    uint64_t n;

    jw_text_clean(out, value);
    if (strcmp(name, "CUDA_CACHE_MAXSIZE") == 0 && jw_text_u64(value, &n) && n >= 1000)
        jw_say(out, " (%s)", JW_SIZE(n));
}

static void show_now(struct jw_page *p, const struct jw_env_state *s, const struct jw_env_var *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!v->here)
        jw_buf_text(&text, "not set here");
    else if (!*v->here)
        jw_buf_text(&text, "set, but empty");
    else
        say_value(&text, v->name, v->here);
    if (!v->here && strcmp(v->name, "CUDA_CACHE_PATH") == 0 && s->facts.dir->root) {
        jw_buf_text(&text, ": it is ");
        env_say_path(&text, s->facts.dir->root, NULL);
    }
    jw_page_line(p, TINT_NONE, "  now", &text);
    if (v->from) {
        env_say_path(&text, v->from, s->home);
        jw_page_line(p, TINT_NONE, "  from", &text);
    }
}

/* Only where it is another: who logs in again will wonder. */
static void show_login(struct jw_page *p, const struct jw_env_state *s, const struct jw_env_var *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool same = v->login && v->here ? strcmp(v->login, v->here) == 0 : v->login == v->here;

    if (!s->look.login.known || same)
        return;
    if (v->login) {
        say_value(&text, v->name, *v->login ? v->login : "empty");
        if (v->login_from) {
            jw_buf_text(&text, ", by ");
            env_say_path(&text, v->login_from, s->home);
        }
    } else {
        jw_buf_text(&text, "not set");
    }
    jw_page_line(p, TINT_WARN, "  new logins", &text);
}

static void show_sources(struct jw_page *p, const struct jw_env_state *s, const struct jw_env_var *v)
{
    for (size_t i = 0; i < v->n_sources; i++) {
        const struct jw_env_source *o = &v->sources[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        env_say_path(&text, o->origin, s->home);
        if (o->line)
            jw_buf_printf(&text, ":%u", o->line);
        jw_buf_text(&text, o->value ? " sets " : " unsets it");
        if (o->value)
            say_value(&text, v->name, *o->value ? o->value : "nothing");
        if (o->value && !o->exact)
            jw_buf_text(&text, " (as written; a shell expands it)");
        if (o->ours)
            jw_buf_text(&text, ", by jitwarm env apply");
        jw_page_line(p, TINT_NONE, i ? "" : "  set in", &text);
    }
}

static void show_advice(struct jw_page *p, const struct jw_env_advice *a)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (a->value) {
        say_value(&text, a->name, a->value);
        jw_page_line(p, a->wrong ? TINT_WARN : TINT_GOOD, "  recommended", &text);
    } else {
        jw_buf_text(&text, a->wrong ? "needs your decision" : "as it is");
        jw_page_line(p, a->wrong ? TINT_WARN : TINT_GOOD, "  recommended", &text);
    }
    jw_text_clean(&text, a->why);
    jw_page_line(p, TINT_NONE, "  why", &text);
}

/* What to think of one that env does not write itself. */
static void show_opinion(struct jw_page *p, const struct jw_env_var *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (v->meant) {
        jw_buf_printf(&text, "no driver reads this name; %s is the one that is meant", v->meant->name);
        jw_page_line(p, TINT_WARN, "  misspelt", &text);
    } else if (v->known && v->known->kind == JW_ENV_SWITCH && v->here && strcmp(v->here, "0") != 0) {
        jw_buf_text(&text, "unset it where it is set, unless you are testing");
        jw_page_line(p, TINT_WARN, "  recommended", &text);
    }
}

static const struct jw_env_advice *advice_of(const struct jw_env_state *s, const char *name)
{
    for (size_t i = 0; i < JW_ENV_ADVICES; i++)
        if (strcmp(s->advice[i].name, name) == 0)
            return &s->advice[i];
    return NULL;
}

static void show_variable(struct jw_page *p, const struct jw_env_state *s, const struct jw_env_var *v)
{
    const struct jw_env_advice *advice = advice_of(s, v->name);
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_buf_text(&text, jw_paint_on(p->paint, TINT_STRONG));
    jw_text_clean(&text, v->name);
    jw_buf_text(&text, jw_paint_off(p->paint, TINT_STRONG));
    jw_buf_text(&text, "\n");
    jw_page_put(p, jw_buf_cstr(&text));
    jw_buf_clear(&text);
    if (v->known) {
        jw_buf_text(&text, v->known->what);
        jw_page_line(p, TINT_NONE, "  what", &text);
    }
    show_now(p, s, v);
    show_login(p, s, v);
    show_sources(p, s, v);
    if (advice)
        show_advice(p, advice);
    else
        show_opinion(p, v);
    jw_page_put(p, "\n");
    jw_buf_free(&text);
}

static void show_notes(struct jw_page *p, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&text, notes->v[i]);
        jw_page_line(p, TINT_FAINT, "note", &text);
    }
}

static void show_next(struct jw_page *p, const struct jw_env_state *s)
{
    struct jw_env_setting settings[JW_ENV_ADVICES];

    if (!jw_env_settings(s, settings)) {
        jw_page_put(p, "Nothing has to be changed.\n");
        return;
    }
    jw_page_whole(p, TINT_NONE, "this shell",
                  jw_os_is_windows() ? "jitwarm env --shell powershell | Out-String | Invoke-Expression"
                                     : "eval \"$(jitwarm env --shell sh)\"");
    jw_page_whole(p, TINT_NONE, "to stay",
                  "jitwarm env apply   (--dry-run shows it first; jitwarm env undo takes it back)");
}

bool env_write_show_text(struct cli *cli, const struct jw_env_state *s, struct jw_err *err)
{
    struct jw_page page;

    jw_page_open(&page, cli, LABEL, err);
    for (size_t i = 0; i < s->look.n; i++)
        show_variable(&page, s, &s->look.v[i]);
    show_notes(&page, &s->facts.dir->notes);
    show_notes(&page, &s->look.notes);
    if (s->look.login.why) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_say(&text, "what a fresh login has is not known: %s", s->look.login.why);
        jw_page_line(&page, TINT_FAINT, "note", &text);
    }
    show_notes(&page, &s->look.login.notes);
    show_next(&page, s);
    return !page.bad;
}

bool env_write_lines(struct cli *cli, const struct jw_env_state *s, enum jw_env_form form, struct jw_err *err)
{
    struct jw_env_setting settings[JW_ENV_ADVICES];
    size_t n = jw_env_settings(s, settings);
    struct jw_buf text = JW_BUF(JW_MAX_PAGE);
    bool ok = true;

    cli->answer.muted = false; /* for a shell, not for people */
    if (form == JW_ENV_SYSTEMD && n)
        jw_buf_text(&text, "[Service]\n");
    for (size_t i = 0; ok && i < n; i++)
        ok = jw_env_put(form, settings[i].name, settings[i].value, &text, err);
    ok = ok && jw_buf_ok(&text, err);
    if (ok)
        jw_answer_text(&cli->answer, jw_buf_cstr(&text));
    jw_buf_free(&text);
    return ok;
}
