/*
 * Which of the driver's variables are set, to what, and by whom: this process, the files that shells, PAM, systemd and conda read,
 * the registry, a fresh login. Reads, runs nothing but the login shell, changes nothing.
 */
#ifndef ENV_ENV_LOOK_H
#define ENV_ENV_LOOK_H

#include "env/files/login_env.h"
#include "machine/list.h"

#include <stddef.h>

struct jw_env_source {
    const char *origin; /* "/etc/environment", "HKEY_CURRENT_USER\\Environment" */
    unsigned line;      /* 0: not known */
    const char *value;  /* NULL: it unsets */
    bool exact;         /* else as it is written, with what a shell would expand */
    bool ours;          /* jitwarm env apply wrote it */
};

struct jw_env_var {
    const char *name;
    const struct jw_env_known *known; /* NULL: no driver reads this name, but */
    const struct jw_env_known *meant; /* this one */
    const char *here;                 /* in this process; NULL: unset */
    const char *from;                 /* where that seems to come from; NULL: unset */
    const char *login, *login_from;   /* in a fresh login; NULL: unset, or it is not known */
    struct jw_env_source *sources;
    size_t n_sources;
};

struct jw_env_look {
    struct jw_env_var *v; /* the known ones that are of interest in their order, then the misspelt */
    size_t n;
    struct jw_login_env login;
    uint64_t files; /* that were there and read */
    struct jw_notes notes;
};

struct jw_env_look_options {
    const char *sysroot; /* "" but in tests */
    const char *home;    /* NULL: none */
    bool no_login;       /* do not ask the login shell */
};

bool jw_env_look(const struct jw_env_look_options *o, struct jw_arena *a, struct jw_env_look *out,
                 struct jw_err *err) JW_MUST;

/* NULL: it is set nowhere, and not one of CUDA_CACHE_*. */
const struct jw_env_var *jw_env_var_of(const struct jw_env_look *l, const char *name);

/* The environment variables that decide how the driver compiles and keeps code: what each does, in the user's words. */

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
