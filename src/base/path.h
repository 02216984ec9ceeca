/* Paths as text. Nothing here asks a file system. Both / and \ separate names, but after a
 * leading / only / does, as on Linux. */
#pragma once

#include "base/arena.h"

/* Puts dir's separator between them, unless dir ends in one, and into the name. */
char *jw_path_join(struct jw_arena *a, const char *dir, const char *name) JW_NEVER_NULL;
const char *jw_path_base(const char *path); /* after the last / or \ */
/* What is before it; "." when there is none. */
char *jw_path_dir(struct jw_arena *a, const char *path) JW_NEVER_NULL;
bool jw_path_absolute(const char *path); /* "/x", "C:\x", "C:/x", "\\server\x" */

bool jw_path_is_disk(const char *path); /* "/", "C:\" */

/* Returns what follows the folder and its separator; NULL: the path is not below it. */
const char *jw_path_below(const char *path, const char *folder);

char jw_path_separator(const char *path); /* \ below "C:\" and "\\server", else / */

/* Shell-like pattern: * and ?, which match a / too, and ** is *. A pattern without a / is tried
 * against each component of the path, one with a / against the whole path and each of its tails.
 * Case matters. */
bool jw_path_match(const char *pattern, const char *path);
/* Does one of these patterns exclude it? Here one without a / is about the name alone, and a
 * \ counts as a /, as Windows' paths have it. */
bool jw_path_excluded(const char *path, const char *const *patterns, size_t n);
