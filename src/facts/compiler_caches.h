/* Where other compilers than the driver's keep what they compiled for GPUs. */
#ifndef FACTS_COMPILER_CACHES_H
#define FACTS_COMPILER_CACHES_H

#include <stdbool.h>
#include <stddef.h>

enum jw_compiler_cache_place {
    JW_CACHE_NOWHERE,
    JW_CACHE_HOME,
    JW_CACHE_CACHES,    /* XDG_CACHE_HOME, or ~/.cache */
    JW_CACHE_TEMPORARY, /* TMPDIR, or /tmp; the user's name is the end of its name */
    JW_CACHE_OF_USER    /* there, in a folder of the user's name */
};

struct jw_compiler_cache {
    const char *name, *owner, *module;
    const char *variable;               /* that moves it; NULL: none does */
    const char *below_variable;         /* behind the folder that the variable names */
    enum jw_compiler_cache_place place; /* without the variable */
    const char *below;
    const char *home; /* a variable that stands for HOME */
};

const struct jw_compiler_cache *jw_compiler_caches(size_t *n);

/* True if a cache is elsewhere where this variable is set. */
bool jw_moves_compiler_cache(const char *variable);

#endif
