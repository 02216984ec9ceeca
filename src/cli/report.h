/* Makes a report, said once: each call is a line of the text, or a field of the JSON where --json
 * was given, in the order of the calls. A head is one of few fixed sentences; all else is a label
 * and a value, with no agreement of verbs and numbers. docs/json.md lists all keys.
 *
 *   struct rep *r = rep_open(cli, "status");
 *   rep_head(r, JW_END_DONE, "warm", "All modules are warm");
 *   rep_fact(r, "limit_bytes", "Limit", rep_bytes(n));
 *   rep_table(r, "files", 10);
 *   for (...) {
 *       rep_row(r);
 *       rep_fact(r, "path", "FILE", rep_path(path));
 *       rep_fact(r, "modules", "MODULES", rep_count(n));
 *   }
 *   rep_end(r);
 *   rep_todo(r, &remedy);
 *   return rep_close(r);
 *
 * The text has the head on top, then lines and tables, then notes, then what to do. With --quiet it
 * is on standard error, where it fails or warns, and else is not printed. Text and values are
 * cleaned of control characters. A failed write is reported by rep_close. */
#pragma once

#include "base/json.h"
#include "cause/cause.h"
#include "cli/stream.h"
#include "jitwarm/module.h"

struct cli;
struct jw_step_list;
struct rep;

/* ---- values ---- */

enum rep_kind { REP_TEXT, REP_PATH, REP_COUNT, REP_BYTES, REP_SECONDS, REP_YES };

struct rep_value {
    enum rep_kind kind;
    enum rep_tone tone; /* in the text */
    union {
        const char *text;
        uint64_t n;
        double seconds;
    };
};

/* NULL is null in JSON. The text has no line of NULL, "" and 0; a table has an empty cell, but a
 * count of 0. */
#define rep_text(v) ((struct rep_value){.kind = REP_TEXT, .text = (v)})
#define rep_path(v) ((struct rep_value){.kind = REP_PATH, .text = (v)}) /* is not wrapped */
#define rep_count(v) ((struct rep_value){.kind = REP_COUNT, .n = (v)})  /* 12,345 */
#define rep_bytes(v) ((struct rep_value){.kind = REP_BYTES, .n = (v)})  /* 1.2 GiB */
/* In JSON alone. */
#define rep_seconds(v) ((struct rep_value){.kind = REP_SECONDS, .seconds = (v)})
#define rep_yes(v) ((struct rep_value){.kind = REP_YES, .n = (v)}) /* yes or no */
struct rep_value rep_toned(enum rep_tone tone, struct rep_value value);
/* The value where it is known; else null in JSON, and nothing in the text. */
struct rep_value rep_known(bool known, struct rep_value value);

/* ---- a report ---- */

/* JSON: { "schema": "jitwarm.VERB/1", "version": "0.1.0", ... }. With `verb` NULL it is a text on
 * standard error, even with --json, because something else uses standard output. A report that is
 * not closed prints nothing: a verb that fails after all returns jw_cli_fail. */
struct rep *rep_open(struct cli *cli, const char *verb);

/* The text has it on top; in JSON "result" and "message". Called once, at any time. The end decides
 * the exit code, the tone (rep_head_in: another one), and "result", where `word` does not say more
 * of it (NULL: its own name). */
#define rep_head(r, end, ...) rep_head_in(r, rep_tones[end], end, __VA_ARGS__)
void rep_head_in(struct rep *r, enum rep_tone tone, enum jw_end end, const char *word,
                 const char *format, ...) JW_PRINTF(5, 6);
extern const enum rep_tone rep_tones[JW_ENDS];
/* With `key` NULL it is of the text alone, with `label` NULL of the JSON alone. The text has a
 * detail with -v alone. One that is given has no key in the JSON where its text is NULL. */
typedef void rep_put(struct rep *r, const char *key, const char *label, struct rep_value value);
rep_put rep_fact, rep_detail, rep_given;
/* The text has only the first without -v, and behind it "(and 3 more: -v)". */
void rep_texts(struct rep *r, const char *key, const char *label, const char *const *list,
               size_t n);

/* Begins an object under `key`, in JSON only; the next calls fill it until rep_end, which ends a
 * table, too. */
void rep_begin(struct rep *r, const char *key);
void rep_end(struct rep *r);

/* In JSON a list of objects. Text: a table of at most `shown` rows without -v (0: all), "and 3 more
 * (-v)"; none without rows. Each rep_row begins a row, and its cells are facts: labels are the
 * titles. All rows have the same facts. */
void rep_table(struct rep *r, const char *key, size_t shown);
void rep_row(struct rep *r);

enum rep_place { REP_SENTENCES, REP_LINES, REP_NOTES, REP_TODOS, REP_PLACES };

/* Adds a line under this label; NULL: a sentence of its own. Of a note it is the id of its cause,
 * and the text has "Note". */
void rep_line(struct rep *r, enum rep_place place, enum rep_kind kind, enum rep_tone tone,
              const char *label, const char *format, ...) JW_PRINTF(6, 7);
/* Only in the text, so never a To do. */
#define rep_say(r, tone, label, ...) rep_line(r, REP_LINES, REP_TEXT, tone, label, __VA_ARGS__)
/* A sentence below the head. */
#define rep_also(r, tone, ...) rep_line(r, REP_SENTENCES, REP_TEXT, tone, NULL, __VA_ARGS__)
/* In JSON "notes": [ { "text": "..." } ]. */
#define rep_note(r, ...) rep_line(r, REP_NOTES, REP_TEXT, REP_PLAIN, NULL, __VA_ARGS__)
/* In JSON "todo": [ { "where": "here", "command": LINE } ]: a line as it is pasted, or as "text" a
 * sentence of what a person does. */
#define rep_todo_line(r, ...) rep_line(r, REP_TODOS, REP_PATH, REP_PLAIN, "To do", __VA_ARGS__)
#define rep_todo_say(r, ...) rep_line(r, REP_TODOS, REP_TEXT, REP_PLAIN, "To do", __VA_ARGS__)
/* The same for a remedy. In REP_NOTES it is that of the last note, below it. */
#define rep_todo(r, ...) rep_remedy(r, REP_TODOS, __VA_ARGS__)
void rep_remedy(struct rep *r, enum rep_place place, const struct jw_remedy *remedy);

/* Prints what is not printed yet. Returns the exit code of the head's end, or EXIT_CANNOT_WRITE. */
int rep_close(struct rep *r);
/* The same of what a room did, which says how all of it ended (jw_summary, or its run): where that
 * is worse than the head, or more than a part, "result" is its name. */
int rep_close_with(struct rep *r, enum jw_end end);

/* ---- what other rooms answer (cli/answer.c) ---- */

/* Of what was looked at, in JSON "scope": { ... }; the text has the cache, of `shown` without -v.
 * rep_answer does it. */
void rep_scope(struct rep *r, bool shown, const struct jw_scope *scope);
/* The same of verbs that look at the cache's folder alone. */
void rep_cache(struct rep *r, const char *cache);
/* The one place that words an answer: the scope, counts and the first that is not warm; in JSON
 * "scope" and "answer": {...}. It is the head, else a sentence below it. */
void rep_answer(struct rep *r, bool head, const struct jw_summary *v, const struct jw_facts *f);
/* Where a module stands, or how the attempt to compile it ended: "no-room". */
const char *rep_job_state(const struct jw_job *j);
/* The same of the cause, with its remedy as a To do; in JSON "cause": { "id", "seen", "text" }.
 * Below a head it is "Why", and no line where nothing is seen but what the answer says. */
void rep_cause(struct rep *r, bool head, const struct jw_summary *v, const struct jw_facts *f);
/* A cause that is a note, with its remedy: a command below it, a sentence behind it (in JSON an
 * object). */
void rep_concern(struct rep *r, const struct jw_cause *c, const struct jw_facts *f);
/* The notes of a run, and "why" it ended so. */
void rep_run(struct rep *r, const struct jw_run *run);
/* "Wrote  PATH" for each step of set-up (setup/setup.h); in JSON "steps". The text of a dry run
 * shows texts, too. */
void rep_steps(struct rep *r, bool dry_run, const struct jw_step_list *steps);

/* ---- inside: verbs read the first two ---- */

struct rep_list {
    struct rep_item *first, **end;
};

struct rep {
    struct cli *cli;
    struct jw_arena *a;
    struct jw_json *json; /* NULL: a text */
    struct jw_stream *to;
    enum jw_end end;
    enum rep_tone tone;
    const char *word, *head, *why;         /* head, why: NULL where there is none */
    struct rep_list lists[REP_PLACES + 2]; /* the last have the titles and cells of a table */
    bool in_table;
    size_t rows, shown; /* of the open table, so far; at the most */
};
