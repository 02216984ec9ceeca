/* A folder in OCI's image layout behind a web server; read only. */
#include "fleet/remote/http.h"

struct web {
    struct jw_remote head;
    struct http http;
};

static bool layout_file(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                        struct jw_err *err)
{
    struct web *w = (struct web *)r;

    return http_text(&w->http, http_url(&w->http, err, "%s/%s", r->o.ref->path, name), NULL, out, found, err);
}

static bool document(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                     struct jw_err *err)
{
    return remote_layout_document(r, layout_file, name, out, found, err);
}

static bool get(struct jw_remote *r, const struct jw_oci_item *item, const char *staging, const char **path,
                struct jw_err *err)
{
    struct web *w = (struct web *)r;

    return http_download(&w->http,
                         http_url(&w->http, err, "%s/blobs/sha256/%s", r->o.ref->path, item->digest + 7),
                         item, staging, path, err);
}

static void close_web(struct jw_remote *r)
{
    http_close(&((struct web *)r)->http);
}

bool remote_open_web(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                     struct jw_err *err)
{
    static const struct jw_remote_ops ops = { .document = document, .get = get, .close = close_web };
    struct web *w = jw_arena_alloc(a, sizeof *w);

    w->head = (struct jw_remote){ .ops = &ops, .o = *o, .a = a };
    *out = &w->head;
    return http_open(&w->http, &w->head.o, a, err);
}
