/* Base64 in the canonical form: standard alphabet, padding, no white space. Constant time. */
#pragma once

#include "base/bytes.h"
#include "base/compiler.h"

#define JW_BASE64(n) (((size_t)(n) + 2) / 3 * 4) /* characters of `n` bytes */

void jw_base64_put(char *out, const void *p, size_t n); /* JW_BASE64(n) and a NUL */

/* True if `text` encodes exactly `n` bytes, which are then in `out`. */
bool jw_base64_get(uint8_t *out, size_t n, struct jw_bytes text) JW_MUST;
