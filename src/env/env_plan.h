/* Recommends values for CUDA_CACHE_MAXSIZE, _PATH and _DISABLE. Pure. */
#ifndef ENV_ENV_PLAN_H
#define ENV_ENV_PLAN_H

#include "base/arena.h"
#include "base/compiler.h"
#include "cache/place/cachedir.h"
#include "jitwarm/err.h"
#include "os/files/disk.h"

enum { JW_ENV_SIZE, JW_ENV_PLACE, JW_ENV_OFF, JW_ENV_ADVICES };

struct jw_env_facts {
    bool windows, container;
    const struct jw_cachedir *dir; /* the settings of this process */
    bool need_known;
    uint64_t need; /* bytes of compiled code that programs were seen to need, or that the cache has now */
    bool disk_known;
    struct jw_disk disk;                  /* of the cache's folder */
    const char *refused;                  /* why nothing can be written there, or NULL */
    const char *writers;                  /* who else may write there, or NULL */
    const char *local;                    /* a suitable folder on a local disk, or NULL */
    bool roaming;                         /* Windows: a roaming profile */
    bool size_here_only, place_here_only; /* a new login has another value */
    bool off_elsewhere;                   /* a file or a login turns the cache off */
    uint64_t ask_size;                    /* --maxsize; 0: none */
    const char *ask_place;                /* --path; NULL: none */
};

struct jw_env_advice {
    const char *name;
    const char *value; /* NULL: keep it as it is */
    const char *why;   /* one sentence without a full stop */
    bool wrong;        /* the present value costs time */
};

/* All three, in the order of the enum. */
void jw_env_advise(const struct jw_env_facts *f, struct jw_arena *a,
                   struct jw_env_advice out[JW_ENV_ADVICES]);

#endif
