/* Finds a module in a list of very many by its PTX, options and architecture, in a few steps. Pure. */
#ifndef PRIME_MODULE_INDEX_H
#define PRIME_MODULE_INDEX_H

#include "base/arena.h"
#include "jitwarm/module.h"

/* Each module stands at the first free slot from the one that its PTX's digest says. */
struct module_index {
    uint32_t *slots; /* positions in the list, from 1; 0: free */
    size_t n;        /* of slots: a power of two, at least twice as many as modules */
};

/* Makes an index of the `n` modules of `list`, with room for `more`. */
void module_index_make(struct module_index *x, const struct jw_job *list, size_t n, size_t more,
                       struct jw_arena *a);

/* Returns the slot of the module in `list` with the PTX, options and architecture of `j`. 0 in the slot: there is none,
 * and the position of `j` can be written there. */
uint32_t *module_index_find(const struct module_index *x, const struct jw_job *list, const struct jw_job *j);

#endif
