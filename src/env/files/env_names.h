/* The environment variables that control how the driver compiles and caches code, and how people misspell them. Pure. */
#ifndef ENV_FILES_ENV_NAMES_H
#define ENV_FILES_ENV_NAMES_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>

enum jw_env_kind {
    JW_ENV_CACHE,  /* CUDA_CACHE_*: always listed */
    JW_ENV_SWITCH, /* 1 changes what is compiled */
    JW_ENV_OTHER   /* listed if set */
};

struct jw_env_known {
    const char *name, *what; /* one sentence without a full stop */
    enum jw_env_kind kind;
};

extern const struct jw_env_known jw_env_vars[];
extern const size_t jw_env_vars_n;

const struct jw_env_known *jw_env_known(const char *name); /* or NULL */

/* The variable that a misspelt name ("CUDA_CACHE_MAX_SIZE") probably means; NULL: the name is right, or unknown. Letter
 * case matters, but not on Windows. */
const char *jw_env_meant(const char *name, bool windows);

#endif
