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

struct jw_store packs_load(struct jw_arena *a);

/* What packs of the store for this key begin with, sorted: "12"; '?' stands for one that cannot be used. */
const char *packs_of(struct jw_arena *a, struct jw_store_key key);

/* The path of the pack whose text begins with `first`; NULL: there is none. */
const struct jw_store_pack *packs_find(struct jw_arena *a, char first);

/* The name that the store gives to such a pack. */
const char *packs_name(struct jw_arena *a, struct jw_store_key key, const char *text, size_t size);

#endif
