/*
 * An arena: many small results that live and die together. Zeroed, 16-aligned. A parameter of this type in a signature
 * means "the result lives there".
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/compiler.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct jw_arena {
    struct jw_arena_block *blocks;
    size_t used, max; /* max 0: JW_MAX_ARENA */
};

/* Past the cap is as good as no memory: the process ends. Whoever fills an arena by the word of a stranger's file asks
 * first. */
bool jw_arena_has_room(const struct jw_arena *a, size_t n);
void *jw_arena_alloc(struct jw_arena *a, size_t n) JW_NEVER_NULL;
char *jw_arena_text(struct jw_arena *a, const char *p, size_t n) JW_NEVER_NULL; /* NUL-terminated copy */
char *jw_arena_str(struct jw_arena *a, const char *text) JW_NEVER_NULL;
char *jw_arena_say(struct jw_arena *a, const char *fmt,
                   va_list args) JW_NEVER_NULL; /* cut at JW_MAX_SENTENCE */
void *jw_arena_copy(struct jw_arena *a, const void *p, size_t n) JW_NEVER_NULL;
void jw_arena_free(struct jw_arena *a);

#endif
