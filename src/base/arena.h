/* An arena: many allocations that are freed together. Memory is zeroed and 16-aligned. A function
 * with a parameter of this type puts its results there. */
#pragma once

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdarg.h>
#include <stddef.h>

struct jw_arena {
    struct jw_arena_block *blocks;
    size_t used, max; /* max 0: JW_MAX_ARENA */
};

/* Is there room for `n` more bytes? Code that allocates by a number from an untrusted file asks
 * first, because an allocation beyond `max` ends the process, like out of memory. */
bool jw_arena_has_room(const struct jw_arena *a, size_t n);
void *jw_arena_alloc(struct jw_arena *a, size_t n) JW_NEVER_NULL;
/* A copy that a NUL ends. */
char *jw_arena_text(struct jw_arena *a, const char *p, size_t n) JW_NEVER_NULL;
char *jw_arena_str(struct jw_arena *a, const char *text) JW_NEVER_NULL;
static inline char *jw_arena_str_or_null(struct jw_arena *a, const char *text)
{
    return text ? jw_arena_str(a, text) : NULL;
}
char *jw_arena_vprintf(struct jw_arena *a, const char *fmt, va_list args) JW_NEVER_NULL;
char *jw_arena_printf(struct jw_arena *a, const char *fmt, ...) JW_PRINTF(2, 3) JW_NEVER_NULL;
void *jw_arena_copy(struct jw_arena *a, const void *p, size_t n) JW_NEVER_NULL;
void jw_arena_free(struct jw_arena *a);

/* Appends a zeroed element to `*items` (element size `each`, `*n` elements), which may move. Only
 * this function may grow the list. NULL: see err; more than `max` elements are JW_E_LIMIT. */
void *jw_list_add(struct jw_arena *a, void *items, size_t *n, size_t each, size_t max,
                  struct jw_err *err) JW_MUST;
