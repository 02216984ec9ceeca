/* Where a login's variables come from: keys of the registry. The tests have their own. */
#ifndef ENV_FILES_LOGIN_ENV_WINDOWS_H
#define ENV_FILES_LOGIN_ENV_WINDOWS_H

#include "env/files/login_env.h"

#include <wchar.h>
#include <windows.h>

struct jw_login_key {
    HKEY root;
    const wchar_t *path;
    const char *origin;
};

/* What is wanted of their values, a later key over those before it. A key that is not there has none. */
bool jw_login_read(const struct jw_login_key *keys, size_t n, struct jw_arena *a, struct jw_login_env *out,
                   struct jw_err *err) JW_MUST;

#endif
