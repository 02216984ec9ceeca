/* Base64 in its one form: the standard alphabet, padded, no bits left over, nothing between. Takes equally long
 * whatever the bytes are, for keys go through it. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/bytes.h"
#include "base/compiler.h"

#define JW_BASE64(n) (((size_t)(n) + 2) / 3 * 4) /* characters of `n` bytes */

void jw_base64_put(char *out, const void *p, size_t n); /* JW_BASE64(n) and a NUL */

/* Whether `text` is exactly `n` bytes; `out` then holds them. */
bool jw_base64_get(uint8_t *out, size_t n, struct jw_bytes text) JW_MUST;

#endif
