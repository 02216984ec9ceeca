/* A fresh login that is asked while a run does other work. */
#ifndef SESSION_LOGIN_ASKING_H
#define SESSION_LOGIN_ASKING_H

#include "session/session.h"

struct jw_login_asking *jw_login_asking_begin(void) JW_NEVER_NULL;

/* Returns the answer, in the session's arena, and frees `k`. NULL: interrupted, or the shell could not be started. */
const struct jw_login_env *jw_login_asking_wait(struct jw_login_asking *k, const struct jw_session *s,
                                                struct jw_err *err) JW_MUST;

/* Ends the shell, and frees `k`, which may be NULL. */
void jw_login_asking_end(struct jw_login_asking *k);

#endif
