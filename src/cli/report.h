/*
 * Makes a report, said once: each call is a line of the text, or a field of the JSON where --json was given. A head is one of few fixed
 * sentences; all else is a label and a value, with no agreement of verbs and numbers. docs/json.md lists the keys that people use.
 *
 *   struct rep *r = rep_open(cli, "status");
 *   rep_head(r, REP_GOOD, "warm", "All modules are warm");
 *   rep_fact(r, "limit_bytes", "Limit", REP_BYTES, n);
 *   rep_todo(r, &remedy);
 *   return rep_close(r, EXIT_DONE);
 *
 * With --quiet a text is not printed, but a head that warns is said on standard error; with --progress json there is no text.
 * With a key NULL a line is of the text alone; with a label NULL a field is of the JSON alone. What is REP_DETAIL is text only with -v.
 * Text and values are cleaned of control characters. A failed write is reported by rep_close.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cause/cause.h"
#include "cause/remedy.h"
#include "cli/stream.h"
#include "jitwarm/answer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli;
struct jw_run;
struct jw_step_list;
struct rep;

enum rep_kind {
    REP_TEXT,    /* const char *; NULL: no line, JSON null */
    REP_PATH,    /* the same; never cut or wrapped */
    REP_COUNT,   /* uint64_t: 12,345 */
    REP_BYTES,   /* uint64_t: 1.2 GiB */
    REP_SECONDS, /* double: 1 min 22 s */
    REP_WHEN,    /* int64_t, seconds since 1970; 0: no line, JSON null */
    REP_YES,     /* int: yes, no */
    REP_KIND = 15,
    REP_DETAIL = 16, /* with the above: text with -v only */
    REP_UNLESS0 = 32 /* with the above: no line where it is 0 or empty; the JSON has it */
};

/* JSON: { "schema": "jitwarm.VERB/1", "version": "0.1.0", ... }. A report that is not closed prints nothing: a verb that fails after all
 * returns jw_cli_fail. */
struct rep *rep_open(struct cli *cli, const char *verb);
/* The same on standard error, text even with --json, because something else uses standard output. */
struct rep *rep_open_stderr(struct cli *cli);

/* The first line, and in JSON "result": `word`, "message". Called once, first or not: text has it on top. */
void rep_head(struct rep *r, enum rep_tone tone, const char *word, const char *format, ...) JW_PRINTF(4, 5);

/* The value's type is the kind's. */
void rep_fact(struct rep *r, const char *key, const char *label, int kind, ...);

/* A line under a label, of any words: text alone, so never a To do. */
void rep_say(struct rep *r, enum rep_tone tone, const char *label, const char *format, ...) JW_PRINTF(4, 5);

/* In JSON "notes": [ ... ]; text: "Note  ...". */
void rep_note(struct rep *r, const char *format, ...) JW_PRINTF(2, 3);

/* In JSON an object under `key`, which the next calls fill until rep_end; text: nothing. */
void rep_begin(struct rep *r, const char *key);
void rep_end(struct rep *r);

struct rep_column {
    const char *key, *title;
    int kind;      /* a rep_kind; REP_DETAIL: a column of JSON, and of text with -v */
    bool flexible; /* cut to fit the terminal */
};

struct rep_cell {
    const char *text; /* of TEXT and PATH */
    uint64_t n;       /* of COUNT, BYTES, YES */
    double seconds;
    int64_t when;
    enum rep_tone tone;
};

typedef void rep_cell_of(const void *ctx, size_t row, size_t column, struct rep_cell *out);

/* In JSON a list of objects. Text: a table of at most `shown` rows without -v (0: all), "and 3 more (-v)". A column with a key NULL is of
 * the text alone, with a title NULL of the JSON alone. */
void rep_table(struct rep *r, const char *key, const struct rep_column *columns, size_t n_columns, size_t n,
               rep_cell_of *cell, const void *ctx, size_t shown);

/* Text: the first alone without -v, "and 3 more (-v)". */
void rep_texts(struct rep *r, const char *key, const char *label, const char *const *list, size_t n);

/* "To do  LINE", each as it is pasted, or what a person does; in JSON "todo": [ ... ]. */
void rep_todo(struct rep *r, const struct jw_remedy *remedy);
void rep_todo_line(struct rep *r, const char *format, ...) JW_PRINTF(2, 3);

/* In JSON "scope": { ... }; text: the cache. rep_answer does it. */
void rep_scope(struct rep *r, const struct jw_scope *scope);
/* The one place that words an answer: the scope, counts and the first that is not warm, and in JSON "scope" and "answer": {...}. It is the
 * head, unless the verb gave one before: then it is a line. Called once. Returns the exit code of the answer alone: 0 only for warm. */
int rep_answer(struct rep *r, const struct jw_answer *a);
/* A cause, its remedy as a To do; in JSON "cause": { "id", "seen", "text" }. It is the head, with the word "stopped", unless the verb gave
 * one before: then it is a line, and none where nothing is seen but what the answer says. Called once. */
void rep_cause(struct rep *r, const struct jw_cause *c, const struct jw_facts *f);
/* A cause that stops nothing: a note, and with -v its remedy below it; in JSON the remedy is in "todo". */
void rep_concern(struct rep *r, const struct jw_cause *c, const struct jw_facts *f);
/* The notes of a run, and how it ended: in JSON "end" and "why". */
void rep_run(struct rep *r, const struct jw_run *run);
/* "Wrote  PATH" for each step of set-up (setup/setup.h); in JSON nothing. A dry run shows texts, too. */
void rep_steps(struct rep *r, bool dry_run, const struct jw_step_list *steps);

/* Prints what is left. Returns `code`, or EXIT_CANNOT_WRITE. */
int rep_close(struct rep *r, int code);

#endif
