/*
 * Requests to one registry: logins, redirects, retries and the deadline. The login goes to this host and
 * to the token server that it names, never to another host, and into no message. Only GET and HEAD follow redirects,
 * never from https to http.
 */
#ifndef FLEET_REMOTE_HTTP_H
#define FLEET_REMOTE_HTTP_H

#include "base/source.h"
#include "fleet/format/header.h"
#include "fleet/remote/login.h"
#include "fleet/remote/wire.h"

struct http {
    struct wire *wire;
    struct jw_arena *a;
    const struct jw_remote_options *o;
    const char *host, *scheme; /* "reg.example:5000" "https" */
    uint64_t deadline;         /* monotonic clock, ns */
    bool answered;             /* it sent a whole document: with answer_ms its time begins then */
    struct jw_login login;
    bool looked;         /* login_find was called */
    char *authorization; /* header line; NULL: not logged in */
};

bool http_open(struct http *h, const struct jw_remote_options *o, struct jw_arena *a,
               struct jw_err *err) JW_MUST;
void http_begin(struct http *h); /* restarts the deadline */
void http_close(struct http *h);

/* Fails with JW_E_NET after retries, for 401, 403, 407, 429 and 5xx; or with the sink's error. Other statuses are
 * results. */
bool http_do(struct http *h, const struct wire_request *r, struct jw_http_answer *out,
             struct jw_err *err) JW_MUST;

/* "https://HOST" plus the formatted path. NULL: see err. */
const char *http_url(struct http *h, struct jw_err *err, const char *fmt, ...) JW_PRINTF(3, 4);

/* The URL of a Location header. NULL: see err. */
const char *http_follow(struct http *h, const char *location, struct jw_err *err);

bool http_unexpected(struct http *h, const char *what, long status, struct jw_err *err); /* returns false */

/* Reads a document. On 404 it returns true with `*found` false. */
bool http_text(struct http *h, const char *url, const char *accept, struct jw_buf *out, bool *found,
               struct jw_err *err) JW_MUST;

/* Downloads the blob to a file in `staging` and checks its digest. Goes on where a connection ended. */
bool http_download(struct http *h, const char *url, const struct jw_oci_item *item, const char *staging,
                   const char **path, struct jw_err *err) JW_MUST;

#endif
