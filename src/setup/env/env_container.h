/*
 * A whole block for an image whose cache is kept in a volume: variables, volume, the owner that a fresh
 * named volume needs, the entrypoint, and what the first and the second start do. Pure.
 */
#ifndef SETUP_ENV_ENV_CONTAINER_H
#define SETUP_ENV_ENV_CONTAINER_H

#include "setup/env/env_quote.h"

struct env_container {
    const char *volume; /* where it is mounted; holds the cache and jitwarm's records */
    const char *limit;  /* CUDA_CACHE_MAXSIZE */
    unsigned long uid, gid;
};

#define ENV_CONTAINER_VOLUME "/var/cache/jitwarm"

/* JW_E_USAGE: a Dockerfile cannot hold the name of the volume. */
bool env_container_put(const struct env_container *c, struct jw_buf *out, struct jw_err *err) JW_MUST;

#endif
