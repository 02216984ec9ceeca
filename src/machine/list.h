/* Growing lists in an arena, notes for the user, and how a run ends. */
#ifndef MACHINE_LIST_H
#define MACHINE_LIST_H

#include "base/arena.h"
#include "jitwarm/end.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/*
 * Appends a zeroed element to `*items` (element size `each`, `*n` elements), which may move. Only this function may
 * grow the list. NULL: see err; more than `max` elements are JW_E_LIMIT.
 */
void *jw_list_add(struct jw_arena *a, void *items, size_t *n, size_t each, size_t max,
                  struct jw_err *err) JW_MUST;

/* Notes: facts for the user that are not errors. */
struct jw_notes {
    const char **v;
    size_t n;
};

/* After JW_MAX_NOTES a last note says that there were more. */
void jw_note(struct jw_notes *notes, struct jw_arena *a, const char *fmt, ...) JW_PRINTF(3, 4);

/* Makes a note of an error that does not stop the search. */
bool jw_note_failure(struct jw_notes *notes, struct jw_arena *a, struct jw_err *why, const char *path);

/* Sets the end of a run and its reason, NULL for an empty one. Returns true, so that a step can return it. */
bool jw_end_run(struct jw_arena *a, bool *ended, enum jw_end *end, const char **why, enum jw_end how,
                const char *fmt, ...) JW_PRINTF(6, 7);

/* For a run with an arena `a`, `ended`, and a report `out`. */
#define JW_END(run, how, ...)                                                                                \
    jw_end_run((run)->a, &(run)->ended, &(run)->out->end, &(run)->out->why, how, __VA_ARGS__)

#endif
