/* What each system does in its own way; only this room calls it. */
#ifndef SETUP_STEP_SYSTEM_H
#define SETUP_STEP_SYSTEM_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

bool setup_is_link(const char *path);

/* Replaces a small file as a whole, with the folders above it; no bytes: removes it. Refuses what others could change. */
bool setup_put_file(const char *path, struct jw_bytes text, bool for_all, struct jw_arena *a,
                    struct jw_err *err) JW_MUST;

#endif
