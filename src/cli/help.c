#include "cli/help.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/topic.h"

#include <stdint.h>
#include <string.h>

enum { WIDEST_TERM = 26, SHORT_OPTIONS = 10, SHORT_EXAMPLES = 3 };

static const char about[] = "jitwarm makes CUDA software start fast on GPUs it was not built for.";

/* Length of the next word. A number and its unit are one word, and so is "1 min 23 s". */
static size_t next_word(const char *text)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "ms", "s", "min", "h", "%" };
    size_t n = strcspn(text, " \n");
    const char *second = text + n + 1;

    if (text[0] < '0' || text[0] > '9' || text[n] != ' ')
        return n;
    for (size_t i = 0; i < JW_COUNT(units); i++) {
        size_t unit = strlen(units[i]);

        if (strcspn(second, " \n,;.):") != unit || strncmp(second, units[i], unit) != 0)
            continue;
        bool goes_on = (*second == 'm' || *second == 'h') && second[unit] == ' ' && second[unit + 1] >= '0'
                       && second[unit + 1] <= '9';

        return n + 1 + (goes_on ? unit + 1 + next_word(second + unit + 1) : strcspn(second, " \n"));
    }
    return n;
}

void jw_help_wrap(struct jw_buf *out, const char *text, size_t at, size_t indent, size_t width)
{
    bool fresh = true; /* the line is empty */

    while (*text) {
        size_t n = next_word(text), blanks;
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

/* "  term   what it is", the text from column `column` on; a longer term gets its own line. `before`: the
 * width that the line already has. */
static void entry(struct jw_buf *out, const char *term, const char *what, size_t before, size_t column,
                  size_t width)
{
    size_t at = 2 + jw_text_width(term);

    jw_buf_printf(out, "  %s", term);
    if (at + 2 > column) {
        jw_buf_text(out, "\n");
        at = 0;
        column += before;
        before = 0;
    }
    jw_buf_fill(out, ' ', column - at);
    jw_help_wrap(out, what, before + column, before + column, width);
}

/* The longest beginning of `text` that ends where a clause ends and has at most `room` columns; else all of it. */
static void first_clause(struct jw_buf *out, const char *text, size_t room)
{
    size_t n = strlen(text), best = 0;
    unsigned inside = 0; /* parentheses */

    for (size_t i = 1; i < n && i <= room; i++) {
        if (!inside && (strchr(",;:", text[i]) ? text[i + 1] == ' ' : text[i] == ' ' && text[i + 1] == '('))
            best = i;
        inside += text[i] == '(';
        inside -= text[i] == ')' && inside;
    }
    jw_buf_clear(out);
    jw_buf_add(out, text, n <= room || !best ? n : best);
}

/* " FILE", or "[=DUR]" if it is optional. */
static void opt_arg(struct jw_buf *out, const struct opt *o)
{
    if (jw_opt_maybe(o))
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

static void pick(struct opt_part *p, const struct opt *o)
{
    if (p->n < JW_MAX_OPTIONS)
        p->rows[p->n++] = o;
}

static bool has_opt(const struct opt_part *p, const struct opt *o)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->rows[i] == o)
            return true;
    return false;
}

static void pick_names(struct opt_part *p, const struct opt *rows, const char *names)
{
    const char *word;
    size_t n;

    while ((word = jw_opt_word(&names, &n)))
        for (const struct opt *o = rows; o && o->name; o++)
            if (strlen(o->name) == n && memcmp(o->name, word, n) == 0)
                pick(p, o);
}

static void pick_first(struct opt_part *p, const struct opt *rows, size_t max)
{
    for (const struct opt *o = rows; o && o->name && p->n < max; o++)
        pick(p, o);
}

static bool is_listed(const struct opt_parts *parts, const struct opt *o)
{
    for (size_t i = 0; i < parts->n; i++)
        if (has_opt(&parts->v[i], o))
            return true;
    return false;
}

static void pick_common(struct opt_part *p, const struct cmd *cmd)
{
    pick_first(p, cmd->cache ? jw_cache_opts : NULL, JW_MAX_OPTIONS);
    pick_first(p, cmd->report ? jw_report_opts : NULL, JW_MAX_OPTIONS);
    pick_first(p, jw_common_opts, JW_MAX_OPTIONS);
}

void jw_opt_all(const struct cmd *cmd, struct opt_part *out)
{
    *out = (struct opt_part){ .n = 0 };
    pick_first(out, cmd->opts, JW_MAX_OPTIONS);
    pick_common(out, cmd);
}

void jw_opt_parts(const struct cmd *cmd, struct opt_parts *out)
{
    struct opt_part rest = { .title = cmd->groups ? "Other options" : NULL };

    out->n = 0;
    for (const struct opt_group *g = cmd->groups; g && g->title && out->n < JW_MAX_PARTS - 1; g++) {
        struct opt_part *part = &out->v[out->n];

        *part = (struct opt_part){ .title = g->title };
        pick_names(part, cmd->opts, g->names);
        out->n += part->n > 0;
    }
    for (const struct opt *o = cmd->opts; o && o->name; o++)
        if (!is_listed(out, o))
            pick(&rest, o);
    if (rest.n)
        out->v[out->n++] = rest;
}

/* `brief`: of each text the clauses that fit into the line. */
static void part_table(struct jw_buf *out, const char *title, const struct opt_part *part, bool brief,
                       size_t width)
{
    struct jw_buf term = JW_BUF(256), text = JW_BUF(4096);
    size_t column = 0;

    if (!part->n)
        return;
    for (size_t i = 0; i < part->n; i++)
        widen(&column, opt_term(part->rows[i], &term));
    column = column ? column : WIDEST_TERM + 4;
    jw_buf_printf(out, "\n%s:\n", title);
    for (size_t i = 0; i < part->n; i++) {
        first_clause(&text, part->rows[i]->help, brief && width > column ? width - column : SIZE_MAX);
        entry(out, opt_term(part->rows[i], &term), jw_buf_cstr(&text), 0, column, width);
    }
    jw_buf_free(&text);
    jw_buf_free(&term);
}

static void verb_tables(struct jw_buf *out, const struct cmd *cmd, size_t width)
{
    struct opt_parts parts;

    jw_opt_parts(cmd, &parts);
    for (size_t i = 0; i < parts.n; i++)
        part_table(out, parts.v[i].title ? parts.v[i].title : "Options", &parts.v[i], false, width);
}

/* "--json, --color WHEN, ..." */
static void part_line(struct jw_buf *out, const char *title, const struct opt_part *part, const char *end,
                      size_t width)
{
    struct jw_buf line = JW_BUF(1024);

    for (size_t i = 0; i < part->n; i++) {
        const struct opt *o = part->rows[i];

        jw_buf_text(&line, line.n ? ", " : "");
        if (o->short_name)
            jw_buf_printf(&line, "-%c/", o->short_name);
        jw_buf_printf(&line, "--%s", o->name);
        opt_arg(&line, o);
    }
    jw_buf_text(&line, end);
    jw_buf_text(out, title);
    jw_help_wrap(out, jw_buf_cstr(&line), strlen(title), 2, width);
    jw_buf_free(&line);
}

/* The verbs with their titles beside them, those of the last title by name alone: all on one screen. */
static void verb_table(struct jw_buf *out, size_t width)
{
    struct jw_buf others = JW_BUF(256);
    size_t column = 0, title = 0, last = 0;

    for (size_t i = 0; jw_cmds[i]; i++) {
        if (jw_cmd_titles[i]) {
            title = strlen(jw_cmd_titles[i]) > title ? strlen(jw_cmd_titles[i]) : title;
            last = i;
        }
    }
    for (size_t i = 0; (i < last || !last) && jw_cmds[i]; i++)
        if (!jw_cmds[i]->hidden)
            widen(&column, jw_cmds[i]->name);
    for (size_t i = 0; jw_cmds[i]; i++) {
        const char *group = jw_cmd_titles[i];

        if (jw_cmds[i]->hidden)
            continue;
        if (last && i >= last) {
            jw_buf_printf(&others, "%s%s", others.n ? ", " : "", jw_cmds[i]->name);
            continue;
        }
        jw_buf_printf(out, "%-*s", (int)title, group ? group : "");
        entry(out, jw_cmds[i]->name, jw_cmds[i]->summary, title, column, width);
    }
    if (last)
        jw_buf_printf(out, "%-*s  %s\n", (int)title, jw_cmd_titles[last], jw_buf_cstr(&others));
    jw_buf_clear(&others);
    jw_topic_names(&others);
    jw_buf_printf(out, "%-*s  ", (int)title, "Topics");
    jw_help_wrap(out, jw_buf_cstr(&others), title + 2, title + 2, width);
    jw_buf_free(&others);
}

enum { USAGE = 73 }; /* columns of its line */

void jw_help_overview(struct jw_buf *out, size_t width)
{
    struct opt_part every = { .n = 0 };

    pick_first(&every, jw_common_opts, JW_MAX_OPTIONS);
    jw_help_wrap(out, about, 0, 0, width);
    jw_buf_printf(out, "Usage: jitwarm VERB [OPTION...] [ARGUMENT...]%s(more: jitwarm help VERB)\n\n",
                  width < USAGE ? "\n       " : "   ");
    verb_table(out, width);
    jw_buf_text(out, "\n");
    part_line(out, "Every verb: ", &every, "; most: --json", width);
}

static void verb_head(struct jw_buf *out, const struct cmd *cmd, size_t width)
{
    struct jw_buf line = JW_BUF(512);

    jw_buf_printf(&line, "jitwarm %s: %s", cmd->name, cmd->summary);
    jw_help_wrap(out, jw_buf_cstr(&line), 0, 0, width);
    jw_buf_clear(&line);
    jw_buf_printf(&line, "Usage: jitwarm %s [OPTION...] %s", cmd->name, cmd->synopsis_args);
    jw_help_wrap(out, jw_buf_cstr(&line), 0, strlen("Usage: "), width);
    jw_buf_free(&line);
}

static void examples(struct jw_buf *out, const struct cmd *cmd, size_t width)
{
    if (cmd->examples)
        jw_buf_text(out, "\nExamples:\n");
    for (const struct example *e = cmd->examples; e && e->line; e++) {
        jw_buf_printf(out, "  %s\n      ", e->line);
        jw_help_wrap(out, e->what, 6, 6, width);
    }
}

/* One line each, as far as it is wide enough. */
static void brief_examples(struct jw_buf *out, const struct cmd *cmd, size_t width)
{
    struct jw_buf text = JW_BUF(4096);
    size_t column = 0, n = 0;

    for (const struct example *e = cmd->examples; e && e->line && n < SHORT_EXAMPLES; e++, n++)
        column = jw_text_width(e->line) + 4 > column ? jw_text_width(e->line) + 4 : column;
    if (n)
        jw_buf_text(out, "\nExamples:\n");
    for (size_t i = 0; i < n; i++) {
        const struct example *e = &cmd->examples[i];

        first_clause(&text, e->what, width > column ? width - column : 0);
        if (column + text.n <= width) {
            entry(out, e->line, jw_buf_cstr(&text), 0, column, width);
        } else {
            jw_buf_printf(out, "  %s\n      ", e->line);
            jw_help_wrap(out, e->what, 6, 6, width);
        }
    }
    jw_buf_free(&text);
}

void jw_help_verb(struct jw_buf *out, const struct cmd *cmd, size_t width)
{
    struct opt_part common = { .n = 0 };

    verb_head(out, cmd, width);
    if (cmd->details) {
        jw_buf_text(out, "\n");
        jw_help_wrap(out, cmd->details, 0, 0, width);
    }
    verb_tables(out, cmd, width);
    pick_common(&common, cmd);
    jw_buf_text(out, "\n");
    part_line(out, "Common options (jitwarm help): ", &common, "", width);
    examples(out, cmd, width);
}

void jw_help_short(struct jw_buf *out, const struct cmd *cmd, size_t width)
{
    struct opt_part all = { .n = 0 }, few = { .n = 0 };

    pick_first(&all, cmd->opts, JW_MAX_OPTIONS);
    if (cmd->often)
        pick_names(&few, cmd->opts, cmd->often);
    else
        pick_first(&few, cmd->opts, SHORT_OPTIONS);
    verb_head(out, cmd, width);
    part_table(out, few.n < all.n ? "Most used options" : "Options", &few, true, width);
    brief_examples(out, cmd, width);
    jw_buf_printf(out, "\nMore: jitwarm help %s\n", cmd->name);
}

/* The same as the man page jitwarm.conf(5) has. */
static void jw_help_conf(struct jw_buf *out, size_t width)
{
    jw_help_wrap(out,
                 "Settings of jitwarm, lines of the form KEY = VALUE. The user's file has the last word, and "
                 "lists add up. jitwarm doctor -v shows which value applies, and where it comes from.",
                 0, 0, width);
    jw_buf_text(out, "\nKeys:\n");
    for (const struct jw_config_key *k = jw_config_keys; k->name; k++) {
        jw_buf_printf(out, "  %s = %s\n      ", k->name, k->example);
        jw_help_wrap(out, k->what, 6, 6, width);
        if (k->usual || k->list)
            jw_buf_printf(out, "      %s%s\n", k->usual ? "Default: " : "A line for each value",
                          k->usual ? k->usual : "");
    }
    jw_buf_text(out, "\nFiles:\n");
    for (const struct named *f = jw_cli_files; f->name && strstr(f->name, ".conf"); f++) {
        jw_buf_printf(out, "  %s\n      ", f->name);
        jw_help_wrap(out, f->what, 6, 6, width);
    }
}

int jw_help_print(struct cli *cli, const struct cmd *cmd, bool whole)
{
    struct jw_buf out = JW_BUF(JW_MAX_PAGE);
    size_t width = cli->out.width;

    if (cmd && whole)
        jw_help_verb(&out, cmd, width);
    else if (cmd)
        jw_help_short(&out, cmd, width);
    else
        jw_help_overview(&out, width);
    return jw_cli_page(cli, &out);
}

/* For a mistyped name; NULL: none. */
static const struct cmd *nearest_verb(const char *name)
{
    const struct cmd *best = NULL;
    unsigned nearest = 99;

    for (size_t i = 0; jw_cmds[i]; i++) {
        unsigned apart = jw_cmds[i]->hidden ? 99 : jw_opt_nearness(name, jw_cmds[i]->name);

        if (apart < nearest) {
            nearest = apart;
            best = jw_cmds[i];
        }
    }
    return best;
}

int jw_help_unknown(struct cli *cli, const char *verb)
{
    const struct cmd *near = nearest_verb(verb);
    const char *speaking = jw_topic_see(cli->arena, verb);
    struct jw_err err = { 0 };

    cli->cmd = NULL; /* its help says nothing of the other one */

    if (verb[0] == '-')
        (void)jw_fail(&err, JW_E_USAGE, "options come after the verb: jitwarm VERB %s", verb);
    else if (near)
        (void)jw_fail(&err, JW_E_USAGE, "'%s' is not a verb; did you mean %s?", verb, near->name);
    else if (speaking)
        (void)jw_fail(&err, JW_E_USAGE, "'%s' is not a verb; see %s", verb, speaking);
    else
        (void)jw_fail(&err, JW_E_USAGE, "'%s' is not a verb", verb);
    return jw_cli_usage(cli, &err);
}

struct help_args {
    struct jw_texts verbs;
};

static int help_run(struct cli *cli, const void *args)
{
    const struct help_args *a = args;
    static const char man[] = "jitwarm-"; /* jitwarm-prime(1) */
    const char *page = a->verbs.n ? a->verbs.items[0] : "jitwarm";
    const struct cmd *cmd = jw_cmd_find(jw_text_starts(page, man) ? page + strlen(man) : page);

    if (strcmp(page, "jitwarm.conf") == 0) {
        struct jw_buf out = JW_BUF(JW_MAX_PAGE);

        jw_help_conf(&out, cli->out.width);
        return jw_cli_page(cli, &out);
    }
    if (!cmd && strcmp(page, "jitwarm") != 0) {
        struct jw_buf out = JW_BUF(JW_MAX_PAGE);

        if (!nearest_verb(page) && jw_topic_page(&out, cli->arena, page, cli->out.width))
            return jw_cli_page(cli, &out);
        jw_buf_free(&out);
        return jw_help_unknown(cli, page);
    }
    return jw_help_print(cli, cmd, true);
}

const struct cmd jw_cmd_help = {
    .name = "help",
    .summary = "show help, or the help of one verb or topic",
    .synopsis_args = "[VERB|TOPIC]",
    .args_size = sizeof(struct help_args),
    .positional_at = offsetof(struct help_args, verbs),
    .max_pos = 1,
    .pos_hint = HINT_VERBS,
    .stateless = true,
    .run = help_run,
};

const struct cmd *jw_cmd_find(const char *name)
{
    for (size_t i = 0; jw_cmds[i]; i++)
        if (strcmp(jw_cmds[i]->name, name) == 0)
            return jw_cmds[i];
    return NULL;
}
