/* The recorded modules of one cache, found by identity or by the name of their entry. */
#ifndef CACHE_MEMORY_MODULES_H
#define CACHE_MEMORY_MODULES_H

#include "base/arena.h"
#include "cache/format/warmlog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_modules {
    struct jw_warm_module *list; /* in the order in which they were added first */
    size_t n;
    size_t room;               /* of the list */
    uint32_t *by_id, *by_name; /* hash tables: 1 + a place in the list, 0 where nothing is */
    size_t places;             /* of each table: a power of two */
    size_t names;              /* places that are taken in `by_name` */
};

/* Makes room for `n` in an empty table. */
void jw_modules_reserve(struct jw_modules *t, struct jw_arena *a, size_t n);

/* Replaces the one of the same id, architecture and build, or adds it. Texts are borrowed. */
void jw_modules_put(struct jw_modules *t, struct jw_arena *a, const struct jw_warm_module *m);

/* NULL: not known. */
const struct jw_warm_module *jw_modules_find(const struct jw_modules *t, const uint8_t id[32], uint16_t sm,
                                             const char *build);

/* Each record for an entry of this name: begin with `*at` 0. NULL: no more. There may be two, one of the name
 * alone and one of the module. */
const struct jw_warm_module *jw_modules_named(const struct jw_modules *t, uint64_t name, size_t *at);

/* With this compiler it is not tried again, because of its `ban`. */
bool jw_module_is_banned(const struct jw_warm_module *m, const char *compiler);

#endif
