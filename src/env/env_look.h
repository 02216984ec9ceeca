/*
 * Finds the driver's variables, their values and where they are set: in this process, in files of shells, PAM, systemd
 * and conda, in the registry, in a new login. Runs only the login shell. Changes nothing.
 */
#ifndef ENV_ENV_LOOK_H
#define ENV_ENV_LOOK_H

#include "env/files/env_names.h"
#include "env/files/login_env.h"
#include "machine/list.h"

#include <stddef.h>

struct jw_env_source {
    const char *origin; /* "/etc/environment", "HKEY_CURRENT_USER\\Environment" */
    unsigned line;      /* 0: unknown */
    const char *value;  /* NULL: unset there */
    bool exact;         /* false: contains what a shell expands */
    bool ours;          /* jitwarm env apply wrote it */
};

struct jw_env_var {
    const char *name;
    const struct jw_env_known *known; /* NULL: no driver reads this name */
    const struct jw_env_known *meant; /* the name that was probably meant, or NULL */
    const char *here;                 /* value in this process, or NULL */
    const char *from;                 /* where that seems to come from, or NULL */
    const char *login, *login_from;   /* in a new login; NULL: unset or unknown */
    struct jw_env_source *sources;
    size_t n_sources;
    const struct jw_env_advice *advice; /* set by jw_env_state; NULL: none for this variable */
};

struct jw_env_look {
    struct jw_env_var *v; /* known ones in their order, then misspelt ones */
    size_t n;
    struct jw_login_env login;
    struct jw_notes notes;
};

struct jw_env_look_options {
    const char *sysroot; /* "" but in tests */
    const char *home;    /* NULL: none */
    bool no_login;       /* do not ask the login shell */
};

bool jw_env_look(const struct jw_env_look_options *o, struct jw_arena *a, struct jw_env_look *out,
                 struct jw_err *err) JW_MUST;

/* NULL: set nowhere, and not one of CUDA_CACHE_*. */
const struct jw_env_var *jw_env_var_of(const struct jw_env_look *l, const char *name);

#endif
