/* Caches of compiled GPU code that belong to other compilers than the driver's. jitwarm never changes them. */
#ifndef CACHE_PLACE_OTHER_CACHES_H
#define CACHE_PLACE_OTHER_CACHES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_other_cache {
    const char *owner;    /* "Triton" */
    const char *module;   /* the folder of its package in site-packages; NULL: it has none */
    const char *variable; /* that moves it; NULL: none does */
    bool set;             /* the variable is set here */
    const char *path;     /* NULL: without the variable it keeps nothing */
    bool there;
    const char *name; /* a word: "triton" */
};

enum { JW_OTHER_CACHES = 16 };

/* Lists all known caches, for a program with this process's environment. */
void jw_other_caches(struct jw_arena *a, struct jw_other_cache out[JW_OTHER_CACHES], size_t *n);

/* An environment: that of this process, or what a login sets. */
struct jw_other_env {
    const char *(*value)(const void *of, const char *name, struct jw_arena *a); /* NULL: it is not set */
    const void *of;
};

/* Do programs of two environments look for the cache of this name ("triton") in two places? Then `*variable` is what
 * moves it there. False also where no such name is known. */
bool jw_other_cache_differs(const char *name, struct jw_other_env here, struct jw_other_env there,
                            struct jw_arena *a, const char **variable);

/* The usual place of this owner's cache on an unknown machine: "~/.cache/flashinfer". NULL: no such owner, or the
 * place is not in a home. */
const char *jw_other_cache_usual(const char *owner, struct jw_arena *a, const char **variable);

#endif
