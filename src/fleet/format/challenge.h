/* A WWW-Authenticate header as registries send it, and the file in which docker and podman keep logins. Pure. */
#ifndef FLEET_FORMAT_CHALLENGE_H
#define FLEET_FORMAT_CHALLENGE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

enum jw_challenge_kind { JW_CHALLENGE_NONE, JW_CHALLENGE_BASIC, JW_CHALLENGE_BEARER };

struct jw_challenge {
    enum jw_challenge_kind kind;
    const char *realm, *service, *scope; /* BEARER; service and scope may be NULL */
};

/* The header's value. Of several challenges the first Bearer, else the first Basic. What is not understood is NONE. */
bool jw_challenge_read(const char *text, struct jw_arena *a, struct jw_challenge *out,
                       struct jw_err *err) JW_MUST;

struct jw_login {         /* all in an arena, for the caller to wipe; NULL: there is none */
    char *basic;          /* "user:password" */
    char *identity;       /* a token for the token server, in place of a password */
    const char *helper;   /* docker-credential-HELPER knows the login */
    const char *asked_as; /* what it is asked for */
};

/* The login of `host` out of config.json or auth.json. */
bool jw_fleet_login_read(struct jw_bytes file, const char *host, struct jw_arena *a, struct jw_login *out,
                         struct jw_err *err) JW_MUST;

/* What a credential helper answered to "get". */
bool jw_helper_read(struct jw_bytes answer, struct jw_arena *a, struct jw_login *out,
                    struct jw_err *err) JW_MUST;

/* The token in a token server's answer. */
bool jw_token_read(struct jw_bytes answer, struct jw_arena *a, char **out, struct jw_err *err) JW_MUST;

#endif
