/* Requests to one registry: logins, redirects, retries and the deadline. The login goes to this
 * host and to the token server that it names, never to another host, and into no message. Only GET
 * and HEAD follow redirects, never from https to http. */
#pragma once

#include "fleet/remote/login.h"
#include "fleet/remote/wire.h"

struct jw_remote {
    struct wire *wire;
    struct jw_run *run;
    struct jw_remote_options o;
    bool answered;     /* its first document came */
    const char *host;  /* "reg.example:5000" */
    const char *base;  /* "https://reg.example:5000" */
    bool secure;       /* https */
    uint64_t deadline; /* of this request; monotonic clock, ns */
    struct jw_credentials login;
    const char *authorization; /* header line; NULL: not logged in */
};

/* Fails with JW_E_NET after retries, for 401, 403, 407, 429 and 5xx; or with the sink's error.
 * Other statuses are results. */
bool http_do(struct jw_remote *h, struct wire_request *r, struct wire_answer *out,
             struct jw_err *err) JW_MUST;

/* The URL of a Location header in the answer of `url`. NULL: see err. */
const char *http_follow(struct jw_remote *h, const char *url, const char *location,
                        struct jw_err *err);

bool http_unexpected(struct jw_remote *h, const char *what, long status, struct jw_err *err);
