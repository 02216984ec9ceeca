/* A folder in OCI's image layout behind a web server; read only. */
#include "base/mem.h"
#include "fleet/remote/http.h"

#include <string.h>

struct web {
    struct jw_remote head;
    struct http http;
};

static const char *blob_url(struct web *w, const char *digest, struct jw_err *err)
{
    return http_url(&w->http, err, "%s/blobs/sha256/%s", w->head.o.ref->path, digest + 7);
}

static bool tagged(struct web *w, const char *tag, struct jw_buf *out, bool *found, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_oci_doc top = { 0 };
    const struct jw_oci_item *item = NULL;
    bool ok = http_text(&w->http, http_url(&w->http, err, "%s/index.json", w->head.o.ref->path), NULL, &text,
                        found, err);

    if (ok && !*found)
        ok = jw_fail(err, JW_E_NET, "%.250s has no index.json", w->head.o.ref->text);
    ok = ok
         && (jw_oci_read(jw_buf_bytes(&text), w->head.a, &top, err)
             || jw_wrap(err, "%.200s", w->head.o.ref->text));
    if (!ok && err->code == JW_E_FORMAT)
        err->code = JW_E_NET;
    if (ok)
        item = jw_oci_find_tag(&top, tag);
    jw_buf_free(&text);
    *found = item != NULL;
    return ok
           && (!item
               || (http_text(&w->http, blob_url(w, item->digest, err), NULL, out, found, err)
                   && (*found
                       || jw_fail(err, JW_E_NET, "%.200s: a file named in index.json is missing",
                                  w->head.o.ref->text))
                   && (remote_check(item, jw_buf_bytes(out), err)
                       || jw_wrap(err, "%.200s", w->head.o.ref->text))));
}

static bool document(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                     struct jw_err *err)
{
    struct web *w = (struct web *)r;

    if (!jw_ref_is_digest(name))
        return tagged(w, name, out, found, err);
    return http_text(&w->http, blob_url(w, name, err), NULL, out, found, err);
}

static bool get(struct jw_remote *r, const struct jw_oci_item *item, const char *staging, const char **path,
                struct jw_err *err)
{
    struct web *w = (struct web *)r;

    return http_download(&w->http, blob_url(w, item->digest, err), item, staging, path, err);
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
