/* With what to log in to a registry. Read when it is asked for, stored nowhere. */
#ifndef FLEET_REMOTE_LOGIN_H
#define FLEET_REMOTE_LOGIN_H

#include "fleet/format/challenge.h"

#include <stdatomic.h>

/*
 * All NULL, and true: there is none. The first that has one of: `given`, which was JITWARM_LOGIN; the files
 * $REGISTRY_AUTH_FILE, $XDG_RUNTIME_DIR/containers/auth.json, ~/.config/containers/auth.json, $DOCKER_CONFIG/config.json,
 * ~/.docker/config.json; a credential helper that such a file names.
 */
bool login_find(const char *host, char *given, const atomic_bool *interrupted, struct jw_arena *a,
                struct jw_login *out, struct jw_err *err) JW_MUST;

void login_wipe(struct jw_login *l);

#endif
