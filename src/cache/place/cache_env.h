/* The driver's cache as this environment has it: folder, limit and settings. */
#pragma once

#include "base/arena.h"
#include "os/process/process.h"

struct jw_cache_env {
    const char *folder;   /* NULL: there is none, see `why_none` */
    const char *why_none; /* a sentence: HOME is unset... */
    bool named;           /* by --cache */
    const char *max_size; /* the variable as written; NULL: not set */
    bool nameless;        /* CUDA_CACHE_PATH is set and empty. driver-fact: F99-empty-path */
    const char *disable;  /* the variable as written, if it turns the cache off; else NULL */
};

/* `cache`: the --cache option, or NULL. The variables are those of this process. */
void jw_cache_env_find(const char *cache, struct jw_arena *a, struct jw_cache_env *out);

/* The driver's default place; NULL and a sentence in `*why` when the system names none. */
const char *jw_cache_env_default(struct jw_arena *a, const char **why);

/* The change of a child's environment that makes it use the cache in this folder. */
struct jw_child_edit jw_cache_env_edit(const char *folder);

/* The variable that makes this driver (NULL: unknown) compile although it keeps a cache, or
 * NULL. */
const char *jw_cache_forced_by(struct jw_arena *a, const char *driver);
/* The variable that forbids it to compile, which what is in the cache does not need. driver-fact:
 * F81-force-disable */
const char *jw_cache_forbidden_by(struct jw_arena *a, const char *driver);
