/* How programs of a fresh login, or of a new terminal, start otherwise than those of this environment: another cache
 * or limit, another driver, other GPUs. */
#ifndef SESSION_LOGIN_START_H
#define SESSION_LOGIN_START_H

#include "session/session.h"

enum jw_login_start_kind {
    JW_LOGIN_AS_HERE, /* or nobody logs in: a container, a user who cannot */
    JW_LOGIN_KEEPS_NOTHING, /* the driver's own place cannot be written: entries here serve programs of this shell alone */
    JW_LOGIN_UNKNOWN,  /* its shell, or that of its terminals, gave no answer */
    JW_LOGIN_PRELOADS, /* a preloaded library stands before the driver: it is not known what is warm for it */
    JW_LOGIN_OTHER_DRIVER, /* it is not known what is warm for that driver */
    JW_LOGIN_OTHER_CACHE,  /* another cache */
    JW_LOGIN_FAILS,        /* code fails that is neither machine code for the GPU nor in the cache */
    JW_LOGIN_COMPILES      /* at every start, whatever is in the cache */
};

/* How programs of a fresh login start otherwise than those of this environment. */
struct jw_login_start {
    enum jw_login_start_kind is;
    const char *what; /* a sentence, with the variable; NULL: as here */
    /* after which they start as here, or are known, or that shows why they are not; NULL: none is known */
    const char *command;
    const struct jw_env_difference *by; /* NULL: as here, or unknown */
};

/* It is not known what is warm for them. */
static inline bool jw_login_is_unknown(const struct jw_login_start *l)
{
    return l->is >= JW_LOGIN_UNKNOWN && l->is <= JW_LOGIN_OTHER_DRIVER;
}

/* No prime here can make them start without compiling. */
static inline bool jw_login_spoils(const struct jw_login_start *l)
{
    return l->is >= JW_LOGIN_FAILS;
}

/* Whether they find what is in the cache of this environment, it alone does not say: a command about that cache names it. */
static inline bool jw_login_differs(const struct jw_login_start *l)
{
    return jw_login_is_unknown(l) || l->is == JW_LOGIN_OTHER_CACHE;
}

/* Returns the worst of the differences (jw_login_compare) and the unknown facts. `root`: the user needs no sudo. */
struct jw_login_start jw_login_start_of(const struct jw_login_env *login, const struct jw_env_difference *v,
                                        size_t n, bool root, struct jw_arena *a);

/* Adds the places where the login's programs look for libcuda, if programs of this process look in others: a libcuda
 * that comes or changes there is another driver. */
bool jw_login_trace_driver(const struct jw_login_env *login, struct jw_trace *t, struct jw_err *err) JW_MUST;

/* The same, asked of this machine. `cache`: as in jw_session_cache_of; a login does not matter to a cache that was
 * named. False: as jw_session_login. */
bool jw_session_login_start(struct jw_session *s, const char *cache, struct jw_login_start *out,
                            struct jw_err *err) JW_MUST;

/* Takes the limit of programs of a fresh login, or of its terminals, if it is lower: such programs evict what
 * exceeds it. If the terminals have the settings of this process, programs start there. `driver`: its
 * version; NULL: not known. */
void jw_login_limit(const struct jw_login_env *login, const char *driver, struct jw_arena *a,
                    struct jw_cache_limit *l);

/* GPUs that programs of a fresh login, or of a new terminal, see, where variables choose others there. */
struct jw_login_gpus {
    /* of kinds that programs of this environment do not see: `hidden`, one of each kind; their numbers follow those of
     * this environment's */
    struct jw_device *v;
    size_t n;
    const struct jw_env_difference *by; /* the variable that chooses them; NULL: they are those of here */
    const char *unknown;                /* why they are not known: a sentence; NULL: they are */
    const char *how;                    /* it is set: a clause */
    bool apart;           /* a program that takes a GPU by its number may get one of another kind there */
    const char *as_there; /* the command after which programs of this shell see the same ones */
    bool none;            /* they see no GPU */
    /* a command that shows them to the one behind it: "env -u CUDA_VISIBLE_DEVICES"; NULL: they are those of here */
    const char *shown;
};

/* A scheduler sets such a variable, too (Slurm): if it hides a GPU of the same kind, warm modules serve that one as
 * well, and there is no difference. `cache` of the session: as in jw_session_login_start. False: as jw_session_login
 * or jw_session_driver. */
bool jw_session_login_gpus(struct jw_session *s, const struct jw_login_gpus **out,
                           struct jw_err *err) JW_MUST;

/* The same for a caller that asks no driver: unless the system lists GPUs of one kind alone, other variables are other
 * GPUs. `v` is empty. */
bool jw_session_login_gpus_unasked(struct jw_session *s, const struct jw_login_gpus **out,
                                   struct jw_err *err) JW_MUST;

/* The command that takes a variable out of the file that sets it for logins; NULL: no such file is known. */
const char *jw_login_take_out(const struct jw_env_difference *d, bool windows, bool root, struct jw_arena *a);

/* The command after which programs of that login have a cache limit of so many bytes. */
const char *jw_login_raise_limit(const struct jw_env_difference *d, uint64_t limit, bool windows, bool root,
                                 struct jw_arena *a);

#endif
