/* A web server that shows a folder as push makes it: index.json, and blobs/sha256/HEX. To read only. */
#include "fleet/remote/http.h"

#include <string.h>

#define ACCEPT "Accept: */*"

struct web {
    struct jw_remote head;
    struct http http;
    bool looked;           /* index.json was asked for */
    struct jw_oci_doc top; /* the document of the server; empty: there is none */
};

static const char *blob_url(struct web *w, const char *digest, struct jw_err *err)
{
    return http_url(&w->http, err, "%s/blobs/sha256/%s", w->head.o.ref->path, digest + strlen("sha256:"));
}

static bool read_web_index(struct web *w, struct jw_err *err)
{
    const char *url = http_url(&w->http, err, "%s/index.json", w->head.o.ref->path);
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_err why = { 0 };
    bool found, ok;

    if (w->looked)
        return true;
    w->top = (struct jw_oci_doc){ .is_index = true };
    ok = url && http_text(&w->http, url, ACCEPT, &text, &found, err);
    if (ok && !found)
        ok = jw_fail(err, JW_E_NET, "%.200s has no index.json", w->head.o.ref->text);
    if (ok && !jw_oci_read(jw_buf_bytes(&text), w->head.a, &w->top, &why))
        ok = remote_unreadable(&w->head, "index.json", jw_buf_bytes(&text), &why, err);
    else if (ok && !w->top.is_index)
        ok = jw_fail(err, JW_E_NET, "%.200s: index.json is not an image index", w->head.o.ref->text);
    w->looked = ok;
    jw_buf_free(&text);
    return ok;
}

static bool document(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                     struct jw_err *err)
{
    struct web *w = (struct web *)r;
    const struct jw_oci_item *item;
    char digest[72];

    *found = false;
    if (jw_ref_is_digest(name))
        return http_text(&w->http, blob_url(w, name, err), ACCEPT, out, found, err);
    if (!read_web_index(w, err))
        return false;
    item = jw_oci_find_tag(&w->top, name);
    if (!item)
        return true;
    if (!http_text(&w->http, blob_url(w, item->digest, err), ACCEPT, out, found, err))
        return false;
    if (!*found)
        return jw_fail(err, JW_E_NET, "%.200s: a file named in index.json is missing", r->o.ref->text);
    jw_oci_digest(digest, jw_buf_bytes(out));
    return (out->n == item->size && strcmp(digest, item->digest) == 0)
           || jw_fail(err, JW_E_NET, "%.200s sent data that does not match %.20s...", r->o.ref->text,
                      item->digest);
}

static bool get(struct jw_remote *r, const struct jw_oci_item *item, const char *staging, const char **path,
                struct jw_err *err)
{
    struct web *w = (struct web *)r;

    return http_download(&w->http, blob_url(w, item->digest, err), item, staging, path, err);
}

static bool tags(struct jw_remote *r, bool (*each)(void *ctx, const char *tag, struct jw_err *err), void *ctx,
                 struct jw_err *err)
{
    struct web *w = (struct web *)r;

    return read_web_index(w, err) && remote_tags_of(&w->top, each, ctx, err);
}

static void close_web(struct jw_remote *r)
{
    http_close(&((struct web *)r)->http);
}

bool remote_open_web(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                     struct jw_err *err)
{
    static const struct jw_remote_ops ops = {
        .document = document, .get = get, .tags = tags, .close = close_web
    };
    struct web *w = jw_arena_alloc(a, sizeof *w);

    w->head = (struct jw_remote){ .ops = &ops, .o = *o, .a = a };
    if (!http_open(&w->http, &w->head.o, a, err))
        return false;
    *out = &w->head;
    return true;
}
