/* What jitwarm remembers, in a state folder of the test's own. */
#pragma once

#include "memory/cache_memory.h"

/* The state folder `name` of the scratch folder, and what is remembered there of the cache
 * "caches-of-users/`name`". Makes nothing. */
struct jw_cache_memory memory_begin(struct jw_arena *a, const char *name);
const char *memory_path(const struct jw_cache_memory *f, struct jw_arena *a, const char *file);

/* Checks that it can be taken, and by nobody else. */
struct jw_cache_lock *memory_lock(const struct jw_cache_memory *f);

/* Calls `try` for each way in which this file may be torn, damaged or another's: cut off at each
 * length, each byte another one, longer, of another kind, empty. */
void memory_spoil(const struct jw_cache_memory *f, const char *file,
                  void (*try)(const struct jw_cache_memory *f));
