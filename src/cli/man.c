#include "cli/man.h"

#include "cli/commands.h"

#include <string.h>

/* Text that roff must not read as anything else. */
static void text(struct jw_buf *out, const char *t)
{
    static const struct {
        char c;
        const char *as;
    } escapes[] = {
        { '\\', "\\e" },  { '-', "\\-" },   { '\'', "\\(aq" }, { '`', "\\(ga" },
        { '^', "\\(ha" }, { '~', "\\(ti" }, { '"', "\\(dq" },
    };

    /* A line that starts with a dot would be a request. */
    if (*t == '.')
        jw_buf_text(out, "\\&");
    for (; *t; t++) {
        const char *as = NULL;

        for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
            if (escapes[i].c == *t)
                as = escapes[i].as;
        if (as)
            jw_buf_text(out, as);
        else
            jw_buf_add(out, t, 1);
    }
}

static void line(struct jw_buf *out, const char *t)
{
    text(out, t);
    jw_buf_text(out, "\n");
}

/* Paragraphs, an empty line between them in `t`. */
static void paragraphs(struct jw_buf *out, const char *t)
{
    char part[1024];

    while (*t) {
        size_t n = strcspn(t, "\n");

        if (n >= sizeof part)
            n = sizeof part - 1;
        memcpy(part, t, n);
        part[n] = '\0';
        line(out, part);
        t += n;
        if (t[0] == '\n' && t[1] == '\n')
            jw_buf_text(out, ".PP\n");
        t += strspn(t, "\n");
    }
}

static void named_table(struct jw_buf *out, const char *section, const struct named *rows)
{
    jw_buf_printf(out, ".SH %s\n", section);
    for (; rows->name; rows++) {
        jw_buf_text(out, ".TP\n\\fB");
        text(out, rows->name);
        jw_buf_text(out, "\\fR\n");
        line(out, rows->what);
    }
}

static void opt_row(struct jw_buf *out, const struct opt *o)
{
    jw_buf_text(out, ".TP\n");
    if (o->short_name)
        jw_buf_printf(out, "\\fB\\-%c\\fR, ", o->short_name);
    jw_buf_text(out, "\\fB\\-\\-");
    text(out, o->name);
    jw_buf_text(out, "\\fR");
    if (o->arg) {
        jw_buf_text(out, o->kind == OPT_MAYBE_DURATION ? "[=\\fI" : " \\fI");
        text(out, o->arg);
        jw_buf_text(out, o->kind == OPT_MAYBE_DURATION ? "\\fR]" : "\\fR");
    }
    jw_buf_text(out, "\n");
    line(out, o->help);
}

static void opt_rows(struct jw_buf *out, const struct opt *rows)
{
    for (; rows && rows->name; rows++)
        opt_row(out, rows);
}

static void example_row(struct jw_buf *out, const struct example *e)
{
    jw_buf_text(out, ".TP\n\\fB");
    text(out, e->line);
    jw_buf_text(out, "\\fR\n");
    line(out, e->what);
}

static void verb(struct jw_buf *out, const struct cmd *cmd)
{
    jw_buf_printf(out, ".SS jitwarm %s [OPTION...]%s", cmd->name, cmd->synopsis_args[0] ? " " : "");
    line(out, cmd->synopsis_args);
    jw_buf_printf(out, "\\fB%s\\fR: ", cmd->name);
    text(out, cmd->summary);
    jw_buf_text(out, ".\n");
    if (cmd->details) {
        jw_buf_text(out, ".PP\n");
        paragraphs(out, cmd->details);
    }
    opt_rows(out, cmd->opts);
    if (!cmd->report)
        return;
    jw_buf_text(out, ".PP\nThis verb has a report: it takes");
    for (const struct opt *o = jw_report_opts; o->name; o++) {
        jw_buf_text(out, o == jw_report_opts ? " \\fB\\-\\-" : " and \\fB\\-\\-");
        text(out, o->name);
        jw_buf_text(out, "\\fR");
    }
    jw_buf_text(out, ".\n");
}

void jw_man_page(struct jw_buf *out)
{
    jw_buf_text(out, ".TH JITWARM 1 " JITWARM_DATE " \"jitwarm " JITWARM_VERSION "\" \"User Commands\"\n"
                     ".SH NAME\njitwarm \\- find CUDA code in files and say what it means for each GPU\n"
                     ".SH SYNOPSIS\n\\fBjitwarm\\fR \\fIVERB\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
                     ".SH DESCRIPTION\n");
    jw_buf_text(
        out, "The answer goes to standard output, everything else that there is to tell to standard error.\n"
             "Options come after the verb, before, between or after its arguments;\n"
             "\\fB\\-\\-\\fR ends them.\nOf an option that is given twice the last counts,\n"
             "unless it is one that adds to a list.\n"
             ".SH OPTIONS OF EVERY VERB\n");
    opt_rows(out, jw_common_opts);
    jw_buf_text(out, ".SH OPTIONS OF EVERY VERB WITH A REPORT\n");
    opt_rows(out, jw_report_opts);
    jw_buf_text(out, ".SH VERBS\n");
    for (size_t i = 0; jw_cmds[i]; i++)
        if (!jw_cmds[i]->hidden)
            verb(out, jw_cmds[i]);
    named_table(out, "EXIT STATUS", jw_cli_exits);
    jw_buf_text(
        out,
        ".PP\nWhen the reader of the answer leaves early, SIGPIPE ends jitwarm as it ends other tools.\n");
    named_table(out, "ENVIRONMENT", jw_cli_variables);
    named_table(out, "FILES", jw_cli_files);
    jw_buf_text(out, ".SH EXAMPLES\n");
    for (size_t i = 0; jw_cmds[i]; i++)
        for (const struct example *e = jw_cmds[i]->hidden ? NULL : jw_cmds[i]->examples; e && e->line; e++)
            example_row(out, e);
}
