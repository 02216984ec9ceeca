#include "cli/help.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include <string.h>

enum { WIDEST = 100, PIPED = 80, WIDEST_TERM = 26 };

static const char about[] = "jitwarm makes CUDA software start fast on GPUs it was not built for.";

void jw_help_wrap(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width)
{
    bool fresh = true; /* nothing on this line yet */

    while (*text) {
        size_t n = strcspn(text, " \n"), blanks;
        char word[128];
        size_t wide = n;

        if (n < sizeof word) {
            memcpy(word, text, n);
            word[n] = '\0';
            wide = jw_text_width(word);
        }
        if (!fresh && at + 1 + wide > width) {
            jw_buf_text(out, "\n");
            jw_buf_fill(out, ' ', indent);
            at = indent;
            fresh = true;
        }
        if (!fresh) {
            jw_buf_text(out, " ");
            at++;
        }
        jw_buf_add(out, text, n);
        at += wide;
        fresh = false;
        text += n;
        blanks = strspn(text, " \n");
        if (blanks > 1 && memchr(text, '\n', blanks) && text[blanks]) {
            jw_buf_text(out, "\n\n");
            jw_buf_fill(out, ' ', indent);
            at = indent;
            fresh = true;
        }
        text += blanks;
    }
    jw_buf_text(out, "\n");
}

/* "  term   what it is", the second part wrapped at column `column`; a term too long for it gets its own
 * line. */
static void entry(struct jw_buf *out, const char *term, const char *what, size_t column, size_t width)
{
    size_t at = 2 + jw_text_width(term);

    jw_buf_printf(out, "  %s", term);
    if (at + 2 > column) {
        jw_buf_text(out, "\n");
        at = 0;
    }
    jw_buf_fill(out, ' ', column - at);
    jw_help_wrap(out, what, column, column, width);
}

/* " FILE", or "[=DUR]" where it may be left out. */
static void opt_arg(struct jw_buf *out, const struct opt *o)
{
    if (o->kind == OPT_MAYBE_DURATION)
        jw_buf_printf(out, "[=%s]", o->arg);
    else if (o->arg)
        jw_buf_printf(out, " %s", o->arg);
}

static const char *opt_term(const struct opt *o, struct jw_buf *term)
{
    jw_buf_clear(term);
    if (o->short_name)
        jw_buf_printf(term, "-%c, --%s", o->short_name, o->name);
    else
        jw_buf_printf(term, "    --%s", o->name);
    opt_arg(term, o);
    return jw_buf_cstr(term);
}

static void widen(size_t *column, const char *term)
{
    size_t w = jw_text_width(term);

    if (w <= WIDEST_TERM && w + 4 > *column)
        *column = w + 4;
}

static void opt_table(struct jw_buf *out, const char *title, const struct opt *rows, size_t width)
{
    struct jw_buf term = JW_BUF(256);
    size_t column = 0;

    if (!rows || !rows->name)
        return;
    for (const struct opt *o = rows; o->name; o++)
        widen(&column, opt_term(o, &term));
    jw_buf_printf(out, "\n%s\n", title);
    for (const struct opt *o = rows; o->name; o++)
        entry(out, opt_term(o, &term), o->help, column ? column : WIDEST_TERM + 4, width);
    jw_buf_free(&term);
}

static void verb_table(struct jw_buf *out, size_t width)
{
    size_t column = 0;

    for (size_t i = 0; jw_cmds[i]; i++)
        if (!jw_cmds[i]->hidden)
            widen(&column, jw_cmds[i]->name);
    for (size_t i = 0; jw_cmds[i]; i++) {
        if (jw_cmd_titles[i])
            jw_buf_printf(out, "%s%s:\n", i ? "\n" : "", jw_cmd_titles[i]);
        if (!jw_cmds[i]->hidden)
            entry(out, jw_cmds[i]->name, jw_cmds[i]->summary, column, width);
    }
}

void jw_help_overview(struct jw_buf *out, size_t width)
{
    jw_help_wrap(out, about, 0, 0, width);
    jw_buf_text(out, "\nUsage: jitwarm VERB [OPTION...] [ARGUMENT...]\n\n");
    verb_table(out, width);
    opt_table(out, "Options of every verb:", jw_common_opts, width);
    opt_table(out, "Options of every verb with a report:", jw_report_opts, width);
    jw_buf_text(out, "\nMore: jitwarm help VERB\n");
}

/* "--json, --stats, --color WHEN, ..." */
static void common_line(struct jw_buf *out, const struct cmd *cmd, size_t width)
{
    const struct opt *tables[MAX_OPT_TABLES];
    size_t n = jw_cmd_tables(cmd, tables);
    struct jw_buf line = JW_BUF(1024);
    static const char title[] = "Common options (jitwarm help): ";

    for (size_t t = cmd->opts ? 1 : 0; t < n; t++)
        for (const struct opt *o = tables[t]; o->name; o++) {
            jw_buf_text(&line, line.n ? ", " : "");
            if (o->short_name)
                jw_buf_printf(&line, "-%c/", o->short_name);
            jw_buf_printf(&line, "--%s", o->name);
            opt_arg(&line, o);
        }
    jw_buf_printf(out, "\n%s", title);
    jw_help_wrap(out, jw_buf_cstr(&line), strlen(title), 2, width);
    jw_buf_free(&line);
}

void jw_help_verb(struct jw_buf *out, const struct cmd *cmd, size_t width)
{
    struct jw_buf line = JW_BUF(512);

    jw_buf_printf(&line, "jitwarm %s: %s", cmd->name, cmd->summary);
    jw_help_wrap(out, jw_buf_cstr(&line), 0, 0, width);
    jw_buf_printf(out, "\nUsage: jitwarm %s [OPTION...]%s%s\n", cmd->name, cmd->synopsis_args[0] ? " " : "",
                  cmd->synopsis_args);
    if (cmd->details) {
        jw_buf_text(out, "\n");
        jw_help_wrap(out, cmd->details, 0, 0, width);
    }
    opt_table(out, "Options:", cmd->opts, width);
    common_line(out, cmd, width);
    if (cmd->examples)
        jw_buf_text(out, "\nExamples:\n");
    for (const struct example *e = cmd->examples; e && e->line; e++) {
        jw_buf_printf(out, "  %s\n      ", e->line);
        jw_help_wrap(out, e->what, 6, 6, width);
    }
    jw_buf_free(&line);
}

int jw_help_print(struct cli *cli, const struct cmd *cmd)
{
    struct jw_buf out = JW_BUF(JW_MAX_PAGE);
    size_t width = cli->answer.columns ? jw_min(cli->answer.columns, WIDEST) : PIPED;

    if (cmd)
        jw_help_verb(&out, cmd, width);
    else
        jw_help_overview(&out, width);
    return jw_cli_page(cli, &out);
}

int jw_help_unknown(struct cli *cli, const char *verb)
{
    const struct cmd *near = jw_cmd_nearest(verb);
    struct jw_err err = { 0 };

    if (verb[0] == '-')
        (void)jw_fail(&err, JW_E_USAGE, "options come after the verb: jitwarm VERB %s", verb);
    else if (near)
        (void)jw_fail(&err, JW_E_USAGE, "'%s' is not a verb; did you mean %s?", verb, near->name);
    else
        (void)jw_fail(&err, JW_E_USAGE, "'%s' is not a verb", verb);
    return jw_cli_usage(cli, &err);
}
