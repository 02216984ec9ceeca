/* Secret bytes: random, compared in constant time, wiped so that the compiler cannot remove the wipe. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

void jw_secret_wipe(void *p, size_t n);
bool jw_secret_same(const void *a, const void *b, size_t n) JW_MUST;
bool jw_secret_random(void *p, size_t n, struct jw_err *err) JW_MUST; /* from the system's generator */

#endif
