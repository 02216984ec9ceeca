#include "cli/help.h"

#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"

#include <string.h>

enum { WIDEST_TERM = 25, EXAMPLE = 40, SHORT_EXAMPLES = 3 };

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

static void put_wrapped(struct jw_buf *out, const char *text, size_t indent, size_t width)
{
    jw_wrap_text(out, text, indent, indent, width);
    jw_buf_text(out, "\n");
}

/* "  term   what it is", the text from `column` on; a longer term gets its own line. */
static void put_entry(struct jw_buf *out, const char *term, const char *what, size_t column, size_t width)
{
    size_t at = 2 + jw_text_width(term);

    jw_buf_printf(out, "  %s", term);
    if (at + 1 > column) {
        jw_buf_text(out, "\n");
        at = 0;
    }
    jw_buf_fill(out, ' ', column - at);
    put_wrapped(out, what, column, width);
}

/* "-n/--dry-run", "--gpu" */
static const char *short_term_of(struct jw_arena *a, const struct opt *o)
{
    return o->short_name ? jw_arena_printf(a, "-%c/--%s", o->short_name, o->name)
                         : jw_arena_printf(a, "--%s", o->name);
}

/* "-n, --dry-run", "    --gpu GPU", "    --wait[=TIME]" */
static const char *term_of(struct jw_arena *a, const struct opt *o)
{
    const char *name = o->short_name ? jw_arena_printf(a, "-%c, --%s", o->short_name, o->name)
                                     : jw_arena_printf(a, "    --%s", o->name);

    if (!o->arg)
        return name;
    return jw_arena_printf(a, jw_opt_maybe(o) ? "%s[=%s]" : "%s %s", name, o->arg);
}

/* `brief`: those that other verbs have, too, by their names alone. */
static void put_options(struct jw_buf *out, struct jw_arena *a, const struct cmd *cmd, bool brief,
                        size_t width)
{
    struct jw_buf also = JW_LINE(a);
    const struct opt *o;
    bool shared;

    jw_buf_text(out, "\n");
    for (size_t i = 0; (o = jw_opt_of(cmd, i, &shared)); i++)
        if (!shared || (!brief && !jw_shared_of_all(o)))
            put_entry(out, term_of(a, o), o->help, WIDEST_TERM, width);
        else
            jw_buf_printf(&also, "%s%s", also.n ? ", " : "Also: ", short_term_of(a, o));
    put_wrapped(out, jw_buf_cstr(&also), 0, width);
}

static void put_examples(struct jw_buf *out, const struct cmd *cmd, bool brief, size_t width)
{
    size_t left = brief ? SHORT_EXAMPLES : SIZE_MAX;

    if (cmd->examples)
        jw_buf_text(out, "\nExamples:\n");
    for (const struct example *e = cmd->examples; e && e->line && left--; e++)
        if (brief)
            jw_buf_printf(out, "  %s\n", e->line);
        else
            put_entry(out, e->line, e->what, EXAMPLE, width);
}

static void put_verb(struct jw_buf *out, struct jw_arena *a, const struct cmd *cmd, bool brief, size_t width)
{
    put_wrapped(out, jw_arena_printf(a, "jitwarm %s: %s", cmd->name, cmd->summary), 0, width);
    put_wrapped(out, jw_arena_printf(a, "Usage: jitwarm %s [OPTION...] %s", cmd->name, cmd->synopsis_args), 0,
                width);
    if (!brief && cmd->details) {
        jw_buf_text(out, "\n");
        put_wrapped(out, cmd->details, 0, width);
    }
    put_options(out, a, cmd, brief, width);
    put_examples(out, cmd, brief, width);
    if (brief)
        jw_buf_printf(out, "More: jitwarm help %s\n", cmd->name);
}

static void put_overview(struct jw_buf *out, size_t width)
{
    enum { COLUMN = 14 };

    put_wrapped(out, "jitwarm: CUDA software starts fast on GPUs that it was not built for", 0, width);
    jw_buf_text(out, "Usage: jitwarm VERB [OPTION...] [ARGUMENT...]\n");
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
    struct jw_err err = { 0 };

    cli->cmd = NULL; /* its help says nothing of the other one */
    (void)jw_fail(&err, JW_E_USAGE,
                  verb[0] == '-' ? "options come after the verb: jitwarm VERB %s" : "'%s' is not a verb",
                  verb);
    return jw_cli_usage(cli, &err);
}
