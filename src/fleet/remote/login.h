/* Logins: the challenge of a registry, the files of docker and podman, their credential helpers,
 * and what token servers answer. Nothing is stored, and once a login is looked for this process
 * leaves no core file. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "jitwarm/run.h"

struct jw_challenge {
    bool basic;
    const char *realm, *service, *scope; /* of the first Bearer challenge; NULL: none */
};

/* Reads the values of WWW-Authenticate. */
struct jw_challenge jw_challenge_read(const char *text, struct jw_arena *a);

struct jw_credentials {   /* NULL: none */
    const char *basic;    /* "user:password" */
    const char *identity; /* a token for the token server, in place of a password */
    const char *helper;   /* docker-credential-HELPER knows the login */
    const char *asked_as; /* the server name for the helper */
};

/* Finds the login of `place`, "HOST/NAME" of a repository, in the text of config.json or
 * auth.json. */
bool jw_login_read(struct jw_bytes file, const char *place, struct jw_arena *a,
                   struct jw_credentials *out, struct jw_err *err) JW_MUST;

/* Parses the output of a credential helper's "get". */
bool jw_helper_read(struct jw_bytes answer, struct jw_arena *a, struct jw_credentials *out,
                    struct jw_err *err) JW_MUST;

/* Finds the token in a token server's reply. */
bool jw_token_read(struct jw_bytes answer, struct jw_arena *a, const char **out,
                   struct jw_err *err) JW_MUST;

/* Looks in this order: `given` (JITWARM_LOGIN), the files $REGISTRY_AUTH_FILE,
 * $XDG_RUNTIME_DIR/containers/auth.json, ~/.config/containers/auth.json,
 * $DOCKER_CONFIG/config.json, ~/.docker/config.json, and the credential helpers that these name. If
 * there is no login it returns true, and `basic` and `identity` are NULL. */
bool login_find(const char *host, const char *name, const char *given, const struct jw_run *run,
                struct jw_credentials *out, struct jw_err *err) JW_MUST;
