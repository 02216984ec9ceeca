#include "fleet/remote/remote.h"

#include "fleet/remote/http.h"

#include "base/num.h"
#include "base/text.h"
#include "os/files/disk.h"
#include "os/sys.h"

#include <string.h>

static const char *url_of(struct jw_remote *r, const char *kind, const char *name)
{
    return jw_arena_printf(r->run->a, "%s/v2/%s/%s/%s", r->base, r->o.ref->name, kind, name);
}

/* ---- settings ---- */

/* The last line that counts, of those with this value (NULL: any). NULL: there is none. */
static const char *line_of(const struct jw_conf_list *lines, const char *value, struct jw_arena *a,
                           struct jw_texts *ignored)
{
    const char *found = NULL;

    for (size_t i = 0; i < lines->n; i++)
        if (value && strcmp(lines->v[i].value, value) != 0)
            continue;
        else if (lines->v[i].doubt)
            jw_note(ignored, a, "%s: line ignored: %s", lines->v[i].origin, lines->v[i].doubt);
        else
            found = lines->v[i].value;
    return found;
}

void jw_remote_configure(struct jw_remote_options *o, const struct jw_config *c, struct jw_arena *a,
                         struct jw_texts *ignored)
{
    if (!o->ref->host)
        return;
    o->plain_http = line_of(&c->plain, o->ref->host, a, ignored) != NULL;
    if (!o->plain_http)
        o->cacert = line_of(&c->cacert, NULL, a, ignored);
}

/* ---- documents ---- */

bool jw_remote_manifest(struct jw_remote *r, const char *tag, struct jw_oci_manifest *out,
                        struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(r->run->a, JW_OCI_MAX_TEXT);
    struct wire_request q = {.method = "GET",
                             .url = url_of(r, "manifests", tag),
                             .header = "Accept: " JW_OCI_MANIFEST,
                             .sink = jw_sink_buf(&text),
                             .max = text.max};
    struct wire_answer a;
    struct jw_err why = {.msg = "it is empty"};

    if (!http_do(r, &q, &a, err))
        return false;
    r->answered = true;
    if (a.status != 200)
        return a.status == 404 || http_unexpected(r, "reading a document", a.status, err);
    if (text.n && jw_oci_read(jw_buf_bytes(&text), r->run->a, out, &why))
        return true;
    return jw_fail(err, JW_E_NET, "%.200s: %.128s is not valid (%.100s)", r->o.ref->text, tag,
                   jw_starts(jw_text_trim(jw_buf_bytes(&text)), "<")
                       ? "it is a web page: does a proxy, or a page to sign in, reply in its place?"
                       : why.msg);
}

/* ---- upload ---- */

bool jw_remote_has(struct jw_remote *r, const char *digest, bool *there, struct jw_err *err)
{
    struct wire_request q = {.method = "HEAD", .url = url_of(r, "blobs", digest)};
    struct wire_answer a;

    if (!http_do(r, &q, &a, err))
        return false;
    *there = a.status == 200;
    return *there || a.status == 404 || http_unexpected(r, "looking up a layer", a.status, err);
}

/* Asks where a blob is to be sent: a place of each try, which has nothing of an earlier one. */
static bool begin_upload(struct jw_remote *r, struct wire_request *to, struct jw_err *err)
{
    struct wire_request q = {
        .method = "POST", .url = url_of(r, "blobs", "uploads/"), .body = JW_BYTES("")};
    struct wire_answer a;

    if (!http_do(r, &q, &a, err)
        || (a.status != 202 && !http_unexpected(r, "starting an upload", a.status, err)))
        return false;
    const char *url = http_follow(r, q.url, a.location, err);

    if (url)
        to->url = jw_arena_printf(r->run->a, "%s%sdigest=%s", url, strchr(url, '?') ? "&" : "?",
                                  (const char *)to->ctx);
    return url != NULL;
}

/* Sends the body of `q`, unless it is there. */
static bool upload(struct jw_remote *r, const char *digest, struct wire_request q, bool *sent,
                   struct jw_err *err)
{
    struct wire_answer a;
    bool there = false;

    q.method = "PUT";
    q.header = "Content-Type: application/octet-stream";
    q.ready = begin_upload;
    q.ctx = (void *)(uintptr_t)digest;
    *sent = jw_remote_has(r, digest, &there, err) && !there && http_do(r, &q, &a, err)
            && (a.status == 201 || http_unexpected(r, "sending a layer", a.status, err));
    return there || *sent;
}

bool jw_remote_put(struct jw_remote *r, const struct jw_oci_layer *layer, const char *file,
                   bool *sent, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    bool ok = (jw_file_open(&f, file, err) || jw_wrap(err, "%.250s", file))
              && upload(r, layer->digest, (struct wire_request){.file = &f, .file_n = layer->size},
                        sent, err);

    jw_file_close(&f);
    return ok;
}

/* A manifest names OCI's empty config, which has to be there. */
bool jw_remote_put_manifest(struct jw_remote *r, const char *tag, struct jw_bytes text,
                            struct jw_err *err)
{
    struct wire_request q = {.method = "PUT",
                             .url = url_of(r, "manifests", tag),
                             .header = "Content-Type: " JW_OCI_MANIFEST,
                             .body = text};
    struct wire_answer a;
    bool ignored;

    return upload(r, JW_OCI_EMPTY_DIGEST, (struct wire_request){.body = JW_BYTES("{}")}, &ignored,
                  err)
           && http_do(r, &q, &a, err)
           && (a.status == 201 || http_unexpected(r, "storing a manifest", a.status, err));
}

/* ---- download ---- */

struct download {
    const struct jw_remote *h;
    const struct jw_oci_layer *layer;
    struct jw_file file;
    crypto_hash_sha256_state hash;
    uint64_t at; /* so many bytes are there */
    struct wire_answer answer;
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
    if (d->answer.got == n && d->answer.status != 206 && !start_over(d, err))
        return false;
    if (d->layer->size - d->at < n)
        return jw_fail(err, JW_E_NET, "it sent more bytes than the layer has");
    if (!jw_file_write(&d->file, d->at, p, n, err))
        return false;
    (void)crypto_hash_sha256_update(&d->hash, p, n);
    d->at += n;
    jw_run_show(d->h->run, "fetching a layer", d->at, d->layer->size);
    return true;
}

static bool ask_for_the_rest(struct jw_remote *h, struct wire_request *q, struct jw_err *err)
{
    const struct download *d = q->ctx;

    (void)err;
    q->header =
        d->at ? jw_arena_printf(h->run->a, "Range: bytes=%llu-", (unsigned long long)d->at) : NULL;
    return true;
}

static bool fetch_blob(struct jw_remote *r, struct download *d, struct jw_err *err)
{
    struct wire_request q = {.method = "GET",
                             .url = url_of(r, "blobs", d->layer->digest),
                             .sink = {store_bytes, d},
                             .max = d->layer->size,
                             .ready = ask_for_the_rest,
                             .ctx = d};

    if (!http_do(r, &q, &d->answer, err))
        return false;
    if (d->answer.status != 416 && d->answer.status / 100 != 2) /* 416: nothing was left */
        return http_unexpected(r, "downloading a layer", d->answer.status, err);
    if (d->at < d->layer->size)
        return jw_fail(err, JW_E_NET, "%.200s sends less than the whole layer", r->host);
    return strcmp(jw_oci_digest(&d->hash, r->run->a), d->layer->digest) == 0
           || jw_fail(err, JW_E_NET, "%.200s sent data that does not match %.20s...", r->host,
                      d->layer->digest);
}

/* The size is the server's claim: do not fill the disk for it. */
static bool has_disk_room(const struct jw_remote *h, const struct jw_oci_layer *layer,
                          const char *path, struct jw_err *err)
{
    struct jw_disk disk;

    return jw_disk_look(path, &disk, err)
           && (layer->size + jw_spare(disk.total) <= disk.free
               || jw_fail(err, JW_E_IO, "%.200s has a layer of %s, and %.250s has %s free", h->host,
                          JW_SIZE(layer->size), path, JW_SIZE(disk.free)));
}

bool jw_remote_get(struct jw_remote *r, const struct jw_oci_layer *layer, const char *path,
                   struct jw_err *err)
{
    struct download d = {.h = r, .layer = layer, .file = JW_FILE_CLOSED};
    bool ok =
        has_disk_room(r, layer, path, err)
        && ((jw_file_make(&d.file, path, err) && start_over(&d, err) && fetch_blob(r, &d, err))
            || (err->code == JW_E_IO && jw_wrap(err, "%.250s", path)));

    jw_file_close(&d.file);
    if (!ok)
        jw_sys_remove(path);
    return ok;
}
