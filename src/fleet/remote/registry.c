/* A registry, through the OCI distribution protocol. */
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "fleet/remote/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOCKER "application/vnd.docker.distribution.manifest."
#define ACCEPT "Accept: " JW_OCI_INDEX ", " JW_OCI_MANIFEST ", " DOCKER "list.v2+json, " DOCKER "v2+json"

enum { MAX_UPLOADS = 3 };

struct registry {
    struct jw_remote head;
    struct http http;
};

static const char *repository(const struct registry *g)
{
    return g->head.o.ref->name;
}

/* ---- documents ---- */

static bool document(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                     struct jw_err *err)
{
    struct registry *g = (struct registry *)r;

    return http_text(&g->http, http_url(&g->http, err, "/v2/%s/manifests/%s", repository(g), name), ACCEPT,
                     out, found, err);
}

/* ---- blobs ---- */

static bool has(struct jw_remote *r, const struct jw_oci_item *item, bool *there, struct jw_err *err)
{
    struct registry *g = (struct registry *)r;
    const char *url = http_url(&g->http, err, "/v2/%s/blobs/%s", repository(g), item->digest);
    const struct wire_request q = { .method = "HEAD", .url = url };
    struct jw_http_answer a;

    if (!url || !http_do(&g->http, &q, &a, err))
        return false;
    *there = a.status == 200;
    return a.status == 200 || a.status == 404
           || http_unexpected(&g->http, "looking up a layer", a.status, err);
}

/* A layer, from a file or from memory. */
struct upload {
    struct registry *g;
    const struct jw_oci_item *item;
    struct jw_file *file; /* NULL: `text` */
    const char *text;
};

/* NULL: see err. */
static const char *begin_upload(const struct upload *u, struct jw_err *err)
{
    struct http *h = &u->g->http;
    const char *url = http_url(h, err, "/v2/%s/blobs/uploads/", repository(u->g));
    const struct wire_request r = { .method = "POST", .url = url, .body = "" };
    struct jw_http_answer a;

    if (!url || !http_do(h, &r, &a, err))
        return NULL;
    if (a.status == 202 && a.location[0])
        return http_follow(h, a.location, err);
    (void)http_unexpected(h, "starting an upload", a.status, err);
    return NULL;
}

static bool send_to(const struct upload *u, const char *location, struct jw_err *err)
{
    struct http *h = &u->g->http;
    struct jw_buf url = JW_BUF(JW_MAX_URL);
    struct jw_http_answer a;

    jw_buf_printf(&url, "%s%sdigest=%s", location, strchr(location, '?') ? "&" : "?", u->item->digest);
    const struct wire_request r = { .method = "PUT",
                                    .url = jw_buf_cstr(&url),
                                    .headers = { "Content-Type: application/octet-stream" },
                                    .body = u->text,
                                    .body_n = u->text ? u->item->size : 0,
                                    .file = u->file,
                                    .file_n = u->file ? u->item->size : 0,
                                    .once = true };
    bool ok = jw_buf_ok(&url, err) && http_do(h, &r, &a, err)
              && (a.status == 201 || http_unexpected(h, "sending a layer", a.status, err));

    jw_buf_free(&url);
    return ok;
}

/* What a registry has of a broken upload is not relied on: the next one has another place and sends all of it. */
static bool send(const struct upload *u, struct jw_err *err)
{
    for (unsigned tries = 1;; tries++) {
        struct jw_err why = { 0 };
        const char *location = begin_upload(u, err);

        if (!location)
            return false;
        if (send_to(u, location, &why))
            return true;
        if (why.code != JW_E_NET || tries == MAX_UPLOADS) {
            *err = why;
            return false;
        }
    }
}

static bool put(struct jw_remote *r, const struct jw_oci_item *item, const char *file, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    const struct upload u = { .g = (struct registry *)r, .item = item, .file = &f };
    bool ok = (jw_file_open(&f, file, err) || jw_wrap(err, "%.250s", file)) && send(&u, err);

    jw_file_close(&f);
    return ok;
}

static bool put_empty(struct registry *g, struct jw_err *err)
{
    static const struct jw_oci_item empty = { .digest = JW_OCI_EMPTY_DIGEST, .size = 2 };
    const struct upload u = { .g = g, .item = &empty, .text = "{}" };
    bool there = false;

    return has(&g->head, &empty, &there, err) && (there || send(&u, err));
}

static bool put_document(struct jw_remote *r, const char *tag, const char *media, struct jw_bytes text,
                         struct jw_err *err)
{
    struct registry *g = (struct registry *)r;
    char digest[72], type[160];
    const char *url;
    struct jw_http_answer a;

    jw_oci_digest(digest, text);
    (void)snprintf(type, sizeof type, "Content-Type: %.120s", media);
    if (strcmp(media, JW_OCI_MANIFEST) == 0 && !put_empty(g, err))
        return false;
    url = http_url(&g->http, err, "/v2/%s/manifests/%s", repository(g), tag ? tag : digest);
    const struct wire_request q = {
        .method = "PUT", .url = url, .headers = { type }, .body = (const char *)text.p, .body_n = text.n
    };

    return url && http_do(&g->http, &q, &a, err)
           && (a.status == 201 || http_unexpected(&g->http, "storing a manifest", a.status, err));
}

static bool get(struct jw_remote *r, const struct jw_oci_item *item, const char *staging, const char **path,
                struct jw_err *err)
{
    struct registry *g = (struct registry *)r;

    return http_download(&g->http, http_url(&g->http, err, "/v2/%s/blobs/%s", repository(g), item->digest),
                         item, staging, path, err);
}

static bool hold(struct jw_remote *r, struct jw_err *err)
{
    (void)err;
    http_begin(&((struct registry *)r)->http);
    return true;
}

static void close_registry(struct jw_remote *r)
{
    http_close(&((struct registry *)r)->http);
}

bool remote_open_registry(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                          struct jw_err *err)
{
    static const struct jw_remote_ops ops = { .document = document,
                                              .hold = hold,
                                              .put_document = put_document,
                                              .has = has,
                                              .put = put,
                                              .get = get,
                                              .close = close_registry };
    struct registry *g = jw_arena_alloc(a, sizeof *g);

    g->head = (struct jw_remote){ .ops = &ops, .o = *o, .a = a };
    *out = &g->head;
    return http_open(&g->http, &g->head.o, a, err);
}
