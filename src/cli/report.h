/*
 * Makes a report, said once: each call is a line of the text, or a field of the JSON where --json was given. A head is one of few fixed
 * sentences; all else is a label and a value, with no agreement of verbs and numbers. docs/json.md lists all keys.
 *
 *   struct rep *r = rep_open(cli, "status");
 *   rep_head(r, JW_END_DONE, "warm", "All modules are warm");
 *   rep_fact(r, "limit_bytes", "Limit", REP_BYTES, n);
 *   rep_table(r, "files", 10);
 *   for (...) {
 *       rep_row(r);
 *       rep_fact(r, "path", "FILE", REP_PATH, path);
 *       rep_fact(r, "modules", "MODULES", REP_COUNT, n);
 *   }
 *   rep_end(r);
 *   rep_todo(r, &remedy);
 *   return rep_close(r);
 *
 * With --quiet a text is not printed, but a head that warns is said on standard error; with --progress json there is no text.
 * With a key NULL a line is of the text alone; with a label NULL a field is of the JSON alone.
 * Text and values are cleaned of control characters. A failed write is reported by rep_close.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "base/json.h"
#include "cause/cause.h"
#include "cause/remedy.h"
#include "cli/stream.h"
#include "jitwarm/answer.h"
#include "jitwarm/run.h"

#include <stdbool.h>
#include <stddef.h>

struct cli;
struct jw_step_list;
struct rep;

enum rep_kind {
    REP_TEXT,    /* const char *; NULL: no line, and null in JSON */
    REP_PATH,    /* as REP_TEXT; never wrapped */
    REP_COUNT,   /* uint64_t: 12,345 */
    REP_BYTES,   /* uint64_t: 1.2 GiB */
    REP_SECONDS, /* double, in JSON only */
    REP_WHEN, /* int64_t, seconds since 1970: the day, in JSON the time, too; 0: no line, and null in JSON */
    REP_YES,  /* int: yes or no */
    REP_KIND = 15,
    /* flags, added to a kind: */
    REP_DETAIL = 16,  /* text with -v only */
    REP_UNLESS0 = 32, /* no line if it is 0 or empty; JSON has it */
    REP_TONE = 64     /* times an enum rep_tone */
};

/* JSON: { "schema": "jitwarm.VERB/1", "version": "0.1.0", ... }. With `verb` NULL it is a text on standard error, even with --json, because
 * something else uses standard output. A report that is not closed prints nothing: a verb that fails after all returns jw_cli_fail. */
struct rep *rep_open(struct cli *cli, const char *verb);

/* The first line of the text; in JSON "result" and "message". Called once, at any time: the text has it on top. The end decides the exit
 * code, the tone (rep_tone_of; REP_AS: another one) and "result", where `word` does not say more of it; NULL: its own name. */
void rep_head(struct rep *r, unsigned end, const char *word, const char *format, ...) JW_PRINTF(4, 5);
#define REP_AS(end, tone) ((unsigned)(end) + (unsigned)REP_TONE * (unsigned)(tone))
enum rep_tone rep_tone_of(enum jw_end end);
/* Something else failed, too: the report ends with that, and "result" is its name. What went well changes nothing, nor does a part of what
 * failed already. */
void rep_ends(struct rep *r, enum jw_end end);
/* The exit code of an answer to another question: what a dry run finds cold is no failure, and what doctor finds is one. */
void rep_exit_as(struct rep *r, enum jw_end end);

/* The value's type is the kind's. */
void rep_fact(struct rep *r, const char *key, const char *label, int kind, ...);

enum rep_place { REP_LINES, REP_NOTES, REP_TODOS, REP_PLACES };

/* Adds a line under this label; NULL: a sentence of its own. Of a note it is the id of its cause, and the text has "Note". */
void rep_line(struct rep *r, enum rep_place place, int kind, const char *label, const char *format, ...)
    JW_PRINTF(5, 6);
/* Only in the text, so never a To do. */
#define rep_say(r, tone, label, ...) rep_line(r, REP_LINES, REP_TONE *(int)(tone), label, __VA_ARGS__)
/* In JSON "notes": [ { "id": null, "text": "...", "remedy": null } ]. */
#define rep_note(r, ...) rep_line(r, REP_NOTES, REP_TEXT, NULL, __VA_ARGS__)
/* "To do  LINE", each as it is pasted; in JSON "todo": [ { "where": "here", "command": LINE, "text": null } ]. */
#define rep_todo_line(r, ...) rep_line(r, REP_TODOS, REP_PATH, "To do", __VA_ARGS__)
#define rep_todo_say(r, ...) rep_line(r, REP_TODOS, REP_TEXT, "To do", __VA_ARGS__) /* by hand: a "text" */
/* The same for a remedy; what a person does by hand is a "text". In REP_NOTES it is that of the last note. */
#define rep_todo(r, ...) rep_remedy(r, REP_TODOS, __VA_ARGS__)
void rep_remedy(struct rep *r, enum rep_place place, const struct jw_remedy *remedy);

/* Begins an object under `key`, in JSON only; the next calls fill it until rep_end. */
void rep_begin(struct rep *r, const char *key);
/* Ends an object or a table. */
void rep_end(struct rep *r);

/* In JSON a list of objects. Text: a table of at most `shown` rows without -v (0: all), "and 3 more (-v)"; none without rows. Each rep_row
 * begins a row, and its cells are facts: labels are the titles. All rows have the same facts. */
void rep_table(struct rep *r, const char *key, size_t shown);
void rep_row(struct rep *r);

/* The text has only the first without -v, and behind it "(and 3 more: -v)". */
void rep_texts(struct rep *r, const char *key, const char *label, const char *const *list, size_t n);

/* Prints what is not printed yet. Returns the exit code of the end, or EXIT_CANNOT_WRITE. */
int rep_close(struct rep *r);

/* ---- what other rooms answer (cli/answer.c) ---- */

/* In JSON "scope": { ... }; text: the cache. rep_answer does it. */
void rep_scope(struct rep *r, const struct jw_scope *scope);
/* The same of verbs that look at the cache's folder alone. */
void rep_cache(struct rep *r, int kind, const char *cache);
/* The one place that words an answer: the scope, counts and the first that is not warm; in JSON "scope" and "answer": {...}. It is the
 * head, unless the verb gave one before: then it is a line. Called once. It ends well only for warm. */
void rep_answer(struct rep *r, const struct jw_facts *f);
/* A cause, its remedy as a To do; in JSON "cause": { "id", "seen", "text" }. It is the head, with the answer's word or "stopped", unless
 * the verb gave one before: then it is a line, and none where nothing is seen but what the answer says. Called once. */
void rep_cause(struct rep *r, const struct jw_cause *c, const struct jw_facts *f);
/* A cause that stops nothing: a note, and its remedy: a command below it, a sentence behind it (in JSON an object). */
void rep_concern(struct rep *r, const struct jw_cause *c, const struct jw_facts *f);
/* The notes of a run, and "why" it ended so; a run that failed ends the report (rep_ends). */
void rep_run(struct rep *r, const struct jw_run *run);
/* "Wrote  PATH" for each step of set-up (setup/setup.h); in JSON nothing. A dry run shows texts, too. */
void rep_steps(struct rep *r, bool dry_run, const struct jw_step_list *steps);

/* ---- inside: cli/ fills it; verbs read it, and set `brief` alone ---- */

struct rep_list {
    struct rep_text *first, **end;
};

struct rep {
    struct cli *cli;
    struct jw_arena *a;
    struct jw_stream *to;
    struct jw_json *json; /* NULL: a text */
    enum jw_end end;
    enum rep_tone tone;
    const char *word, *head, *why;         /* NULL: not said yet */
    struct rep_list lists[REP_PLACES + 2]; /* the last have the titles and cells of a table */
    bool in_table, brief; /* brief: with -v alone the text has the scope, and where files were found */
    size_t rows, shown;   /* of the open table, so far; at the most */
};

#endif
