#include "cli/help.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"

#include <string.h>

enum { WIDEST_TERM = 26, SHORT_EXAMPLES = 3 };

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

const struct cmd *jw_verb_near(const char *typed)
{
    const struct cmd *best = NULL;
    unsigned nearest = 99;

    for (const struct listed_verb *v = jw_verbs; v->title || v->cmd; v++) {
        unsigned apart = !v->cmd || v->cmd->hidden ? 99 : jw_opt_nearness(typed, v->cmd->name);

        if (apart < nearest) {
            nearest = apart;
            best = v->cmd;
        }
    }
    return best;
}

static void put_wrapped(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width)
{
    jw_wrap_text(out, text, at, indent, width);
    jw_buf_text(out, "\n");
}

/* "  term   what it is", the text from `column` on; a longer term gets its own line. */
static void put_entry(struct jw_buf *out, const char *term, const char *what, size_t column, size_t width)
{
    size_t at = 2 + jw_text_width(term);

    jw_buf_printf(out, "  %s", term);
    if (at + 2 > column) {
        jw_buf_text(out, "\n");
        at = 0;
    }
    jw_buf_fill(out, ' ', column - at);
    put_wrapped(out, what, column, column, width);
}

/* "-n, --dry-run", "    --gpu GPU", "    --wait[=TIME]" */
static const char *term_of(struct jw_arena *a, const struct opt *o)
{
    const char *name = o->short_name ? jw_arena_printf(a, "-%c, --%s", o->short_name, o->name)
                                     : jw_arena_printf(a, "    --%s", o->name);

    if (!o->arg)
        return name;
    return jw_opt_maybe(o) ? jw_arena_printf(a, "%s[=%s]", name, o->arg)
                           : jw_arena_printf(a, "%s %s", name, o->arg);
}

static bool is_of_all_verbs(const struct opt *o)
{
    static const struct cmd no_verb = { 0 };

    return jw_shared_has(&no_verb, o);
}

/* The options of a verb but those of all verbs. */
static void put_options(struct jw_buf *out, struct jw_arena *a, const struct cmd *cmd, size_t width)
{
    size_t column = 0;
    const struct opt *o;
    bool shared;

    for (size_t i = 0; (o = jw_opt_of(cmd, i, &shared)); i++) {
        size_t w = jw_text_width(term_of(a, o));

        column = w <= WIDEST_TERM && w + 4 > column ? w + 4 : column;
    }
    jw_buf_text(out, "\nOptions:\n");
    for (size_t i = 0; (o = jw_opt_of(cmd, i, &shared)) && !(shared && is_of_all_verbs(o)); i++)
        put_entry(out, term_of(a, o), o->help, column, width);
    jw_buf_text(out, "    -q/--quiet, -v/--verbose, --color WHEN, -h/--help: of every verb\n");
}

static void put_examples(struct jw_buf *out, const struct cmd *cmd, bool brief, size_t width)
{
    size_t left = brief ? SHORT_EXAMPLES : SIZE_MAX;

    if (cmd->examples)
        jw_buf_text(out, "\nExamples:\n");
    for (const struct example *e = cmd->examples; e && e->line && left--; e++)
        if (brief) {
            jw_buf_printf(out, "  %s\n", e->line);
        } else {
            jw_buf_printf(out, "  %s\n      ", e->line);
            put_wrapped(out, e->what, 6, 6, width);
        }
}

static void put_verb(struct jw_buf *out, struct jw_arena *a, const struct cmd *cmd, bool brief, size_t width)
{
    put_wrapped(out, jw_arena_printf(a, "jitwarm %s: %s", cmd->name, cmd->summary), 0, 0, width);
    put_wrapped(out, jw_arena_printf(a, "Usage: jitwarm %s [OPTION...] %s", cmd->name, cmd->synopsis_args), 0,
                strlen("Usage: "), width);
    if (!brief && cmd->details) {
        jw_buf_text(out, "\n");
        put_wrapped(out, cmd->details, 0, 0, width);
    }
    put_options(out, a, cmd, width);
    put_examples(out, cmd, brief, width);
    if (brief)
        jw_buf_printf(out, "\nMore: jitwarm help %s\n", cmd->name);
}

static void put_overview(struct jw_buf *out, size_t width)
{
    enum { COLUMN = 14 };

    jw_buf_text(out, "jitwarm: CUDA software starts fast on GPUs that it was not built for\n"
                     "Usage: jitwarm VERB [OPTION...] [ARGUMENT...]\n");
    for (const struct listed_verb *v = jw_verbs; v->title || v->cmd; v++)
        if (v->title)
            jw_buf_printf(out, "%s\n", v->title);
        else if (!v->cmd->hidden)
            put_entry(out, v->cmd->name, v->cmd->summary, COLUMN, width);
    jw_buf_text(out, "More: jitwarm help VERB\n");
}

int jw_help_print(struct cli *cli, const struct cmd *cmd, bool whole)
{
    struct jw_buf out = JW_BUF(JW_MAX_PAGE);

    if (cmd)
        put_verb(&out, cli->arena, cmd, !whole, cli->out.width);
    else
        put_overview(&out, cli->out.width);
    return jw_cli_page(cli, &out);
}

int jw_help_unknown(struct cli *cli, const char *verb)
{
    const struct cmd *near = jw_verb_near(verb);
    struct jw_err err = { 0 };

    cli->cmd = NULL; /* its help says nothing of the other one */
    if (verb[0] == '-')
        (void)jw_fail(&err, JW_E_USAGE, "options come after the verb: jitwarm VERB %s", verb);
    else if (near)
        (void)jw_fail(&err, JW_E_USAGE, "'%s' is not a verb; did you mean %s?", verb, near->name);
    else
        (void)jw_fail(&err, JW_E_USAGE, "'%s' is not a verb", verb);
    return jw_cli_usage(cli, &err);
}
