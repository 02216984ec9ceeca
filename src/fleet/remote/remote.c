#include "fleet/remote/remote.h"

#include "fleet/remote/http.h"

#include "base/digest.h"
#include "base/text.h"
#include "os/files/disk.h"
#include "os/sys.h"

#include <string.h>

enum { MAX_UPLOADS = 4, MAX_PARTS = 64 };

/* ".../manifests/TAG", ".../blobs/sha256:..." */
static const char *url_of(struct jw_remote *r, const char *kind, const char *name)
{
    return http_url(r, jw_arena_printf(r->a, "/v2/%s/%s/%s", r->o.ref->name, kind, name));
}

/* ---- settings ---- */

static bool is_safe(const struct jw_conf_item *line, struct jw_arena *a, struct jw_texts *ignored)
{
    if (line->doubt)
        jw_note(ignored, a, "%s: line ignored: %s", line->origin, line->doubt);
    return !line->doubt;
}

void jw_remote_configure(struct jw_remote_options *o, const struct jw_config *c, struct jw_arena *a,
                         struct jw_texts *ignored)
{
    const char *host = o->ref->host;

    for (size_t i = 0; host && i < c->plain.n; i++)
        if (strcmp(c->plain.v[i].value, host) == 0 && is_safe(&c->plain.v[i], a, ignored))
            o->plain_http = true;
    for (size_t i = c->cacert.n; host && i && !o->cacert && !o->plain_http; i--) /* the last one counts */
        if (is_safe(&c->cacert.v[i - 1], a, ignored))
            o->cacert = c->cacert.v[i - 1].value;
}

/* ---- documents ---- */

/* Says why the answer is no document, or that it is a web page. Returns false. */
static bool unreadable(const struct jw_remote *r, const char *name, struct jw_bytes text,
                       const struct jw_err *why, struct jw_err *err)
{
    const char *page = jw_starts(jw_text_trim(text), "<")
                           ? "a web page: does a proxy, or a page to sign in, reply in its place?"
                           : NULL;

    return page ? jw_fail(err, JW_E_NET, "%.200s: %.128s is %s", r->o.ref->text, name, page)
                : jw_fail(err, JW_E_NET, "%.200s: %.128s is not valid (%.100s)", r->o.ref->text, name,
                          text.n ? why->msg : "it is empty");
}

bool jw_remote_manifest(struct jw_remote *r, const char *tag, struct jw_oci_doc *out, char digest[72],
                        struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(r->a, JW_OCI_MAX_TEXT);
    const struct wire_request q = { .method = "GET",
                                    .url = url_of(r, "manifests", tag),
                                    .headers = { "Accept: " JW_OCI_MANIFEST },
                                    .sink = jw_sink_buf(&text),
                                    .max = text.max };
    struct wire_answer a;
    struct jw_err why = { 0 };

    *out = (struct jw_oci_doc){ 0 };
    digest[0] = '\0';
    if (!http_do(r, &q, &a, err))
        return false;
    r->answered = true;
    if (a.status != 200)
        return a.status == 404 || http_unexpected(r, "reading a document", a.status, err);
    jw_oci_digest(digest, jw_buf_bytes(&text));
    return jw_oci_read(jw_buf_bytes(&text), r->a, out, &why)
           || unreadable(r, tag, jw_buf_bytes(&text), &why, err);
}

/* ---- upload ---- */

bool jw_remote_has(struct jw_remote *r, const struct jw_oci_item *item, bool *there, struct jw_err *err)
{
    const struct wire_request q = { .method = "HEAD", .url = url_of(r, "blobs", item->digest) };
    struct wire_answer a;

    if (!http_do(r, &q, &a, err))
        return false;
    *there = a.status == 200;
    return *there || a.status == 404 || http_unexpected(r, "looking up a layer", a.status, err);
}

/* Where the blob is to be sent. NULL: see err. */
static const char *begin_upload(struct jw_remote *r, const struct jw_oci_item *item, struct jw_err *err)
{
    const struct wire_request q = { .method = "POST", .url = url_of(r, "blobs", "uploads/"), .body = "" };
    struct wire_answer a;

    if (!http_do(r, &q, &a, err)
        || (a.status != 202 && !http_unexpected(r, "starting an upload", a.status, err)))
        return NULL;
    const char *url = http_follow(r, a.location, err);

    return url ? jw_arena_printf(r->a, "%s%sdigest=%s", url, strchr(url, '?') ? "&" : "?", item->digest)
               : NULL;
}

/* In one request; from the beginning where the connection fails. `file` NULL: it is `text`. */
static bool upload(struct jw_remote *r, const struct jw_oci_item *item, struct jw_file *file,
                   const char *text, struct jw_err *err)
{
    struct wire_request q = { .method = "PUT",
                              .headers = { "Content-Type: application/octet-stream" },
                              .file = file,
                              .file_n = file ? item->size : 0,
                              .body = text,
                              .body_n = text ? strlen(text) : 0,
                              .once = true };
    struct wire_answer a;

    for (unsigned round = 1;; round++) {
        q.url = begin_upload(r, item, err);
        if (!q.url)
            return false;
        if (http_do(r, &q, &a, err))
            return a.status == 201 || http_unexpected(r, "sending a layer", a.status, err);
        if (err->code != JW_E_NET || round == MAX_UPLOADS)
            return false;
        *err = (struct jw_err){ 0 };
    }
}

bool jw_remote_put(struct jw_remote *r, const struct jw_oci_item *item, const char *file, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    bool ok = (jw_file_open(&f, file, err) || jw_wrap(err, "%.250s", file)) && upload(r, item, &f, NULL, err);

    jw_file_close(&f);
    return ok;
}

/* A manifest names OCI's empty config, which has to be there. */
static bool put_empty(struct jw_remote *r, struct jw_err *err)
{
    static const struct jw_oci_item empty = { .digest = JW_OCI_EMPTY_DIGEST, .size = 2 };
    bool there = false;

    return jw_remote_has(r, &empty, &there, err) && (there || upload(r, &empty, NULL, "{}", err));
}

bool jw_remote_put_manifest(struct jw_remote *r, const char *tag, struct jw_bytes text, struct jw_err *err)
{
    const struct wire_request q = { .method = "PUT",
                                    .url = url_of(r, "manifests", tag),
                                    .headers = { "Content-Type: " JW_OCI_MANIFEST },
                                    .body = (const char *)text.p,
                                    .body_n = text.n };
    struct wire_answer a;

    return put_empty(r, err) && http_do(r, &q, &a, err)
           && (a.status == 201 || http_unexpected(r, "storing a manifest", a.status, err));
}

/* ---- download ---- */

struct download {
    struct jw_remote *h;
    const struct jw_oci_item *item;
    struct jw_file file;
    crypto_hash_sha256_state hash;
    uint64_t at; /* so many bytes are there */
    const struct wire_answer *answer;
};

static bool start_over(struct download *d, struct jw_err *err)
{
    (void)crypto_hash_sha256_init(&d->hash);
    d->at = 0;
    return jw_file_truncate(&d->file, 0, err);
}

static bool store_bytes(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct download *d = ctx;

    /* The first bytes: a server without ranges sends everything again (200). */
    if (d->answer->got == n && d->answer->status != 206 && d->at && !start_over(d, err))
        return false;
    if (d->item->size - d->at < n)
        return jw_fail(err, JW_E_NET, "it sent more bytes than the layer has");
    if (!jw_file_write(&d->file, d->at, p, n, err))
        return jw_wrap(err, "a layer");
    (void)crypto_hash_sha256_update(&d->hash, p, n);
    d->at += n;
    jw_run_show(d->h->o.run, "fetching a layer", d->at, d->item->size);
    return true;
}

/* Requests the missing bytes. True: all came, or some, so that the next request goes on behind them. */
static bool fetch_part(struct download *d, const char *url, struct jw_err *err)
{
    struct wire_answer a = { 0 };
    struct wire_request q = { .method = "GET", .url = url, .sink = { store_bytes, d }, .max = d->item->size };
    struct jw_err why = { 0 };

    if (d->at)
        q.headers[0] = jw_arena_printf(d->h->a, "Range: bytes=%llu-", (unsigned long long)d->at);
    d->answer = &a;
    if (!http_do(d->h, &q, &a, &why)) {
        if (a.broken && a.got)
            return true;
        *err = why;
        return false;
    }
    if (a.status == 416 || (a.status / 100 == 2 && !a.got))
        return jw_fail(err, JW_E_NET, "%.200s sends less than the whole layer", d->h->host);
    return a.status == 200 || a.status == 206 || http_unexpected(d->h, "downloading a layer", a.status, err);
}

static bool fetch_blob(struct download *d, const char *url, struct jw_err *err)
{
    char got[72];

    for (unsigned parts = 0; d->at < d->item->size; parts++)
        if (parts == MAX_PARTS)
            return jw_fail(err, JW_E_NET, "%.200s sends a layer in too many parts", d->h->host);
        else if (!fetch_part(d, url, err))
            return false;
    jw_oci_digest_final(got, &d->hash);
    return strcmp(got, d->item->digest) == 0
           || jw_fail(err, JW_E_NET, "%.200s sent data that does not match %.20s...", d->h->host,
                      d->item->digest);
}

/* The size is the server's claim: do not fill the disk for it. */
static bool has_disk_room(const struct jw_remote *h, const struct jw_oci_item *item, const char *path,
                          struct jw_err *err)
{
    struct jw_disk disk;

    if (!jw_disk_look(path, &disk, err))
        return false;
    return item->size + jw_disk_spare(&disk) <= disk.free
           || jw_fail(err, JW_E_NET, "%.200s has a layer of %s, and %.250s has %s free", h->host,
                      JW_SIZE(item->size), path, JW_SIZE(disk.free));
}

bool jw_remote_get(struct jw_remote *r, const struct jw_oci_item *item, const char *path, struct jw_err *err)
{
    struct download d = { .h = r, .item = item, .file = JW_FILE_CLOSED };
    bool ok = has_disk_room(d.h, item, path, err)
              && ((jw_file_make(&d.file, path, err) && start_over(&d, err)) || jw_wrap(err, "%.250s", path))
              && fetch_blob(&d, url_of(r, "blobs", item->digest), err);

    jw_file_close(&d.file);
    if (!ok)
        jw_sys_remove(path);
    return ok;
}
