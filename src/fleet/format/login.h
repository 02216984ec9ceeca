/* Logins: the challenge of a registry, docker's and podman's login files, the replies of token servers. Parsing only. */
#ifndef FLEET_FORMAT_LOGIN_H
#define FLEET_FORMAT_LOGIN_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

enum jw_challenge_kind { JW_CHALLENGE_NONE, JW_CHALLENGE_BASIC, JW_CHALLENGE_BEARER };

struct jw_challenge {
    enum jw_challenge_kind kind;
    const char *realm, *service, *scope; /* BEARER; service and scope may be NULL */
};

/* Of WWW-Authenticate: the first Bearer challenge, else the first Basic one, else NONE. */
struct jw_challenge jw_challenge_read(const char *text, struct jw_arena *a);

struct jw_login {         /* in an arena; NULL: none */
    const char *basic;    /* "user:password" */
    const char *identity; /* a token for the token server, in place of a password */
    const char *helper;   /* docker-credential-HELPER knows the login */
    const char *asked_as; /* the server name for the helper */
};

/* Finds the login of `host` in config.json or auth.json. */
bool jw_login_read(struct jw_bytes file, const char *host, struct jw_arena *a, struct jw_login *out,
                   struct jw_err *err) JW_MUST;

/* Parses the output of a credential helper's "get". */
bool jw_helper_read(struct jw_bytes answer, struct jw_arena *a, struct jw_login *out,
                    struct jw_err *err) JW_MUST;

/* Finds the token in a token server's reply. */
bool jw_token_read(struct jw_bytes answer, struct jw_arena *a, const char **out, struct jw_err *err) JW_MUST;

#endif
