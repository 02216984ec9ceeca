/* Fake installations: files below the test's scratch folder. */
#pragma once

#include "base/arena.h"

/* The scratch folder's `name`, absolute; lives in `a`. */
const char *tree_path(struct jw_arena *a, const char *name);

/* Makes the folders above it, too. Both fail the test when they cannot. */
const char *tree_file(struct jw_arena *a, const char *name, const char *text);
const char *tree_bytes(struct jw_arena *a, const char *name, const void *p, size_t n);
const char *tree_dir(struct jw_arena *a, const char *name);
