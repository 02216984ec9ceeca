/* The one door to the heap, so that a test can make any allocation fail. NULL always means "no memory". */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *jw_alloc(size_t n) JW_MUST; /* zeroed */
void *jw_realloc(void *p, size_t n) JW_MUST;
char *jw_strdup(const char *text) JW_MUST;
void jw_free(void *p);

/* false: "out of memory (wanted 123 bytes)" */
#define jw_nomem(err, wanted) jw_fail(err, JW_E_NOMEM, "out of memory (wanted %zu bytes)", (size_t)(wanted))

/* At least `n` bytes at `*p`; what was there is lost, and so is `*p` itself when there is no memory. */
bool jw_room(uint8_t **p, size_t *room, size_t n, struct jw_err *err) JW_MUST;

/* Grows `*items` (element size `each`) so that item number `n` has room. */
bool jw_grow(void *items, size_t each, size_t n, size_t *cap, size_t max, struct jw_err *err) JW_MUST;

#endif
