/* Finds the login of a registry. Nothing is stored, and from then on this process leaves no core file. */
#ifndef FLEET_REMOTE_LOGIN_H
#define FLEET_REMOTE_LOGIN_H

#include "fleet/format/login.h"

#include "jitwarm/run.h"

/*
 * Looks in this order: `given` (JITWARM_LOGIN), the files $REGISTRY_AUTH_FILE, $XDG_RUNTIME_DIR/containers/auth.json,
 * ~/.config/containers/auth.json, $DOCKER_CONFIG/config.json, ~/.docker/config.json, and the credential helpers that
 * these name. If there is no login it returns true and all members are NULL.
 */
bool login_find(const char *host, const char *given, const struct jw_run *run, struct jw_arena *a,
                struct jw_login *out, struct jw_err *err) JW_MUST;

#endif
