/*
 * Sends one HTTP request through libcurl (Linux) or WinHTTP (Windows). The library is loaded when a verb needs the
 * network, so jitwarm runs where libcurl is not installed. Redirects and logins are http.h's work.
 */
#ifndef FLEET_REMOTE_WIRE_H
#define FLEET_REMOTE_WIRE_H

#include "fleet/remote/remote.h"
#include "os/files/file.h"

struct wire;

struct wire_request {
    const char *method, *url;
    const char *headers[8]; /* lines, up to the first NULL; http_do adds the login */
    const char *body;       /* NULL: none, or from `file` */
    size_t body_n;
    struct jw_file *file; /* the body is the first `file_n` bytes of it; NULL: no file */
    uint64_t file_n;
    struct jw_sink sink; /* receives the body of a 2xx response; put NULL: discard */
    uint64_t max;        /* maximum size of that body; more is an error */
    bool once;           /* no retry */
    /* set by http_do: */
    bool secure; /* https only */
    long left_ms;
    void *ctx;
    void (*header)(void *ctx, const char *line, size_t n);
    bool (*body_part)(void *ctx, const void *p, size_t n); /* false: stop */
};

extern const char wire_proxy_login[]; /* how to give a proxy its login */

enum { WIRE_CONNECT_MS = 15000, WIRE_IDLE_S = 30 };

/* Returns NULL and sets err if the library cannot be used. */
struct wire *wire_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_err *err);
void wire_close(struct wire *w); /* accepts NULL */

/* JW_E_NET: the connection failed, a retry may help. JW_OK: body_part returned false. Other codes: do not retry. */
bool wire_do(struct wire *w, const struct wire_request *r, struct jw_err *err) JW_MUST;

#endif
