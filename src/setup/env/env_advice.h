/*
 * The variables of the driver's cache: their values in this process and in a fresh login, and better ones, by the
 * cache, its disk and the need of programs. Changes nothing.
 */
#ifndef SETUP_ENV_ENV_ADVICE_H
#define SETUP_ENV_ENV_ADVICE_H

#include "cache/status/status.h"
#include "os/files/disk.h"
#include "setup/env/env_quote.h"
#include "setup/login/login_env.h"

enum { JW_ENV_SIZE, JW_ENV_PLACE, JW_ENV_OFF, JW_ENV_VARIABLES };

extern const char *const jw_env_names[JW_ENV_VARIABLES]; /* "CUDA_CACHE_MAXSIZE" */

struct jw_env_facts {
    bool container;
    const struct jw_cachedir *dir; /* by the values in force */
    bool need_known;
    uint64_t need; /* bytes of compiled code that programs were seen to need, or that the cache has now */
    bool disk_known;
    struct jw_disk disk;   /* of the cache's folder */
    const char *refused;   /* why nothing can be written there, or NULL */
    const char *writers;   /* other users who may write there, or NULL */
    bool roaming;          /* Windows: a roaming profile */
    uint64_t ask_size;     /* --max-size; 0: none */
    const char *ask_place; /* --path; NULL: none */
};

struct jw_env_advice {
    const char *value; /* NULL: keep it as it is */
    const char *why;   /* one sentence without a full stop */
    bool wrong;        /* the present value costs time */
};

/* In the order of the enum. Pure. */
void jw_env_advise(const struct jw_env_facts *f, struct jw_arena *a,
                   struct jw_env_advice out[JW_ENV_VARIABLES]);

struct jw_env_variable {
    const char *name, *what;
    const char *value; /* in force: of a fresh login, if that is known, else of this process; NULL: not set */
    const char *from;  /* the file or place that sets it, or NULL */
    const char *current; /* of this process; NULL: not set */
    struct jw_env_advice advice;
};

struct jw_env_state {
    struct jw_env_variable variables[JW_ENV_VARIABLES];
    size_t n_variables;
    bool by_login;             /* the values in force are those of a fresh login */
    struct jw_login_env login; /* not asked: all zero */
    struct jw_env_facts facts;
    struct jw_status_report status; /* to be freed */
    const char *home;               /* or NULL */
};

struct jw_env_ask {
    uint64_t size;     /* --max-size; 0: not given */
    const char *place; /* --path; NULL: not given */
    bool no_login;     /* check the values of this process, and start no login shell */
};

bool jw_env_state(struct jw_session *of, const struct jw_env_ask *ask, struct jw_env_state *out,
                  struct jw_err *err) JW_MUST;
void jw_env_state_free(struct jw_env_state *s); /* accepts a zeroed one */

/* The settings that should change. At most JW_ENV_VARIABLES. */
size_t jw_env_settings(const struct jw_env_state *s, struct jw_env_setting out[JW_ENV_VARIABLES]);

/* True if a login of this user has the home of this process. */
bool jw_env_same_home(const struct jw_login_env *login, const char *home);

#endif
