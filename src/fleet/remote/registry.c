/* A registry, through the OCI distribution protocol. An interrupted upload resumes at the Location and Range the
 * registry names. */
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
