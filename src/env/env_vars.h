/* The environment variables that decide how the driver compiles and keeps code: what each does, in the user's words. */
#ifndef ENV_ENV_VARS_H
#define ENV_ENV_VARS_H

#include <stddef.h>

enum jw_env_kind {
    JW_ENV_CACHE,  /* CUDA_CACHE_*: always of interest */
    JW_ENV_SWITCH, /* 0 or 1, and 1 changes what is compiled */
    JW_ENV_OTHER   /* told where it is set */
};

struct jw_env_known {
    const char *name, *what; /* one sentence, no full stop */
    enum jw_env_kind kind;
};

/* In the order in which they are told. */
extern const struct jw_env_known jw_env_vars[];
extern const size_t jw_env_vars_n;

const struct jw_env_known *jw_env_known(const char *name); /* NULL: none of them */

/* The variable that was meant by a name that no driver reads: "CUDA_CACHE_MAX_SIZE". NULL: it is one that is known, or none
 * is near. */
const struct jw_env_known *jw_env_meant(const char *name);

#endif
