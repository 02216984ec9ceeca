/*
 * Requests to one registry or web server. It logs in when it is asked to, and what it logs in with goes to that host alone (or
 * to the token server that the host names, over TLS), into no message and no process list. Redirects are followed for what
 * is read, never from https to http. Busy servers are asked again; --deadline ends everything.
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
    uint64_t deadline;         /* of the monotonic clock */
    struct jw_login login;
    bool looked;         /* for a login */
    char *authorization; /* the header of the last login; NULL: none yet */
};

struct http_request {
    const char *method, *url;
    const char *headers[4]; /* NULL: no more */
    const char *body;       /* text, borrowed; NULL: none, or the file's */
    size_t body_n;
    struct jw_file *file; /* `file_n` bytes from `file_at` on are the body; NULL: none */
    uint64_t file_at, file_n;
    struct jw_sink sink; /* of a 2xx answer's body; put NULL: it is dropped */
    uint64_t most;       /* bytes for it; more is an error */
    bool once;           /* it is not asked again when the connection fails */
};

bool http_open(struct http *h, const struct jw_remote_options *o, struct jw_arena *a,
               struct jw_err *err) JW_MUST;
void http_begin(struct http *h); /* the deadline, again */
void http_close(struct http *h);

/* False: no answer that is worth looking at (JW_E_NET), or the sink's own error. Any status is an answer but 401, 403, 429
 * and 5xx. */
bool http_do(struct http *h, const struct http_request *r, struct jw_http_answer *out,
             struct jw_err *err) JW_MUST;

/* "https://HOST" and what follows. NULL: see err. */
const char *http_url(struct http *h, struct jw_err *err, const char *fmt, ...) JW_PRINTF(3, 4);

/* Where a Location leads, from our host. NULL: see err. */
const char *http_follow(struct http *h, const char *location, struct jw_err *err);

bool http_unexpected(struct http *h, const char *what, long status,
                     struct jw_err *err); /* false, with a sentence */

/* The body of a GET. 404: `*found` false, and true. */
bool http_text(struct http *h, const char *url, const char *accept, struct jw_buf *out, bool *found,
               struct jw_err *err) JW_MUST;

/* The item's bytes in a file of `staging`, hashed as they come. What an earlier run left of it is gone on with. */
bool http_download(struct http *h, const char *url, const struct jw_oci_item *item, const char *staging,
                   const char **path, struct jw_err *err) JW_MUST;

#endif
