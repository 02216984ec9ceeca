/* Registry keys with a login's variables; tests use their own. */
#ifndef SETUP_LOGIN_LOGIN_ENV_WINDOWS_H
#define SETUP_LOGIN_LOGIN_ENV_WINDOWS_H

#include "setup/login/login_env.h"

#include <wchar.h>
#include <windows.h>

struct jw_login_key {
    HKEY root;
    const wchar_t *path;
    const char *origin;
};

/* Reads the wanted values; later keys override earlier ones. A missing key has none. */
bool jw_login_read(const struct jw_login_key *keys, size_t n, struct jw_arena *a, struct jw_login_env *out,
                   struct jw_err *err) JW_MUST;

#endif
