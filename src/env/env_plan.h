/* What should CUDA_CACHE_MAXSIZE, _PATH and _DISABLE be for this user, and why? A pure judgement over facts. */
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
    const struct jw_cachedir *dir; /* what this process's settings come to */
    bool need_known;
    uint64_t need; /* bytes of compiled code that the programs of this cache were seen to need, or hold now */
    bool disk_known;
    struct jw_disk disk; /* of the cache's folder */
    const char *refused; /* why nothing can be written there; NULL: it can */
    const char *writers; /* who else may write there; NULL: nobody that is known */
    const char *local;   /* a folder on this machine's own disk that would do; NULL: none was found */
    bool roaming;        /* Windows: the profile travels between machines */
    bool size_here_only, place_here_only; /* this process has it, and a new login will have another */
    bool off_elsewhere;    /* a file or a login switches the cache off, this process does not */
    uint64_t ask_size;     /* --maxsize; 0: none */
    const char *ask_place; /* --path; NULL: none */
};

struct jw_env_advice {
    const char *name;
    const char *value; /* NULL: as it is is fine */
    const char *why;   /* one sentence, no full stop; always */
    bool wrong;        /* what holds now costs time; else `value` only makes sure of it */
};

/* All three, in the order of the enumeration. */
void jw_env_advise(const struct jw_env_facts *f, struct jw_arena *a,
                   struct jw_env_advice out[JW_ENV_ADVICES]);

#endif
