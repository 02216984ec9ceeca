/* A run (jitwarm/run.h): its notes for the user, its steps, and its end. */
#pragma once

#include "base/arena.h"
#include "jitwarm/err.h"
#include "jitwarm/run.h"

/* After JW_MAX_NOTES a last note says that there were more. */
void jw_note(struct jw_texts *notes, struct jw_arena *a, const char *fmt, ...) JW_PRINTF(3, 4);

/* Adds a text that the arena outlives; a NULL follows the last one. */
void jw_texts_add(struct jw_texts *list, struct jw_arena *a, const char *text);

#define JW_NOTE(run, ...) jw_note(&(run)->notes, (run)->a, __VA_ARGS__)

/* `run` may be NULL: it shows no progress, and is never interrupted. `what` NULL: nothing is shown
 * any more, since a command will write to the terminal. */
void jw_run_show(const struct jw_run *run, const char *what, uint64_t done, uint64_t total);
/* False, with JW_E_INTERRUPTED: it does not. */
bool jw_run_goes_on(const struct jw_run *run, struct jw_err *err) JW_MUST;

/* Asks the user, unless --yes was given. If nobody can be asked, the answer is no. */
bool jw_run_ask(const struct jw_run *run, const char *question, bool usual);

/* Begins a run, or begins it anew: its clock starts, and it has said nothing. */
void jw_run_begin(struct jw_run *run);

/* Begins a part of this run, with an end of its own. It has as much time. */
struct jw_run jw_run_part(const struct jw_run *run);
/* Takes over the notes of a part, if it is of interest what it noted. */
void jw_run_join(struct jw_run *run, const struct jw_run *part);
/* Ends the run as the part ended, if it did. */
void jw_run_end_as(struct jw_run *run, const struct jw_run *part);

/* Ends a run; an empty reason becomes NULL. Returns true, so that a step can return it: false is a
 * failure of the step, with its error, and run->ended alone says whether the run goes on. So no
 * failure is lost in a run that has ended. */
bool jw_run_end(struct jw_run *run, enum jw_end how, const char *why, ...) JW_PRINTF(3, 4);
bool jw_run_done(struct jw_run *run, enum jw_end how);

/* The end of a run, and so of a verb, that this failure means. */
enum jw_end jw_end_of(enum jw_code failure);
/* Ends the run with the message of a failure of I/O or the driver, an interruption, or a limit.
 * False for others: see `err`. */
bool jw_run_end_by(struct jw_run *run, const struct jw_err *why, struct jw_err *err);

/* Makes the `n` steps of a run, until one ends it, or fails (jw_run_end_by), or it is
 * interrupted. */
bool jw_run_steps(struct jw_run *run, size_t n,
                  bool (*make)(void *of, size_t at, struct jw_err *err), void *of,
                  struct jw_err *err);
