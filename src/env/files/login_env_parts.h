/* Between the files of login_env, and for their tests. */
#ifndef ENV_FILES_LOGIN_ENV_PARTS_H
#define ENV_FILES_LOGIN_ENV_PARTS_H

#include "base/bytes.h"
#include "env/files/login_env.h"

/* Does this variable belong into jw_login_env? */
bool jw_login_wants(const char *name);

/* The word that is said before the environment and after it, for what a profile prints is around them. */
#define JW_LOGIN_MARK "jitwarm-login-environment"

/* Into `s` what is wanted of "...MARK\nA=1\0B=2\0MARK\n..."; texts live in `a`. `*found` false: there is none. */
bool jw_login_parse(struct jw_bytes said, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                    bool *found, struct jw_err *err) JW_MUST;

#endif
