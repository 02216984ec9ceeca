#include "cli/topic.h"

#include "base/text.h"
#include "cli/commands.h"
#include "cli/help.h"

#include <string.h>

/* Each shows a table of the man page. The first name is the one that is recommended. */
static const struct topic {
    const char *const names[4], *title;
    const struct named *rows;
} topics[] = {
    { { "exit-codes", "exit-status", "exits", "codes" }, "Exit codes", jw_cli_exits },
    { { "environment", "variables", "env-vars" }, "Variables of the environment", jw_cli_variables },
    { { "files", "paths", "folders" }, "Files", jw_cli_files },
};

/* "packs" and "pack" are one word, and so are "exit-codes" and "exit codes". */
static bool speaks_of(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = text; at && (at = jw_text_find_nocase(at, word)); at++) {
        const char *end = at + n + (at[n] == 's');

        if ((at == text || !jw_is_letter(at[-1])) && !jw_is_letter(*end))
            return true;
    }
    return false;
}

/* The texts of a verb, the most telling first: its summary, the names of its options, its details, the help of its
 * options. */
enum { SUMMARY, OPTION_NAMES, DETAILS, OPTIONS, TEXTS };

static bool verb_speaks_of(const struct cmd *cmd, unsigned text, const char *word)
{
    const char *whole = text == SUMMARY ? cmd->summary : text == DETAILS ? cmd->details : NULL;

    if (cmd->hidden)
        return false;
    for (const struct opt *o = whole ? NULL : cmd->opts; o && o->name; o++)
        if (speaks_of(text == OPTION_NAMES ? o->name : o->help, word))
            return true;
    return speaks_of(whole, word);
}

/* The first text in which a verb speaks of it; TEXTS: none does. */
static unsigned text_that_speaks_of(const char *word)
{
    for (unsigned text = SUMMARY; text < TEXTS; text++)
        for (size_t i = 0; jw_cmds[i]; i++)
            if (verb_speaks_of(jw_cmds[i], text, word))
                return text;
    return TEXTS;
}

/* The word as a text may have it; NULL: it is too short to be looked for. */
static const char *plain(struct jw_arena *a, const char *name)
{
    enum { SHORTEST = 3 };
    char *word = jw_arena_str(a, name);
    size_t n = strlen(word);

    if (n > SHORTEST && word[n - 1] == 's')
        word[--n] = '\0';
    for (char *at = word; (at = strchr(at, '-'));)
        *at = ' ';
    return n >= SHORTEST ? word : NULL;
}

static const struct topic *topic_of(const char *name)
{
    for (size_t i = 0; i < JW_COUNT(topics); i++)
        for (size_t k = 0; k < JW_COUNT(topics[i].names) && topics[i].names[k]; k++)
            if (strcmp(topics[i].names[k], name) == 0)
                return &topics[i];
    return NULL;
}

const char *jw_topic_see(struct jw_arena *a, const char *name)
{
    enum { SHOWN = 4 };
    const struct topic *topic = topic_of(name);
    const char *word = plain(a, name), *list = NULL;
    unsigned text = word ? text_that_speaks_of(word) : TEXTS;

    if (topic)
        return jw_arena_printf(a, "jitwarm help %s", topic->names[0]);
    for (size_t i = 0, shown = 0; text < TEXTS && jw_cmds[i] && shown < SHOWN; i++)
        if (verb_speaks_of(jw_cmds[i], text, word)) {
            list = jw_arena_printf(a, "%s%s%s", list ? list : "jitwarm help ", list ? ", " : "",
                                   jw_cmds[i]->name);
            shown++;
        }
    return list;
}

static void add_row(struct jw_buf *out, const char *name, const char *what, size_t column, size_t width)
{
    size_t at = 2 + jw_text_width(name);

    jw_buf_text(out, "  ");
    if (at + 2 > column) {
        jw_help_wrap(out, name, 2, 2, width);
        at = 0;
    } else
        jw_buf_text(out, name);
    jw_buf_fill(out, ' ', column - at);
    jw_help_wrap(out, what, column, column, width);
}

enum { NARROW = 7, WIDE = 13 }; /* columns before what it is */

/* Adds the rows that have the word; NULL: all. False: there is none. */
static bool add_rows(struct jw_buf *out, const char *title, const struct named *rows, const char *word,
                     size_t width)
{
    bool any = false;

    for (; rows->name; rows++) {
        if (word && !speaks_of(rows->name, word) && !speaks_of(rows->what, word))
            continue;
        if (!any)
            jw_buf_printf(out, "%s%s:\n", out->n ? "\n" : "", title);
        add_row(out, rows->name, rows->what, NARROW, width);
        any = true;
    }
    return any;
}

bool jw_topic_page(struct jw_buf *out, struct jw_arena *a, const char *name, size_t width)
{
    const struct topic *topic = topic_of(name);
    const char *word = plain(a, name);
    bool any = false;

    if (topic)
        return add_rows(out, topic->title, topic->rows, NULL, width);
    for (size_t i = 0; word && jw_cmds[i]; i++) {
        bool speaks = false;

        for (unsigned text = SUMMARY; text < OPTIONS && !speaks; text++)
            speaks = verb_speaks_of(jw_cmds[i], text, word);
        if (!speaks)
            continue;
        if (!any)
            jw_buf_text(out, "Verbs (jitwarm help VERB):\n");
        add_row(out, jw_cmds[i]->name, jw_cmds[i]->summary, WIDE, width);
        any = true;
    }
    for (size_t i = 0; word && i < JW_COUNT(topics); i++)
        any = add_rows(out, topics[i].title, topics[i].rows, word, width) || any;
    return any;
}

void jw_topic_names(struct jw_buf *out)
{
    for (size_t i = 0; i < JW_COUNT(topics); i++)
        jw_buf_printf(out, "%s, ", topics[i].names[0]);
    jw_buf_text(out, "jitwarm.conf");
}
