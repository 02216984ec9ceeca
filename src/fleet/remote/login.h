/* With what to log in to a registry. Read when it is asked for, stored nowhere. */
#ifndef FLEET_REMOTE_LOGIN_H
#define FLEET_REMOTE_LOGIN_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

/*
 * "user:password" in `a`, for the caller to wipe; NULL, and true: there is none. The first that has one of: JITWARM_LOGIN; the
 * files $REGISTRY_AUTH_FILE, $XDG_RUNTIME_DIR/containers/auth.json, ~/.config/containers/auth.json,
 * $DOCKER_CONFIG/config.json, ~/.docker/config.json.
 */
bool login_find(const char *host, struct jw_arena *a, char **out, struct jw_err *err) JW_MUST;

#endif
