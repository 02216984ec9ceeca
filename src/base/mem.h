/* The one door to the heap. None of these returns NULL: a process that gets no memory ends
 * (jitwarm/err.h), as it may be killed at any instant. */
#pragma once

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stddef.h>

void *jw_alloc(size_t n) JW_NEVER_NULL; /* zeroed */
void *jw_realloc(void *p, size_t n) JW_NEVER_NULL;
/* Of memory that is filled whole: Linux clears 2 MiB of it at once, not 4 KiB. */
void *jw_realloc_filled(void *p, size_t n) JW_NEVER_NULL;
char *jw_strdup(const char *text) JW_NEVER_NULL;
void jw_free(void *p);

/* Ends the process, for code that allocates by another door: zstd, curl. */
_Noreturn void jw_out_of_memory(size_t wanted);

/* Grows `*items`, of size `each`, so that item number `n` has room. False: `max` is exceeded. */
bool jw_grow(void *items, size_t each, size_t n, size_t *cap, size_t max,
             struct jw_err *err) JW_MUST;
