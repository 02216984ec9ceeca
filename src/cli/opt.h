/* Verbs and options are rows, of which parsing, help, man pages and completions are made. */
#pragma once

#include "base/arena.h"
#include "jitwarm/run.h"

struct cli;

/* The C type at `at`: FLAG bool, TEXT const char * (of a file or folder never ""), LIST struct
 * jw_texts, UINT unsigned from 1 to JW_MAX_WORKERS, SIZE uint64_t, DURATION unsigned (seconds),
 * CHOICE unsigned (the word in `choices`, counted from 1). 0 and NULL: not given. With MAYBE the
 * value needs an equals sign and is optional: without it a DURATION stores UINT_MAX, and a
 * CHOICE 1. */
enum opt_kind {
    OPT_FLAG,
    OPT_TEXT,
    OPT_LIST,
    OPT_UINT,
    OPT_SIZE,
    OPT_CHOICE,
    OPT_DURATION,
    /* struct jw_texts: all arguments after the option, also those that look like options */
    OPT_REST,
    OPT_MAYBE = 16
};

/* What a shell completes. HINT_WORDS: the words of `choices`; other values are valid, too. */
enum opt_hint { HINT_NONE, HINT_FILES, HINT_DIRS, HINT_GPUS, HINT_VERBS, HINT_WORDS };

struct opt {
    const char *name; /* without the dashes; NULL ends a table */
    char short_name;  /* 0: none */
    int kind;
    size_t at;           /* offset in the struct that the table fills */
    const char *arg;     /* name of the value: "DIR"; NULL for a flag */
    const char *help;    /* one sentence without a full stop */
    const char *choices; /* "auto always never" */
    enum opt_hint hint;
};

struct example {
    const char *line, *what;
};

/* An option that leaves no room for others but these (and JW_OF_ALL): their names, ARGUMENTS among
 * them where there may be some. */
struct alone {
    const char *option, *beside;
};

struct cmd {
    const char *name;
    const char *summary;        /* one sentence without a full stop */
    const char *synopsis_args;  /* "[PATH...]", or "" */
    const char *details;        /* paragraphs, an empty line between them */
    struct example examples[5]; /* line NULL ends them */
    struct opt opts[10];        /* the verb's own; name NULL ends them */
    /* the names of all its options, the most used first: its own, those that it takes * of
     * cli/shared.c, JW_OF_ALL, and what few people need; NULL: JW_OF_ALL alone */
    const char *order;
    struct alone alone[4]; /* option NULL ends it */
    size_t args_size;      /* size of the struct that `opts` fill; it is zeroed before */
    size_t positional_at;  /* offset of a struct jw_texts in it, if max_pos is not 0 */
    unsigned min_pos, max_pos;
    enum opt_hint pos_hint;
    const char *pos_choices; /* the words that may be given; NULL: any */
    const char *instead;     /* the command that takes what is too much for this one, or NULL */
    bool hidden;             /* not in help, man page or completions */
    bool command;            /* the arguments are a command line: options end at the first one */
    int (*run)(struct cli *cli, const void *args); /* an exit code of cli.h */
};

#define POS_ANY ((unsigned)-1)

/* The options that several verbs have: one row each (cli/shared.c). A verb names those that it
 * takes (struct cmd), and finds their values in cli->shared; quiet, verbose and help are of all
 * verbs. */
struct shared {
    struct jw_texts run;      /* "run": the words of a command */
    const char *misplaced;    /* an option of the verb, at the end of a command; NULL: none is */
    bool all, whole_cache;    /* "all", "whole-cache" */
    bool system;              /* "system" */
    unsigned time_limit_s;    /* "time-limit"; 0: none */
    bool json;                /* "json": a report in JSON (cli/report.h does it) */
    bool yes;                 /* "yes" */
    bool dry_run;             /* "dry-run" */
    bool as_root;             /* "as-root": root works on the cache of root's own programs */
    const char *cache;        /* "cache": also in session.cache already */
    const char *sign;         /* "sign": the file of a secret key */
    struct jw_texts gpus;     /* "gpu": words of --gpu */
    const char *driver_files; /* "driver-files": the folder of a driver that is not installed */
    struct jw_texts trust;    /* "trust": files of public keys, beside those of the folders */
    struct jw_texts words;    /* the line as it was typed, without --dry-run and --time-limit */
    /* of all verbs: */
    bool quiet, verbose, help;
};

extern const struct opt jw_shared_opts[];
#define JW_OF_ALL " quiet verbose help"

/* Parses `argv`, which a NULL ends. `*args` is the struct with the options and arguments of `cmd`;
 * `shared` gets the other options. Values point into `argv`. The last value of a repeated option
 * counts; lists grow. With --help arguments may be missing. After an error (JW_E_USAGE) parsing
 * goes on, so that a later --json makes the error JSON. */
bool jw_opt_parse(const struct cmd *cmd, char *const argv[], void **args, struct shared *shared,
                  struct jw_arena *a, struct jw_err *err) JW_MUST;

/* Is the word of `n` bytes a misspelling: one letter missing, added, replaced, or exchanged with
 * the next? Also if it is right. */
bool jw_is_near(const char *typed, size_t n, const char *word);

/* The place of this word in `choices`, from 1 on; 0: it is not there. */
unsigned jw_choice_of(const char *choices, const char *text);

/* All options of a verb in their order: for (size_t i = 0; (o = jw_opt_of(cmd, i, &shared)); i++).
 * `shared`: is it a row of cli/shared.c? */
const struct opt *jw_opt_of(const struct cmd *cmd, size_t i, bool *shared);
