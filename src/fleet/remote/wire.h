/*
 * One HTTP request over the system's library, loaded when a verb needs the network and not before, so that jitwarm starts as
 * fast without it and runs where it is not installed: libcurl (libcurl.so.4 since 2006; none of its headers is needed), or
 * WinHTTP. It follows no redirect and knows no login: http.h decides.
 */
#ifndef FLEET_REMOTE_WIRE_H
#define FLEET_REMOTE_WIRE_H

#include "fleet/remote/remote.h"
#include "os/files/file.h"

struct wire;

struct wire_request {
    const char *method, *url;
    const char *headers[8]; /* whole lines; NULL: no more */
    const char *body;       /* text; NULL: none, or the file's */
    size_t body_n;
    struct jw_file *file; /* `file_n` bytes from `file_at` on are the body; NULL: none */
    uint64_t file_at, file_n;
    bool secure; /* https and nothing else */
    long left_ms;
    void *ctx;
    void (*header)(void *ctx, const char *line, size_t n);
    bool (*body_part)(void *ctx, const void *p, size_t n); /* false: enough, and the caller knows why */
};

enum { WIRE_CONNECT_MS = 15000, WIRE_IDLE_S = 30 };

/* NULL: see err. It lives in `a` till it is closed. */
struct wire *wire_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_err *err);
void wire_close(struct wire *w); /* accepts NULL */

/* JW_E_NET: the connection failed. Another code: we ended it (JW_OK: by body_part), which trying again does not change. */
bool wire_do(struct wire *w, const struct wire_request *r, struct jw_err *err) JW_MUST;

#endif
