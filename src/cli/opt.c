#include "cli/opt.h"

#include "base/command.h"
#include "base/num.h"
#include "base/text.h"
#include "cli/help.h"
#include "machine/run.h"
#include "os/machine/env.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#define MAX_SECONDS ((uint64_t)30 * 86400) /* in milliseconds it still fits an unsigned */

struct parser {
    const struct cmd *cmd;
    const char *const *words; /* all of them; a NULL follows the last one */
    char *const *next;        /* those that are left */
    void *args;
    struct shared *shared;
    const char *given; /* the names of options */
    bool closed;       /* no further word is an option */
    bool once;         /* the last option is not for the same command a second time */
    struct jw_arena *arena;
    struct jw_err *err;
    struct jw_texts *rest; /* the arguments so far */
};

unsigned jw_choice_of(const char *choices, const char *text)
{
    unsigned at = 1;
    size_t n;

    for (const char *word = choices; *(word += strspn(word, " ")); word += n, at++) {
        n = strcspn(word, " ");
        if (strlen(text) == n && memcmp(word, text, n) == 0)
            return at;
    }
    return 0;
}

static const struct opt *row_at(const struct opt *table, const char *order, size_t place)
{
    for (const struct opt *o = table; o->name; o++)
        if (jw_choice_of(order, o->name) == place)
            return o;
    return NULL;
}

const struct opt *jw_opt_of(const struct cmd *cmd, size_t i, bool *shared)
{
    const char *order = cmd->order ? cmd->order : JW_OF_ALL;
    const struct opt *o = row_at(cmd->opts, order, i + 1);

    *shared = !o;
    return o ? o : row_at(jw_shared_opts, order, i + 1);
}

/* Finds an option by name or letter. `*into`: the struct that it fills. */
static const struct opt *find_opt(const struct parser *p, bool by_letter, const char *name,
                                  size_t n, void **into)
{
    const struct opt *o;
    bool shared;

    for (size_t i = 0; (o = jw_opt_of(p->cmd, i, &shared)); i++)
        if (by_letter ? o->short_name == *name
                      : strlen(o->name) == n && memcmp(o->name, name, n) == 0)
            break;
    *into = shared ? (void *)p->shared : p->args;
    return o;
}

bool jw_is_near(const char *typed, size_t n, const char *word)
{
    size_t m = strlen(word);

    for (; n && m && *typed == *word; typed++, word++, n--)
        m--;
    for (; n && m && typed[n - 1] == word[m - 1]; n--)
        m--;
    return (n <= 1 && m <= 1) || (n == 2 && m == 2 && typed[0] == word[1] && typed[1] == word[0]);
}

/* The option of which this is a misspelling; NULL: none. */
static const char *near_opt(const struct cmd *cmd, const char *typed, size_t n)
{
    const struct opt *o;
    bool shared;

    for (size_t i = 0; (o = jw_opt_of(cmd, i, &shared)); i++)
        if (jw_is_near(typed, n, o->name))
            return o->name;
    return NULL;
}

/* ---- values ---- */

/* "sm_86,sm_89" are two values. An empty one is refused by who reads it. */
static void list_add_each(const struct parser *p, struct jw_texts *list, const char *text)
{
    for (const char *comma; (comma = strchr(text, ',')); text = comma + 1)
        jw_texts_add(list, p->arena, jw_arena_text(p->arena, text, (size_t)(comma - text)));
    jw_texts_add(list, p->arena, text);
}

/* Stores a size in bytes, a time in seconds, or a count. */
static bool store_number(const struct parser *p, const struct opt *o, void *place,
                         const char *value)
{
    const char *what = "a time such as 30s, 5m or 2h, of at most 30 days";
    int kind = o->kind & ~OPT_MAYBE;
    uint64_t n = 0;
    bool ok;

    if (kind == OPT_SIZE) {
        what = "a size such as 512M or 4GiB";
        ok = jw_text_size(value, &n);
    } else if (kind == OPT_UINT) {
        what = jw_arena_printf(p->arena, "a whole number from 1 to %u", JW_MAX_WORKERS);
        ok = jw_text_u64(value, &n) && n && n <= JW_MAX_WORKERS;
    } else {
        ok = jw_text_seconds(value, &n) && n && n <= MAX_SECONDS;
    }
    if (!ok)
        return jw_fail(p->err, JW_E_USAGE, "--%s takes %s, not '%s'", o->name, what, value);
    if (kind == OPT_SIZE)
        *(uint64_t *)place = n;
    else
        *(unsigned *)place = (unsigned)n;
    return true;
}

static bool store_choice(const struct parser *p, const struct opt *o, unsigned *place,
                         const char *value)
{
    *place = value ? jw_choice_of(o->choices, value) : 1;
    return *place
           || jw_fail(p->err, JW_E_USAGE, "--%s takes one of: %s; not '%s'", o->name, o->choices,
                      value);
}

/* Stores all words to the end of the line; the last may be an option meant for the verb. */
static void store_rest(struct parser *p, struct jw_texts *list, const char *value)
{
    for (; value; value = *p->next ? *p->next++ : NULL) {
        const char *name = jw_text_starts(value, "--") ? value + 2 : "";
        bool is_option = find_opt(p, false, name, strcspn(name, "="), &(void *){NULL});

        jw_texts_add(list, p->arena, value);
        p->shared->misplaced = is_option ? value : NULL;
    }
}

/* "sm_86,": a name is missing beside a comma. */
static bool lacks_a_name(const char *list)
{
    return *list == ',' || strstr(list, ",,") || jw_text_ends(list, ",");
}

/* `value` NULL: the option was given without one. An empty name of a file or folder comes from an
 * unset shell variable: "$DIR". */
static bool store(struct parser *p, const struct opt *o, void *place, const char *value)
{
    if (value && !*value && (o->hint == HINT_FILES || o->hint == HINT_DIRS))
        return jw_fail(p->err, JW_E_USAGE, "--%s: the name is empty", o->name);
    if (value && o->hint == HINT_GPUS && lacks_a_name(value))
        return jw_fail(p->err, JW_E_USAGE, "--%s: a name is missing beside a comma of '%s'",
                       o->name, value);
    switch (o->kind & ~OPT_MAYBE) {
    case OPT_FLAG: *(bool *)place = true; return true;
    case OPT_TEXT: *(const char **)place = value; return true;
    case OPT_LIST:
        if (o->hint == HINT_GPUS)
            list_add_each(p, place, value);
        else
            jw_texts_add(place, p->arena, value);
        return true;
    case OPT_REST: store_rest(p, place, value); return true;
    case OPT_CHOICE: return store_choice(p, o, place, value);
    default: break;
    }
    if (value)
        return store_number(p, o, place, value);
    *(unsigned *)place = UINT_MAX;
    return true;
}

/* ---- the command line ---- */

/* Does this word look like the value of an option that takes one only behind "="? */
static bool is_value(const struct opt *o, const char *word)
{
    uint64_t ignored;

    if (o->kind == (OPT_CHOICE | OPT_MAYBE))
        return jw_choice_of(o->choices, word);
    return o->kind == (OPT_DURATION | OPT_MAYBE) && jw_text_seconds(word, &ignored);
}

/* A number without a unit behind an option for a time: of a process, as people type it. */
static bool is_process(const struct opt *o, const char *word)
{
    return o->kind == (OPT_DURATION | OPT_MAYBE) && !word[strspn(word, "0123456789")];
}

/* `value`: the rest of the same word, or NULL. */
static bool take(struct parser *p, const struct opt *o, void *into, const char *value)
{
    if (!value && *p->next && is_process(o, *p->next))
        return jw_fail(p->err, JW_E_USAGE,
                       "--%s takes a time, --%s=60s, and no process: it lists all that compile",
                       o->name, o->name);
    if (!value && *p->next && is_value(o, *p->next))
        return jw_fail(p->err, JW_E_USAGE, "write --%s=%s, or ./%s for a file", o->name, *p->next,
                       *p->next);
    if (!value && o->kind != OPT_FLAG && !(o->kind & OPT_MAYBE)) {
        value = *p->next;
        if (!value)
            return jw_fail(p->err, JW_E_USAGE, "--%s needs a value: --%s %s", o->name, o->name,
                           o->arg);
        if (o->kind == OPT_REST && strcmp(value, "--") == 0 && p->next[1])
            value = *++p->next; /* --run -- CMD */
        else if (value[0] == '-' && value[1])
            return jw_fail(p->err, JW_E_USAGE,
                           "--%s needs a value, but %s looks like an option (if it is the value, "
                           "write --%s=%s)",
                           o->name, value, o->name, value);
        p->next++;
    }
    p->given = jw_arena_printf(p->arena, "%s %s", p->given, o->name);
    p->once |= jw_choice_of("dry-run time-limit", o->name) != 0;
    return store(p, o, (char *)into + o->at, value);
}

/* What was probably meant by a word that is no option, as the end of a sentence. */
static const char *what_was_meant(struct parser *p, const char *word, const char *name, size_t n)
{
    const char *near = word[1] == '-' ? near_opt(p->cmd, name, n) : NULL;
    const char *line =
        jw_help_meant(JW_PHRASE("%s--%.*s", p->cmd->name, (int)n, name), p->words, word, p->arena);

    if (near)
        return jw_arena_printf(p->arena, "; did you mean --%s?", near);
    if (!*line && p->rest->n && find_opt(p, false, "run", 3, &(void *){NULL}))
        return "; a command stands behind --run";
    return line;
}

/* "--jobs=4", "--jobs 4" */
static bool take_name(struct parser *p, const char *word)
{
    const char *name = word + 2;
    size_t n = strcspn(name, "=");
    void *into;
    const struct opt *o = find_opt(p, false, name, n, &into);

    if (!o)
        return jw_fail(p->err, JW_E_USAGE, "--%.*s is not an option%s", (int)jw_min(n, 64), name,
                       what_was_meant(p, word, name, n));
    if (name[n] && o->kind == OPT_FLAG)
        return jw_fail(p->err, JW_E_USAGE, "--%s takes no value", o->name);
    return take(p, o, into, name[n] ? name + n + 1 : NULL);
}

/* "-qv", "-j4", "-j 4" */
static bool take_letters(struct parser *p, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        void *into;
        const struct opt *o = find_opt(p, true, letter, 1, &into);

        if (!o)
            return jw_fail(p->err, JW_E_USAGE, "-%.*s is not an option%s",
                           letter == word + 1 ? 64 : 1, letter, what_was_meant(p, word, letter, 1));
        if (o->kind != OPT_FLAG)
            return take(p, o, into, letter[1] ? letter + 1 : NULL);
        (void)take(p, o, into, NULL);
    }
    return true;
}

/* Checks the arguments. A file "-k" stood behind "--"; it becomes "./-k", so that no line to paste
 * takes it for an option. */
static bool take_positionals(const struct parser *p, const struct jw_texts *rest)
{
    const struct cmd *cmd = p->cmd;

    if (rest->n < cmd->min_pos)
        return jw_fail(p->err, JW_E_USAGE, "%s is missing", cmd->synopsis_args);
    for (size_t i = 0; cmd->pos_hint == HINT_FILES && i < rest->n && !(i && cmd->command); i++)
        if (!cmd->command && rest->v[i][0] == '-' && rest->v[i][1])
            rest->v[i] = jw_arena_printf(p->arena, "./%s", rest->v[i]);
        else if (!*rest->v[i])
            return jw_fail(p->err, JW_E_USAGE, "argument %zu is an empty name", i + 1);
    if (cmd->pos_choices && rest->n && !jw_choice_of(cmd->pos_choices, rest->v[0]))
        return jw_fail(p->err, JW_E_USAGE, "'%s' is not one of: %s", rest->v[0], cmd->pos_choices);
    if (rest->n > cmd->max_pos && cmd->instead)
        return jw_fail(p->err, JW_E_USAGE, "unexpected argument '%s'; did you mean %s %s?",
                       rest->v[cmd->max_pos], cmd->instead,
                       JW_COMMAND(p->arena, jw_os_is_windows(), rest->v[cmd->max_pos]));
    return rest->n <= cmd->max_pos
           || jw_fail(p->err, JW_E_USAGE, "unexpected argument '%s': %s takes %s",
                      rest->v[cmd->max_pos], cmd->name,
                      *cmd->synopsis_args ? cmd->synopsis_args : "no arguments");
}

static bool check_alone(const struct parser *p, const struct jw_texts *rest)
{
    const struct opt *o;
    bool shared;

    for (const struct alone *x = p->cmd->alone; x->option; x++) {
        if (!jw_choice_of(p->given, x->option))
            continue;
        for (size_t i = 0; (o = jw_opt_of(p->cmd, i, &shared)); i++)
            if (jw_choice_of(p->given, o->name) && strcmp(o->name, x->option) != 0
                && !jw_choice_of(x->beside, o->name) && !jw_choice_of(JW_OF_ALL, o->name))
                return jw_fail(p->err, JW_E_USAGE, "--%s and --%s cannot be combined", x->option,
                               o->name);
        if (rest->n && !jw_choice_of(x->beside, "ARGUMENTS"))
            return jw_fail(p->err, JW_E_USAGE, "--%s and '%s' cannot be combined", x->option,
                           rest->v[0]);
    }
    return true;
}

/* Takes the next word, with those that are its values. */
static bool take_next(struct parser *p)
{
    const char *word = *p->next++;

    if (p->closed || word[0] != '-' || !word[1]) {
        jw_texts_add(p->rest, p->arena, word);
        p->closed |= p->cmd->command;
        return true;
    }
    if (strcmp(word, "--") == 0) {
        p->closed = true;
        return true;
    }
    return word[1] == '-' ? take_name(p, word) : take_letters(p, word);
}

bool jw_opt_parse(const struct cmd *cmd, char *const argv[], void **args, struct shared *shared,
                  struct jw_arena *a, struct jw_err *err)
{
    struct jw_texts rest = {0};
    struct parser p = {.cmd = cmd,
                       .words = (const char *const *)argv,
                       .next = argv,
                       .args = jw_arena_alloc(a, cmd->args_size),
                       .shared = shared,
                       .given = "",
                       .arena = a,
                       .err = err,
                       .rest = &rest};
    struct jw_err later; /* than the first, which is said */
    bool ok = true;

    while (*p.next) {
        char *const *typed = p.next;

        p.once = false;
        if (!take_next(&p)) {
            ok = false;
            p.err = &later;
        }
        for (; !p.once && typed < p.next; typed++)
            jw_texts_add(&shared->words, a, *typed);
    }
    *args = p.args;
    if (cmd->max_pos)
        memcpy((char *)p.args + cmd->positional_at, &rest, sizeof rest);
    return ok && (shared->help || (take_positionals(&p, &rest) && check_alone(&p, &rest)));
}
