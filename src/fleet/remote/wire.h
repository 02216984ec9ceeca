/* Sends one HTTP request through libcurl (Linux) or WinHTTP (Windows). The library is loaded when a
 * verb needs the network, so jitwarm runs where libcurl is not installed. Redirects and logins are
 * http.h's work. */
#pragma once

#include "fleet/remote/remote.h"
#include "os/files/file.h"

struct wire;

struct wire_request {
    const char *method, *url;
    const char *header, *login; /* lines, or NULL; http_do sets the login */
    struct jw_bytes body;       /* NULL: none, or from `file` */
    struct jw_file *file;       /* the body is the first `file_n` bytes of it; NULL: no file */
    uint64_t file_n;
    struct jw_sink sink; /* receives the body of a 2xx response; put NULL: discard */
    uint64_t max;        /* maximum size of that body; more is an error */
    /* Called before each try, to set where it goes, or which rest is still to come. NULL: all tries
     * are the same, and after the first bytes of an answer there is none. */
    bool (*ready)(struct jw_remote *h, struct wire_request *r, struct jw_err *err);
    void *ctx;    /* ready's */
    long left_ms; /* set by http_do */
};

enum { WIRE_MAX_HEADER = 8192, WIRE_CONNECT_MS = 15000, WIRE_IDLE_S = 30 };

struct wire_answer {
    long status;
    char location[WIRE_MAX_HEADER], challenge[WIRE_MAX_HEADER]; /* longer ones are left out */
    uint64_t retry_after;                                       /* seconds; 0: none, or not known */
    uint64_t length;  /* of the body; 0: none, or not known */
    uint64_t got;     /* bytes of the body that the sink took */
    bool broken;      /* the connection failed: a retry may help */
    bool unreachable; /* there was none: it helps only if this server answered before */
};

/* Returns NULL and sets err if the library cannot be used. */
struct wire *wire_open(const struct jw_remote_options *o, const struct jw_run *run,
                       struct jw_err *err);
void wire_close(struct wire *w);

/* `out` was zeroed; it has status and headers before the sink gets the first byte. */
bool wire_do(struct wire *w, const struct wire_request *r, struct wire_answer *out,
             struct jw_err *err) JW_MUST;

/* ---- for the implementations ---- */

/* Hands a part of the body on. */
bool wire_take(const struct wire_request *r, struct wire_answer *out, const void *p, size_t n,
               struct jw_err *err) JW_MUST;
/* Reads a line of the response's head; "HTTP/1.1 200 OK" begins it (again, where the one before was
 * 100 Continue). */
void wire_take_head(struct wire_answer *out, struct jw_bytes line);
