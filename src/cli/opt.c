#include "cli/opt.h"

#include "base/num.h"
#include "base/text.h"
#include "cli/shared.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#define MAX_SECONDS ((uint64_t)30 * 86400) /* in milliseconds it still fits an unsigned */

struct parser {
    const struct cmd *cmd;
    void *args;
    struct shared *shared;
    int argc, at;
    char *const *argv;
    struct jw_arena *arena;
};

bool jw_opt_choice(const char *choices, const char *text, unsigned *index)
{
    size_t n;

    *index = 0;
    for (const char *word = choices; *(word += strspn(word, " ")); word += n, ++*index) {
        n = strcspn(word, " ");
        if (strlen(text) == n && memcmp(word, text, n) == 0 && strcmp(text, JW_OPT_UNNAMED) != 0)
            return true;
    }
    return false;
}

bool jw_opt_maybe(const struct opt *o)
{
    return o->kind == OPT_MAYBE_DURATION || o->kind == OPT_MAYBE_CHOICE;
}

static bool value_follows(const struct opt *o)
{
    return o->kind != OPT_FLAG && !jw_opt_maybe(o);
}

const struct opt *jw_opt_of(const struct cmd *cmd, size_t i, bool *shared)
{
    *shared = false;
    for (const struct opt *o = cmd->opts; o && o->name; o++)
        if (i-- == 0)
            return o;
    *shared = true;
    for (const struct opt *o = jw_shared_opts; o->name; o++)
        if (jw_shared_has(cmd, o) && i-- == 0)
            return o;
    return NULL;
}

/* By its long name of `n` bytes, or if that is NULL by its short one. `*into`: the struct that it fills. */
static const struct opt *find_opt(const struct parser *p, const char *name, size_t n, char letter,
                                  void **into)
{
    const struct opt *o;
    bool shared;

    for (size_t i = 0; (o = jw_opt_of(p->cmd, i, &shared)); i++)
        if (name ? strlen(o->name) == n && memcmp(o->name, name, n) == 0 : o->short_name == letter)
            break;
    *into = shared ? (void *)p->shared : p->args;
    return o;
}

static bool fail_unknown(const char *dashes, const char *name, size_t n, struct jw_err *err)
{
    enum { LONGEST = 64 };

    return jw_fail(err, JW_E_USAGE, "%s%.*s is not an option", dashes, (int)jw_min(n, LONGEST), name);
}

/* ---- values ---- */

static bool fail_value(const struct opt *o, const char *what, const char *value, struct jw_err *err)
{
    return jw_fail(err, JW_E_USAGE, "--%s takes %s, not '%s'", o->name, what, value);
}

/* A command line goes on as it is, so NULL ends each list. */
static void list_add(const struct parser *p, struct jw_texts *list, const char *text)
{
    const char *const with_end[] = { text, NULL };
    struct jw_err never;
    const char **to;

    for (size_t i = 0; i < JW_COUNT(with_end); i++) {
        to = jw_list_add(p->arena, (void *)&list->v, &list->n, sizeof *to, SIZE_MAX, &never);
        if (to)
            *to = with_end[i];
    }
    list->n--;
}

/* "sm_86,sm_89" are two. An empty one stays, so that the reader of the option can refuse it in its own words. */
static void list_add_each(const struct parser *p, struct jw_texts *list, const char *text)
{
    for (const char *comma; (comma = strchr(text, ',')); text = comma + 1)
        list_add(p, list, jw_arena_text(p->arena, text, (size_t)(comma - text)));
    list_add(p, list, text);
}

static bool store_duration(const struct opt *o, void *place, const char *value, struct jw_err *err)
{
    uint64_t seconds = UINT_MAX;

    if (value && (!jw_text_seconds(value, &seconds) || !seconds || seconds > MAX_SECONDS))
        return fail_value(o, "a time such as 30s, 5m or 2h, of at most 30 days", value, err);
    memcpy(place, &(unsigned){ (unsigned)seconds }, sizeof(unsigned));
    return true;
}

static bool store_number(const struct opt *o, void *place, const char *value, struct jw_err *err)
{
    uint64_t number;

    if (!jw_text_u64(value, &number) || number == 0 || number > UINT_MAX)
        return fail_value(o, "a whole number from 1 on", value, err);
    memcpy(place, &(unsigned){ (unsigned)number }, sizeof(unsigned));
    return true;
}

static bool store_choice(const struct opt *o, void *place, const char *value, struct jw_err *err)
{
    unsigned index = 1;

    if (value && !jw_opt_choice(o->choices, value, &index))
        return jw_fail(err, JW_E_USAGE, "--%s takes one of: %s; not '%s'", o->name,
                       o->choices + strspn(o->choices, JW_OPT_UNNAMED " "), value);
    memcpy(place, &index, sizeof index);
    return true;
}

/* An empty name of a file or folder is a shell variable that is not set: "$DIR". */
static bool check_name(const struct opt *o, const char *value, struct jw_err *err)
{
    return *value || (o->hint != HINT_FILES && o->hint != HINT_DIRS)
           || jw_fail(err, JW_E_USAGE, "--%s: the name is empty", o->name);
}

static bool store(struct parser *p, const struct opt *o, void *into, const char *value, struct jw_err *err)
{
    void *place = (char *)into + o->at;

    switch (o->kind) {
    case OPT_FLAG: memcpy(place, &(bool){ true }, sizeof(bool)); return true;
    case OPT_TEXT: memcpy(place, &value, sizeof value); return check_name(o, value, err);
    case OPT_LIST:
        (o->hint == HINT_GPUS ? list_add_each : list_add)(p, place, value);
        return check_name(o, value, err);
    case OPT_REST:
        list_add(p, place, value);
        while (p->at < p->argc)
            list_add(p, place, p->argv[p->at++]);
        return true;
    case OPT_SIZE:
        return jw_text_size(value, place) || fail_value(o, "a size such as 512M or 4GiB", value, err);
    case OPT_UINT: return store_number(o, place, value, err);
    case OPT_CHOICE:
    case OPT_MAYBE_CHOICE: return store_choice(o, place, value, err);
    default: return store_duration(o, place, value, err);
    }
}

/* ---- the command line ---- */

/* Reads the value from the next argument. If that looks like an option, the value was probably forgotten. */
static bool next_value(struct parser *p, const struct opt *o, const char **value, struct jw_err *err)
{
    const char *next = p->at < p->argc ? p->argv[p->at] : NULL;

    if (!next)
        return jw_fail(err, JW_E_USAGE, "--%s needs a value: --%s %s", o->name, o->name, o->arg);
    if (next[0] == '-' && next[1] && strcmp(next, "--") == 0 && o->kind == OPT_REST && p->at + 1 < p->argc)
        next = p->argv[++p->at]; /* --run -- CMD */
    else if (next[0] == '-' && next[1])
        return jw_fail(err, JW_E_USAGE,
                       "--%s needs a value, but %s looks like an option (if it is the value, write --%s=%s)",
                       o->name, next, o->name, next);
    *value = next;
    p->at++;
    return true;
}

static bool take_long(struct parser *p, const char *arg, struct jw_err *err)
{
    const char *name = arg + 2, *value = NULL;
    size_t n = strcspn(name, "=");
    void *into;
    const struct opt *o = find_opt(p, name, n, 0, &into);

    if (!o)
        return fail_unknown("--", name, n, err);
    if (o->kind == OPT_FLAG && name[n])
        return jw_fail(err, JW_E_USAGE, "--%s takes no value", o->name);
    if (name[n])
        value = name + n + 1;
    else if (value_follows(o) && !next_value(p, o, &value, err))
        return false;
    return store(p, o, into, value, err);
}

/* "-qv", "-j4", "-j 4" */
static bool take_short(struct parser *p, const char *arg, struct jw_err *err)
{
    void *into;

    for (const char *c = arg + 1; *c; c++) {
        const struct opt *o = find_opt(p, NULL, 0, *c, &into);
        const char *value = c[1] ? c + 1 : NULL;

        if (!o)
            return fail_unknown("-", c, c == arg + 1 ? strlen(c) : 1, err);
        if (o->kind != OPT_FLAG && o->kind != OPT_MAYBE_CHOICE)
            return (value || !value_follows(o) || next_value(p, o, &value, err))
                   && store(p, o, into, value, err);
        if (!store(p, o, into, NULL, err))
            return false;
    }
    return true;
}

bool jw_opt_parse(const struct cmd *cmd, void *args, struct shared *shared, int argc, char *const argv[],
                  struct jw_texts *rest, struct jw_arena *a, struct jw_err *err)
{
    struct parser p = { cmd, args, shared, argc, 0, argv, a };
    bool open = true;

    while (p.at < argc) {
        const char *arg = argv[p.at++];

        if (open && strcmp(arg, "--") == 0) {
            open = false;
        } else if (!open || arg[0] != '-' || !arg[1]) {
            list_add(&p, rest, arg);
            open = open && !cmd->command;
        } else if (!(arg[1] == '-' ? take_long : take_short)(&p, arg, err)) {
            return false;
        }
    }
    return true;
}

bool jw_opt_check_count(const struct cmd *cmd, const struct jw_texts *rest, struct jw_err *err)
{
    unsigned word;

    if (rest->n < cmd->min_pos)
        return jw_fail(err, JW_E_USAGE, "%s is missing", cmd->synopsis_args);
    for (size_t i = 0; cmd->pos_hint == HINT_FILES && !cmd->command && i < rest->n; i++)
        if (!*rest->v[i])
            return jw_fail(err, JW_E_USAGE, "argument %zu is an empty name", i + 1);
    if (cmd->pos_choices && rest->n && !jw_opt_choice(cmd->pos_choices, rest->v[0], &word))
        return jw_fail(err, JW_E_USAGE, "'%s' is not one of: %s", rest->v[0], cmd->pos_choices);
    return rest->n <= cmd->max_pos
           || jw_fail(err, JW_E_USAGE, "%s: '%s'",
                      cmd->max_pos ? "too many arguments" : "takes no arguments, but got",
                      rest->v[cmd->max_pos]);
}
