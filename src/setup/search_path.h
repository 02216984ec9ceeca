/* PATH of this user or of the machine, for the installer of Windows: its own script language cannot hold a long one. */
#ifndef SETUP_SEARCH_PATH_H
#define SETUP_SEARCH_PATH_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/* Adds this folder at the end, or removes it; all else stays byte for byte. New consoles have it. Other systems: JW_E_USAGE. */
bool jw_search_path_change(bool machine, const char *folder, bool add, struct jw_arena *a,
                           struct jw_err *err) JW_MUST;

/* The text with the folder added or removed ("C:\\a;C:\\b"). Pure. */
const char *jw_search_path_with(const char *path, const char *folder, bool add, struct jw_arena *a);

#endif
