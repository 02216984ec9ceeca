/* Lists that grow inside an arena, and the sentences that a search collects on its way. */
#ifndef MACHINE_LIST_H
#define MACHINE_LIST_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stdarg.h>
#include <stdbool.h>

/*
 * A new zeroed element at the end of `*items` (element size `each`, `*n` of them), which may move. The list
 * must have grown through this function alone. NULL: see err; more than `max` is JW_E_LIMIT.
 */
void *jw_list_add(struct jw_arena *a, void *items, size_t *n, size_t each, size_t max,
                  struct jw_err *err) JW_MUST;

/* What the user should know although nothing failed. */
struct jw_notes {
    const char **v;
    size_t n;
};

/* Past JW_MAX_NOTES one last sentence says so. */
void jw_note(struct jw_notes *notes, struct jw_arena *a, const char *fmt, ...) JW_PRINTF(3, 4);
void jw_note_say(struct jw_notes *notes, struct jw_arena *a, const char *fmt, va_list args);

/* A failure that the search survives becomes a note. */
bool jw_note_failure(struct jw_notes *notes, struct jw_arena *a, struct jw_err *why, const char *path);

#endif
