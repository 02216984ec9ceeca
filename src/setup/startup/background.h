/* A prime in the background, for a package's script or after an enrolment. */
#ifndef SETUP_STARTUP_BACKGROUND_H
#define SETUP_STARTUP_BACKGROUND_H

#include "base/compiler.h"
#include "session/session.h"

/* Starts one as the user behind a package manager; for root itself only in a container or with `as_root`.
 * `*says`: the result, a sentence. False: it could not be started. */
bool jw_background_prime(struct jw_session *s, bool as_root, const char **says) JW_MUST;

#endif
