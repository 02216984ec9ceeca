/* A registry, through the OCI distribution protocol. An interrupted upload resumes at the Location and Range the
 * registry names. */
#include "base/json_read.h"
#include "base/text.h"
#include "fleet/remote/http.h"

#include <stdio.h>
#include <string.h>

#define DOCKER "application/vnd.docker.distribution.manifest."
#define ACCEPT "Accept: " JW_OCI_INDEX ", " JW_OCI_MANIFEST ", " DOCKER "list.v2+json, " DOCKER "v2+json"
#define CHUNK ((uint64_t)64 << 20)

enum { MAX_ROUNDS = 6 };

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

struct upload {
    struct registry *g;
    const struct jw_oci_item *item;
    struct jw_file *file;
    const char *url; /* the last Location */
    uint64_t at;     /* bytes that the registry has */
};

/* Reads a Range header: "0-8388607", or empty. */
static bool take_range(struct upload *u, const struct jw_http_answer *a, uint64_t most, struct jw_err *err)
{
    const char *text = jw_text_starts(a->range, "bytes=") ? a->range + 6 : a->range;
    const char *dash = strchr(text, '-');
    uint64_t last = 0;

    if (!*text)
        return true;
    if (text[0] != '0' || dash != text + 1 || !jw_text_u64(dash + 1, &last) || last >= most)
        return jw_fail(err, JW_E_NET, "%.200s reports more bytes than were sent", u->g->http.host);
    u->at = last ? last + 1 : 0; /* registries also send 0-0 for no bytes */
    return true;
}

static bool take_location(struct upload *u, const struct jw_http_answer *a, struct jw_err *err)
{
    if (!a->location[0])
        return u->url || jw_fail(err, JW_E_NET, "%.200s sent no Location for the upload", u->g->http.host);
    u->url = http_follow(&u->g->http, a->location, err);
    return u->url != NULL;
}

static bool begin_upload(struct upload *u, struct jw_err *err)
{
    struct http *h = &u->g->http;
    const char *url = http_url(h, err, "/v2/%s/blobs/uploads/", repository(u->g));
    const struct wire_request r = { .method = "POST", .url = url, .body = "" };
    struct jw_http_answer a;

    u->at = 0;
    u->url = NULL;
    return url && http_do(h, &r, &a, err)
           && (a.status == 202 || http_unexpected(h, "starting an upload", a.status, err))
           && take_location(u, &a, err);
}

static bool send_chunk(struct upload *u, struct jw_err *err)
{
    struct http *h = &u->g->http;
    uint64_t n = u->item->size - u->at < CHUNK ? u->item->size - u->at : CHUNK;
    char range[80];
    struct wire_request r = { .method = "PATCH",
                              .url = u->url,
                              .headers = { "Content-Type: application/octet-stream", range },
                              .file = u->file,
                              .file_at = u->at,
                              .file_n = n,
                              .once = true };
    struct jw_http_answer a;

    (void)snprintf(range, sizeof range, "Content-Range: %llu-%llu", (unsigned long long)u->at,
                   (unsigned long long)(u->at + n - 1));
    if (!http_do(h, &r, &a, err))
        return false;
    if (a.status / 100 != 2) /* OCI has 202, go-containerregistry 204 */
        return http_unexpected(h, "sending a part of a layer", a.status, err);
    u->at += n;
    return take_range(u, &a, u->at, err) && take_location(u, &a, err);
}

/* Asks how far the upload got. Starts again if the registry no longer knows it. */
static bool ask_again(struct upload *u, struct jw_err *err)
{
    const struct wire_request r = { .method = "GET", .url = u->url };
    struct jw_http_answer a;
    struct jw_err why = { 0 };

    if (http_do(&u->g->http, &r, &a, &why) && a.status == 204 && a.range[0])
        return take_range(u, &a, u->item->size, err) && take_location(u, &a, err);
    return why.code == JW_E_INTERRUPTED ? (*err = why, false) : begin_upload(u, err);
}

/* `rest`: the bytes that were not sent as chunks. */
static bool finish_upload(struct upload *u, const char *rest, size_t n, struct jw_err *err)
{
    struct http *h = &u->g->http;
    struct jw_buf url = JW_BUF(JW_MAX_URL);
    struct jw_http_answer a;

    jw_buf_printf(&url, "%s%sdigest=%s", u->url, strchr(u->url, '?') ? "&" : "?", u->item->digest);
    const struct wire_request r = { .method = "PUT",
                                    .url = jw_buf_cstr(&url),
                                    .headers = { "Content-Type: application/octet-stream" },
                                    .body = rest,
                                    .body_n = n };
    bool ok = jw_buf_ok(&url, err) && http_do(h, &r, &a, err)
              && (a.status == 201 || http_unexpected(h, "finishing an upload", a.status, err));

    jw_buf_free(&url);
    return ok;
}

static bool send(struct upload *u, struct jw_err *err)
{
    unsigned failed = 0;

    if (!begin_upload(u, err))
        return false;
    while (u->at < u->item->size) {
        struct jw_err why = { 0 };
        uint64_t before = u->at;

        if (send_chunk(u, &why)) {
            failed = u->at > before ? 0 : failed + 1;
            jw_run_show(u->g->head.o.run, "sending", u->at, u->item->size);
        } else if (why.code != JW_E_NET || ++failed > MAX_ROUNDS || !ask_again(u, &why)) {
            *err = why;
            return false;
        }
        if (failed > MAX_ROUNDS)
            return jw_fail(err, JW_E_NET, "%.200s does not accept the rest of an upload", u->g->http.host);
    }
    return finish_upload(u, "", 0, err);
}

static bool put(struct jw_remote *r, const struct jw_oci_item *item, const char *file, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct upload u = { .g = (struct registry *)r, .item = item, .file = &f };
    bool ok = (jw_file_open(&f, file, err) || jw_wrap(err, "%.250s", file)) && send(&u, err);

    jw_file_close(&f);
    return ok;
}

static bool put_empty(struct registry *g, struct jw_err *err)
{
    static const struct jw_oci_item empty = { .digest = JW_OCI_EMPTY_DIGEST, .size = 2 };
    struct upload u = { .g = g, .item = &empty };
    bool there = false;

    return has(&g->head, &empty, &there, err)
           && (there || (begin_upload(&u, err) && finish_upload(&u, "{}", 2, err)));
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

enum { TAGS_AT_ONCE = 1000, MAX_PAGES = 64 };

/* Calls `each`, and keeps the last one. `*n`: how many there were; 0 also for the page before, sent again. */
static bool each_of_page(struct registry *g, struct jw_bytes text, const char **last, size_t *n,
                         bool (*each)(void *ctx, const char *tag, struct jw_err *err), void *ctx,
                         struct jw_err *err)
{
    struct jw_jdoc *doc = NULL;
    struct jw_err why = { 0 };

    *n = 0;
    if (!jw_jdoc_parse(&doc, text, &why))
        return remote_unreadable(&g->head, "the list of its tags", text, &why, err);
    const struct jw_jval *tags = jw_jget(jw_jdoc_root(doc), "tags");
    const struct jw_jval *first = jw_jarray(tags) ? jw_jfirst(tags) : NULL;
    const char *before = *last;
    bool ok = true;

    for (const struct jw_jval *v = first; v; v = jw_jnext(v))
        if (jw_jtext(v) && jw_ref_is_tag(jw_jtext(v)))
            *last = jw_jtext(v);
    if (strcmp(before, *last) == 0)
        first = NULL;
    *last = jw_arena_str(g->head.a, *last);
    for (const struct jw_jval *v = first; ok && v; v = jw_jnext(v))
        if (jw_jtext(v) && jw_ref_is_tag(jw_jtext(v))) {
            (*n)++;
            ok = each(ctx, jw_arena_str(g->head.a, jw_jtext(v)), err);
        }
    jw_jdoc_free(doc);
    return ok;
}

/* In pages: the next one is where the registry says (Link), for it may send fewer than it was asked for. */
static bool tags(struct jw_remote *r, bool (*each)(void *ctx, const char *tag, struct jw_err *err), void *ctx,
                 struct jw_err *err)
{
    struct registry *g = (struct registry *)r;
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    const char *last = "", *next = NULL;
    const char *url = http_url(&g->http, err, "/v2/%s/tags/list?n=%d", repository(g), (int)TAGS_AT_ONCE);
    bool ok = url != NULL;

    for (unsigned page = 0; ok && url && page < MAX_PAGES; page++) {
        bool found;
        size_t n = 0;

        jw_buf_clear(&text);
        ok = http_page(&g->http, url, "Accept: application/json", &text, &found, &next, err)
             && (!found || each_of_page(g, jw_buf_bytes(&text), &last, &n, each, ctx, err));
        url = n ? next : NULL;
        if (ok && n >= TAGS_AT_ONCE && !url) { /* it names no next page, and there may be one */
            url = http_url(&g->http, err, "/v2/%s/tags/list?n=%d&last=%s", repository(g), (int)TAGS_AT_ONCE,
                           last);
            ok = url != NULL;
        }
    }
    jw_buf_free(&text);
    return ok;
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
                                              .tags = tags,
                                              .close = close_registry };
    struct registry *g = jw_arena_alloc(a, sizeof *g);

    g->head = (struct jw_remote){ .ops = &ops, .o = *o, .a = a };
    *out = &g->head;
    return http_open(&g->http, &g->head.o, a, err);
}
