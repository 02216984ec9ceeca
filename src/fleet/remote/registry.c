/* A registry, through the OCI distribution protocol. */
#include "fleet/remote/http.h"

#include <stdio.h>
#include <string.h>

#define DOCKER "application/vnd.docker.distribution.manifest."
#define ACCEPT "Accept: " JW_OCI_INDEX ", " JW_OCI_MANIFEST ", " DOCKER "list.v2+json, " DOCKER "v2+json"

enum { MAX_ROUNDS = 4 };

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

/* Where the blob is to be sent. NULL: see err. */
static const char *begin_upload(struct registry *g, const struct jw_oci_item *item, struct jw_err *err)
{
    struct http *h = &g->http;
    const char *url = http_url(h, err, "/v2/%s/blobs/uploads/", repository(g));
    const struct wire_request r = { .method = "POST", .url = url, .body = "" };
    struct jw_http_answer a;

    if (!url || !http_do(h, &r, &a, err)
        || (a.status != 202 && !http_unexpected(h, "starting an upload", a.status, err)))
        return NULL;
    url = http_follow(h, a.location, err);
    return url ? jw_arena_printf(h->a, "%s%sdigest=%s", url, strchr(url, '?') ? "&" : "?", item->digest)
               : NULL;
}

/* In one request, as oras does it; from the beginning where the connection fails. `file` NULL: it is `text`. */
static bool upload(struct registry *g, const struct jw_oci_item *item, struct jw_file *file, const char *text,
                   struct jw_err *err)
{
    struct wire_request r = { .method = "PUT",
                              .headers = { "Content-Type: application/octet-stream" },
                              .file = file,
                              .file_n = file ? item->size : 0,
                              .body = text,
                              .body_n = text ? strlen(text) : 0,
                              .once = true };
    struct jw_http_answer a;

    for (unsigned round = 1;; round++) {
        struct jw_err why = { 0 };

        r.url = begin_upload(g, item, err);
        if (!r.url)
            return false;
        if (http_do(&g->http, &r, &a, &why))
            return a.status == 201 || http_unexpected(&g->http, "sending a layer", a.status, err);
        if (why.code != JW_E_NET || round == MAX_ROUNDS) {
            *err = why;
            return false;
        }
    }
}

static bool put(struct jw_remote *r, const struct jw_oci_item *item, const char *file, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    bool ok = (jw_file_open(&f, file, err) || jw_wrap(err, "%.250s", file))
              && upload((struct registry *)r, item, &f, NULL, err);

    jw_file_close(&f);
    return ok;
}

static bool put_empty(struct registry *g, struct jw_err *err)
{
    static const struct jw_oci_item empty = { .digest = JW_OCI_EMPTY_DIGEST, .size = 2 };
    bool there = false;

    return has(&g->head, &empty, &there, err) && (there || upload(g, &empty, NULL, "{}", err));
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
