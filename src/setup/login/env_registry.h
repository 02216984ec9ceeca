/* Environment variables in the Windows registry. None on other systems. */
#ifndef SETUP_LOGIN_ENV_REGISTRY_H
#define SETUP_LOGIN_ENV_REGISTRY_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/* "HKEY_CURRENT_USER\Environment", or the machine's. */
const char *jw_env_registry_key(bool machine);

struct jw_env_reg {
    bool exists;
    unsigned type;    /* REG_SZ, REG_EXPAND_SZ... */
    const char *text; /* UTF-8, of the two text types; else NULL */
};

bool jw_env_registry_get(bool machine, const char *name, struct jw_arena *a, struct jw_env_reg *out,
                         struct jw_err *err) JW_MUST;

/* Stores text without expansion. NULL: removes the variable. */
bool jw_env_registry_set(bool machine, const char *name, const char *value, struct jw_err *err) JW_MUST;

/* Notifies running programs (Explorer) that the environment has changed. */
void jw_env_registry_announce(void);

#endif
