#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "machine/config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Escapes text for roff. */
static void text(struct jw_buf *out, const char *t)
{
    static const char *const rules[] = { "\\\\e",  "-\\-",   "'\\(aq",  "`\\(ga",
                                         "^\\(ha", "~\\(ti", "\"\\(dq", NULL };

    if (*t == '.') /* roff reads a line with a leading dot as a request */
        jw_buf_text(out, "\\&");
    jw_text_escape(out, t, rules);
}

static void line(struct jw_buf *out, const char *t)
{
    text(out, t);
    jw_buf_text(out, "\n");
}

/* `t`: paragraphs with an empty line between them. */
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

/* ".TP", a term in bold, and what it is. */
static void term(struct jw_buf *out, const char *name, const char *what)
{
    jw_buf_text(out, ".TP\n\\fB");
    text(out, name);
    jw_buf_text(out, "\\fR\n");
    line(out, what);
}

static void named_table(struct jw_buf *out, const char *section, const struct named *rows)
{
    jw_buf_printf(out, ".SH %s\n", section);
    for (; rows->name; rows++)
        term(out, rows->name, rows->what);
}

static void opt_row(struct jw_buf *out, const struct opt *o)
{
    jw_buf_text(out, ".TP\n");
    if (o->short_name)
        jw_buf_printf(out, "\\fB\\-%c\\fR, ", o->short_name);
    jw_buf_text(out, "\\fB\\-\\-");
    text(out, o->name);
    if (o->arg) {
        jw_buf_text(out, jw_opt_maybe(o) ? "\\fR[=\\fI" : "\\fR \\fI");
        text(out, o->arg);
    }
    jw_buf_text(out, o->arg && jw_opt_maybe(o) ? "\\fR]\n" : "\\fR\n");
    line(out, o->help);
}

static void opt_rows(struct jw_buf *out, const struct opt *rows)
{
    for (; rows && rows->name; rows++)
        opt_row(out, rows);
}

static void header(struct jw_buf *out, const char *name, char section)
{
    jw_buf_printf(out, ".TH %s %c " JITWARM_DATE " \"jitwarm " JITWARM_VERSION "\" \"%s\"\n", name, section,
                  section == '1' ? "User Commands" : "File Formats");
}

/* "JITWARM\-PRIME", as the title of a page. */
static void verb_header(struct jw_buf *out, const struct cmd *cmd)
{
    char name[64];

    (void)snprintf(name, sizeof name, "JITWARM\\-%s", cmd->name);
    for (char *c = name; *c; c++)
        *c = (char)toupper(*c);
    header(out, name, '1');
}

static void example_rows(struct jw_buf *out, const struct cmd *cmd)
{
    if (cmd->examples)
        jw_buf_text(out, ".SH EXAMPLES\n");
    for (const struct example *e = cmd->examples; e && e->line; e++)
        term(out, e->line, e->what);
}

static void verb_options(struct jw_buf *out, const struct cmd *cmd)
{
    struct opt_parts parts;

    jw_opt_parts(cmd, &parts);
    for (size_t i = 0; i < parts.n; i++) {
        if (i == 0)
            jw_buf_text(out, ".SH OPTIONS\n");
        if (parts.v[i].title)
            jw_buf_printf(out, ".SS %s\n", parts.v[i].title);
        for (size_t k = 0; k < parts.v[i].n; k++)
            opt_row(out, parts.v[i].rows[k]);
    }
}

void jw_man_verb(struct jw_buf *out, const struct cmd *cmd)
{
    verb_header(out, cmd);
    jw_buf_printf(out, ".SH NAME\njitwarm\\-%s \\- ", cmd->name);
    line(out, cmd->summary);
    jw_buf_printf(out, ".SH SYNOPSIS\n\\fBjitwarm %s\\fR [\\fIOPTION\\fR...]%s", cmd->name,
                  cmd->synopsis_args[0] ? " " : "");
    line(out, cmd->synopsis_args);
    if (cmd->details) {
        jw_buf_text(out, ".SH DESCRIPTION\n");
        paragraphs(out, cmd->details);
    }
    verb_options(out, cmd);
    jw_buf_text(out, ".SH COMMON OPTIONS\n");
    opt_rows(out, jw_common_opts);
    if (cmd->report)
        opt_rows(out, jw_report_opts);
    if (cmd->cache)
        opt_rows(out, jw_cache_opts);
    example_rows(out, cmd);
    jw_buf_text(out, ".SH SEE ALSO\n\\fBjitwarm\\fR(1), \\fBjitwarm.conf\\fR(5)\n");
}

/* jitwarm.conf(5) */
static void jw_man_conf(struct jw_buf *out)
{
    header(out, "JITWARM.CONF", '5');
    jw_buf_text(out,
                ".SH NAME\njitwarm.conf \\- settings of jitwarm\n"
                ".SH DESCRIPTION\nLines of the form \\fIkey\\fR = \\fIvalue\\fR. Empty lines are skipped. A "
                "\\fB#\\fR at the start of a line or after a blank begins a comment.\n"
                ".PP\njitwarm reads the file of the machine first, then the file of the user. The user's "
                "value replaces the machine's; lists add up. A list has a line for each value.\n"
                ".PP\nAn invalid line is reported with its file and number, and ignored. \\fBjitwarm doctor "
                "\\-v\\fR shows which value applies and where it comes from.\n"
                ".SH KEYS\n");
    for (const struct jw_config_key *k = jw_config_keys; k->name; k++) {
        jw_buf_text(out, ".TP\n\\fB");
        text(out, k->name);
        jw_buf_text(out, k->list ? "\\fR (list)\n" : "\\fR\n");
        text(out, k->what);
        if (k->usual) {
            jw_buf_text(out, " Default: ");
            text(out, k->usual);
            jw_buf_text(out, ".");
        }
        jw_buf_text(out, "\n");
    }
    named_table(out, "FILES", jw_cli_files);
    jw_buf_text(out, ".SH EXAMPLES\n.nf\n");
    for (const struct jw_config_key *k = jw_config_keys; k->name; k++) {
        text(out, k->name);
        jw_buf_text(out, " = ");
        line(out, k->example);
    }
    jw_buf_text(out, ".fi\n.SH SEE ALSO\n\\fBjitwarm\\fR(1), \\fBjitwarm\\-doctor\\fR(1)\n");
}

static void verb_rows(struct jw_buf *out)
{
    for (size_t i = 0; jw_cmds[i]; i++) {
        if (jw_cmd_titles[i])
            jw_buf_printf(out, ".SS %s\n", jw_cmd_titles[i]);
        if (jw_cmds[i]->hidden)
            continue;
        jw_buf_printf(out, ".TP\n\\fBjitwarm\\-%s\\fR(1)\n", jw_cmds[i]->name);
        line(out, jw_cmds[i]->summary);
    }
}

void jw_man_page(struct jw_buf *out)
{
    header(out, "JITWARM", '1');
    jw_buf_text(
        out, ".SH NAME\njitwarm \\- make CUDA software start fast on GPUs it was not built for\n"
             ".SH SYNOPSIS\n\\fBjitwarm\\fR \\fIVERB\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
             ".SH DESCRIPTION\n"
             "CUDA software holds machine code for some GPUs and PTX for the rest. On the rest, the NVIDIA "
             "driver compiles the PTX at the first start. jitwarm has the driver compile it before that, and "
             "checks that the next start compiles nothing.\n"
             ".PP\nWithout a verb jitwarm shows this machine, how much is warm, and the next command.\n"
             ".PP\nReports go to standard output; errors and progress go to standard error.\n"
             "Options come after the verb, before, between or after its arguments;\n"
             "\\fB\\-\\-\\fR ends them.\nIf an option is repeated, the last value counts; lists add up.\n"
             ".SH VERBS\n");
    verb_rows(out);
    jw_buf_text(out, ".SH OPTIONS OF EVERY VERB\n");
    opt_rows(out, jw_common_opts);
    jw_buf_text(out, ".SH OPTIONS OF EVERY VERB WITH A REPORT\n");
    opt_rows(out, jw_report_opts);
    jw_buf_text(out, ".SH OPTIONS OF PRIME AND VERIFY\n");
    opt_rows(out, jw_cache_opts);
    named_table(out, "EXIT STATUS", jw_cli_exits);
    jw_buf_text(out,
                ".PP\nIf the reader of a report stops early, SIGPIPE ends jitwarm, as with other tools.\n");
    named_table(out, "ENVIRONMENT", jw_cli_variables);
    named_table(out, "FILES", jw_cli_files);
    jw_buf_text(out, ".SH SEE ALSO\n\\fBjitwarm.conf\\fR(5)\n");
}

struct man_args {
    struct jw_texts pages;
};

static int man_run(struct cli *cli, const void *p)
{
    const struct man_args *args = p;
    const char *page = args->pages.n ? args->pages.items[0] : NULL;
    const struct cmd *cmd = page ? jw_cmd_find(page) : NULL;
    struct jw_buf out = JW_BUF(JW_MAX_PAGE);

    if (page && strcmp(page, "jitwarm.conf") == 0)
        jw_man_conf(&out);
    else if (page && !cmd)
        return jw_help_unknown(cli, page);
    else if (cmd)
        jw_man_verb(&out, cmd);
    else
        jw_man_page(&out);
    return jw_cli_page(cli, &out);
}

/* The build installs these pages. */
const struct cmd jw_cmd_man = {
    .name = "man",
    .summary = "print a man page: jitwarm(1), jitwarm-VERB(1) or jitwarm.conf(5)",
    .synopsis_args = "[VERB|jitwarm.conf]",
    .args_size = sizeof(struct man_args),
    .positional_at = offsetof(struct man_args, pages),
    .max_pos = 1,
    .hidden = true,
    .stateless = true,
    .run = man_run,
};
