/* What is known of the cache, its disk and what programs need, and the values that follow. Changes nothing. */
#ifndef ENV_ENV_PLAN_H
#define ENV_ENV_PLAN_H

#include "cache/status/status.h"
#include "env/env_look.h"
#include "env/env_quote.h"
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

/* All three, in the order of the enum. Pure. */
void jw_env_advise(const struct jw_env_facts *f, struct jw_arena *a,
                   struct jw_env_advice out[JW_ENV_ADVICES]);

struct jw_env_state {
    struct jw_env_look look;
    struct jw_env_facts facts;
    struct jw_env_advice advice[JW_ENV_ADVICES];
    struct jw_status_report status; /* to be freed */
    const char *home;               /* or NULL */
};

struct jw_env_ask {
    uint64_t size;     /* --maxsize; 0: not given */
    const char *place; /* --path; NULL: not given */
    bool no_login;     /* do not start a login shell */
    const atomic_bool *interrupted;
};

bool jw_env_state(const struct jw_env_ask *ask, struct jw_arena *a, struct jw_env_state *out,
                  struct jw_err *err) JW_MUST;
void jw_env_state_free(struct jw_env_state *s); /* accepts a zeroed one */

/* The recommended settings, as --shell prints and env apply writes them. At most JW_ENV_ADVICES. */
size_t jw_env_settings(const struct jw_env_state *s, struct jw_env_setting out[JW_ENV_ADVICES]);

#endif
