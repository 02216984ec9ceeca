#include "cli/help.h"

#include "base/text.h"
#include "cli/cli.h"
#include "cli/report.h"

#include <string.h>

const struct listed_verb jw_verbs[] = {
#define G(title) { title, NULL },
#define V(verb) { NULL, &jw_cmd_##verb },
#include "cli/verbs.def"
#undef V
#undef G
    { NULL, NULL }
};

const struct cmd *jw_verb_find(const char *name)
{
    for (const struct listed_verb *v = jw_verbs; v->title || v->cmd; v++)
        if (v->cmd && strcmp(v->cmd->name, name) == 0)
            return v->cmd;
    return NULL;
}

/* Returns "-n, --dry-run", "    --gpu GPU" or "    --wait[=TIME]". */
static const char *term_of(const struct opt *o, struct jw_arena *a)
{
    const char *letter = o->short_name ? jw_arena_printf(a, "-%c, ", o->short_name) : "    ";
    const char *arg = !o->arg ? "" : jw_arena_printf(a, o->kind & OPT_MAYBE ? "[=%s]" : " %s", o->arg);

    return jw_arena_printf(a, "  %s--%s%s", letter, o->name, arg);
}

/* `brief`: options that other verbs share are listed by their names alone. */
static void say_options(struct rep *r, const struct cmd *cmd, bool brief)
{
    struct jw_buf also = JW_LINE(r->a);
    const struct opt *o;
    bool shared;

    for (size_t i = 0; (o = jw_opt_of(cmd, i, &shared)); i++)
        if (!shared || jw_shared_of_few(o) || (!brief && !jw_shared_of_all(o)))
            rep_say(r, REP_PLAIN, term_of(o, r->a), "%s", o->help);
        else
            jw_buf_printf(&also, "%s%s--%s",
                          also.n ? ", " : "Also: ", o->short_name ? JW_PHRASE("-%c/", o->short_name) : "",
                          o->name);
    rep_say(r, REP_PLAIN, NULL, "%s", jw_buf_cstr(&also));
}

static void say_examples(struct rep *r, const struct cmd *cmd, bool brief)
{
    size_t left = brief ? 3 : SIZE_MAX;

    rep_say(r, REP_PLAIN, NULL, "%s", "");
    rep_say(r, REP_PLAIN, NULL, "%s", cmd->examples ? "Examples:" : "");
    for (const struct example *e = cmd->examples; e && e->line && left--; e++) {
        bool beside = !brief && strlen(e->line) + strlen(e->what) + strlen("    # ") <= r->to->width;

        rep_line(r, REP_LINES, REP_PATH, NULL, "  %s%s%s", e->line, beside ? "  # " : "",
                 beside ? e->what : "");
        if (!brief && !beside)
            rep_say(r, REP_PLAIN, "", "%s", e->what);
    }
}

/* Paragraphs, an empty line before each. */
static void say_details(struct rep *r, const char *text)
{
    for (const char *end; *text; text = end + strspn(end, "\n")) {
        end = text + strcspn(text, "\n");
        rep_say(r, REP_PLAIN, NULL, "%s", "");
        rep_say(r, REP_PLAIN, NULL, "%s", jw_arena_text(r->a, text, (size_t)(end - text)));
    }
}

static void say_verb(struct rep *r, const struct cmd *cmd, bool brief)
{
    rep_head(r, JW_END_LISTED, "done", "jitwarm %s: %s", cmd->name, cmd->summary);
    rep_say(r, REP_PLAIN, NULL, "Usage: jitwarm %s [OPTION...] %s", cmd->name, cmd->synopsis_args);
    if (!brief && cmd->details)
        say_details(r, cmd->details);
    rep_say(r, REP_PLAIN, NULL, "%s", "");
    say_options(r, cmd, brief);
    say_examples(r, cmd, brief);
    rep_say(r, REP_PLAIN, NULL, "More: %s",
            brief ? JW_PHRASE("jitwarm help %s", cmd->name) : "exit codes, in docs/README.md");
}

static void say_overview(struct rep *r)
{
    rep_head(r, JW_END_LISTED, "done",
             "jitwarm: CUDA software starts fast on GPUs that it was not built for");
    rep_say(r, REP_PLAIN, NULL, "Usage: jitwarm VERB [OPTION...] [ARGUMENT...]");
    for (const struct listed_verb *v = jw_verbs; v->title || v->cmd; v++)
        if (v->title)
            rep_say(r, REP_PLAIN, NULL, "%s", v->title);
        else if (!v->cmd->hidden)
            rep_say(r, REP_PLAIN, jw_arena_printf(r->a, "  %s", v->cmd->name), "%s", v->cmd->summary);
    rep_say(r, REP_PLAIN, NULL, "More: jitwarm help VERB");
}

/* `word`: no verb, or an option before one. */
static int unknown(struct cli *cli, const char *word)
{
    const char *near = NULL, *option = jw_text_starts(word, "--") ? word + 2 : NULL;
    struct jw_err err = { 0 };

    for (const struct listed_verb *v = jw_verbs; !near && (v->title || v->cmd); v++)
        if (v->cmd && !v->cmd->hidden && option)
            near = jw_opt_near(v->cmd, option, strcspn(option, "="));
        else if (v->cmd && !v->cmd->hidden && jw_is_near(word, strlen(word), v->cmd->name))
            near = v->cmd->name;
    cli->cmd = NULL; /* the help of another one says nothing of it */
    if (word[0] == '-')
        (void)jw_fail(&err, JW_E_USAGE,
                      near ? "options come after the verb; did you mean jitwarm VERB --%s?"
                           : "options come after the verb: jitwarm VERB %s",
                      near ? near : word);
    else
        (void)jw_fail(&err, JW_E_USAGE, "'%s' is not a verb%s", word,
                      near ? JW_PHRASE("; did you mean %s?", near) : "");
    return jw_cli_fail(cli, &err);
}

int jw_help_print(struct cli *cli, const char *verb, bool whole)
{
    const struct cmd *cmd = verb ? jw_verb_find(verb) : NULL;
    struct rep *r;

    if (verb && !cmd)
        return unknown(cli, verb);
    cli->shared.json = cli->messages.quiet = false; /* it is a text, and was asked for */
    cli->shared.progress = 0;
    r = rep_open(cli, "help");
    if (cmd)
        say_verb(r, cmd, !whole);
    else
        say_overview(r);
    return rep_close(r);
}
