/* Who logs in, and on which machine: what jw_login_env finds out, and its tests make up. */
#ifndef ENV_FILES_LOGIN_ENV_POSIX_H
#define ENV_FILES_LOGIN_ENV_POSIX_H

#include "env/files/login_env.h"

struct jw_login_user {
    const char *name, *home;
    const char *shell;   /* of the user database; "" means /bin/sh, as it does there */
    const char *sysroot; /* "" but in tests */
    bool root;
    unsigned timeout_ms; /* for each shell that is run */
};

bool jw_login_ask(const struct jw_login_user *who, struct jw_arena *a, struct jw_login_env *out,
                  struct jw_err *err) JW_MUST;

/* Is this process root on behalf of somebody else? By its ids, and by what sudo and its kin have set. */
bool jw_login_for_another(unsigned long real, unsigned long effective, struct jw_arena *a);

#endif
