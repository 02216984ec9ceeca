/* Asking a Python where its packages are. */
#ifndef SOFTWARE_FIND_PYTHON_H
#define SOFTWARE_FIND_PYTHON_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "machine/listing.h"

#include <stdbool.h>

/*
 * Runs `exe`, isolated (-I), and gives the site-packages and dist-packages folders that it names. What it
 * prints is not believed: only absolute paths that end in such a name are taken. False: it failed, hung or
 * said none.
 */
bool jw_python_ask(const char *exe, unsigned timeout_ms, struct jw_arena *a, struct jw_listing *folders,
                   struct jw_err *err) JW_MUST;

/* "site-packages", "dist-packages" */
bool jw_python_is_site(const char *base);

#endif
