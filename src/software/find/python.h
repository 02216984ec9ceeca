/* Asks a Python for its package folders. */
#ifndef SOFTWARE_FIND_PYTHON_H
#define SOFTWARE_FIND_PYTHON_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "machine/listing.h"

#include <stdbool.h>

/* Runs `exe` isolated (-I) and returns its site-packages and dist-packages folders. Accepts only absolute paths that
 * end in one of these names. False: it failed, hung or printed none. */
bool jw_python_ask(const char *exe, unsigned timeout_ms, struct jw_arena *a, struct jw_listing *folders,
                   struct jw_err *err) JW_MUST;

/* The prefixes of the Pythons that the py launcher of Windows lists (PEP 514), this user's first, each once; none on
 * Linux. Skips unreadable keys. */
struct jw_listing jw_pythons_registered(struct jw_arena *a);

/* "site-packages", "dist-packages" */
bool jw_python_is_site(const char *base);

#endif
