/* Packs for tests of the store: whole at their end, and of nothing else that the store looks at. */
#ifndef TESTS_RIGS_PACKS_H
#define TESTS_RIGS_PACKS_H

#include "cache.h"
#include "pack/store/store.h"

/* A store of this name below the test's scratch folder, empty. */
const char *packs_begin(struct jw_arena *a, const char *name);

/* A file of `size` bytes that begin with `text` and end as packs do; not in the store. */
const char *packs_file(struct jw_arena *a, const char *name, const char *text, size_t size);

struct jw_store_key packs_key(const char *stamp, uint16_t sm);

/* Puts such a file in; fails the test when it cannot. */
struct jw_store_add packs_add(struct jw_arena *a, struct jw_store_key key, const char *text, size_t size);

/* The name that it has in the store, and whether it is there. */
const char *packs_name(struct jw_arena *a, struct jw_store_key key, const char *text, size_t size);
bool packs_has(const char *dir, struct jw_store_key key, const char *text, size_t size);

struct jw_store packs_load(struct jw_arena *a);

/* What of this name is there begins with: 'X', '-' for nothing. */
char packs_first(const char *dir, const char *name);

#endif
