/*
 * A command is one row, an option is one row. Parsing, usage, help, the man page and the completions all come
 * from these rows, so that they cannot drift.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

struct cli;

/* The C type at `at`: FLAG bool, TEXT const char *, LIST struct texts, UINT unsigned, SIZE uint64_t,
 * CHOICE unsigned (the index of the word in `choices`; so the first word is the default), DURATION unsigned
 * (seconds). Of MAYBE_DURATION and MAYBE_CHOICE the value can only follow an equals sign; none is UINT_MAX, or the second word. */
enum opt_kind {
    OPT_FLAG,
    OPT_TEXT,
    OPT_LIST,
    OPT_UINT,
    OPT_SIZE,
    OPT_CHOICE,
    OPT_DURATION,
    OPT_MAYBE_DURATION,
    OPT_MAYBE_CHOICE,
    OPT_REST /* a struct texts: all arguments behind it, whatever they look like */
};

/* What a shell offers for a value. HINT_WORDS: the words of `choices`, others are welcome. */
enum opt_hint { HINT_NONE, HINT_FILES, HINT_DIRS, HINT_GPUS, HINT_VERBS, HINT_WORDS };

struct opt {
    const char *name; /* without the dashes; NULL ends a table */
    char short_name;  /* 0: none */
    enum opt_kind kind;
    size_t at;           /* in the struct that the table fills */
    const char *arg;     /* what the value is called: "DIR"; NULL for a flag */
    const char *help;    /* one sentence without a full stop */
    const char *choices; /* "auto always never"; "- slow-start": the default has no name */
    enum opt_hint hint;
};

struct texts {
    const char **items;
    size_t n;
};

/* Options of a verb under one heading of its help. */
struct opt_group {
    const char *title; /* NULL ends a table */
    const char *names; /* "gpu only skip" */
};

struct example {
    const char *line, *what; /* line NULL ends a table */
};

struct cmd {
    const char *name;
    const char *summary;       /* one sentence without a full stop */
    const char *synopsis_args; /* "[PATH...]", or "" */
    const char *details;       /* paragraphs, an empty line between them */
    const struct example *examples;
    const struct opt *opts;         /* its own; may be NULL */
    const struct opt_group *groups; /* in its whole help; NULL: one list. What no group names comes last */
    const char *often;              /* names of options for its short help; NULL: the first ten */
    size_t args_size;               /* of the struct that `opts` fill; zeroed before */
    size_t positional_at;           /* a struct texts in it, when max_pos is not 0 */
    unsigned min_pos, max_pos;
    enum opt_hint pos_hint;
    const char *pos_choices; /* for HINT_WORDS */
    bool report;             /* also takes --json and --stats */
    bool hidden;             /* neither in help, man page nor completions */
    bool command;            /* its arguments are a command line: options end at the first of them */
    int (*run)(struct cli *cli, const void *args); /* an exit code of cli.h */
};

#define JW_OPT_UNNAMED "-" /* the word of `choices` that nobody can type: the default */
#define POS_ANY ((unsigned)-1)

/* A table and the struct that its values go to. */
struct opt_set {
    const struct opt *rows;
    void *into;
    bool first_ends; /* the first positional ends all options */
};

/* Reads `argv[0 .. argc)`, values and `rest` (the positionals) borrowed from it. Values given twice: the
 * last wins, lists add. An option that none of the sets knows is JW_E_USAGE with a suggestion. */
bool jw_opt_parse(const struct opt_set *sets, size_t n_sets, int argc, char *const argv[], struct texts *rest,
                  struct jw_arena *a, struct jw_err *err) JW_MUST;

/* As many positionals as `cmd` takes? */
bool jw_opt_check_count(const struct cmd *cmd, const struct texts *rest, struct jw_err *err) JW_MUST;

/* The word of `choices` that `text` is; false: none. */
bool jw_opt_choice(const char *choices, const char *text, unsigned *index);

/* The next word of a list of words, NULL at the end: for (at = words; (w = jw_opt_word(&at, &n)); ) */
const char *jw_opt_word(const char **at, size_t *n);

/* May its value be left out? */
bool jw_opt_maybe(const struct opt *o);

/* Does the option take the argument behind it, unless its own word holds a value? */
bool jw_opt_takes_next(const struct opt *o);

/* Is `known` near enough to `typed` to be what was meant? Smaller is nearer; 99: no. */
unsigned jw_opt_nearness(const char *typed, const char *known);

#endif
