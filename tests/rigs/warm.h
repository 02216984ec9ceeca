/* The memory of cache roots, in a state folder of the test's own. */
#ifndef TESTS_RIGS_WARM_H
#define TESTS_RIGS_WARM_H

#include "cache/memory/warmplace.h"
#include "cache/memory/warmstate.h"
#include "tree.h"

/* A new state folder; gives a root, which does not exist. */
const char *warm_begin(struct jw_arena *a, const char *name);
struct jw_warm_place warm_place(struct jw_arena *a, const char *cache);

/* Fails the test when another one has it. */
struct jw_warm_log *warm_open(const char *cache);
/* The same, by who read it before. */
struct jw_warm_log *warm_open_known(const char *cache, const struct jw_warm_state *known);
struct jw_warm_state warm_load(struct jw_arena *a, const char *cache);
/* Does a process work on it, and how many modules has it done (0: it has not said)? */
bool warm_busy(struct jw_arena *a, const char *cache, struct jw_warm_holder *holder, uint64_t *done);
void warm_write_progress(struct jw_warm_log *l, uint64_t done);

/* A file that holds nothing else then; how long one is. */
void warm_spoil(const char *path, const void *p, size_t n);
uint64_t warm_size(const char *path);

/* Facts by number: all that there is to them follows from it. */
struct jw_warm_module warm_module(unsigned n, uint64_t bytes);
struct jw_warm_module warm_ban(unsigned n); /* the same module, which hung */
struct jw_warm_receipt warm_receipt(const char *command, int64_t when);
void warm_add(struct jw_warm_log *l, struct jw_warm_module m);
void warm_add_module(struct jw_warm_log *l, unsigned n, uint64_t bytes);
const struct jw_warm_module *warm_find(const struct jw_warm_state *s, unsigned n); /* NULL: not remembered */
size_t warm_banned(const struct jw_warm_state *s);

#endif
