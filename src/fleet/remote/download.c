/* Downloads a blob to HEX.pack, and checks its digest. */
#include "fleet/remote/http.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/disk.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DOWNLOADS = 3 };

struct download {
    struct http *h;
    const struct jw_oci_item *item;
    const char *path;
    struct jw_out to;
    struct jw_sha256_state hash;
    uint64_t at;
};

static bool store_bytes(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct download *d = ctx;

    if (!jw_out_write(&d->to, p, n, err))
        return jw_wrap(err, "%.250s", d->path);
    jw_sha256_update(&d->hash, p, n);
    d->at += n;
    if (d->h->o->progress)
        d->h->o->progress(d->h->o->ctx, d->at, d->item->size);
    return true;
}

static bool check_whole(struct download *d, struct jw_err *err)
{
    char got[72];

    if (d->at < d->item->size)
        return jw_fail(err, JW_E_NET, "%.200s sends less than the whole layer", d->h->host);
    jw_oci_digest_final(got, &d->hash);
    return strcmp(got, d->item->digest) == 0
           || jw_fail(err, JW_E_NET, "%.200s sent data that does not match %.20s...", d->h->host,
                      d->item->digest);
}

/* Not synced: the digest is checked before each use. `*broken`: the connection ended in the middle. */
static bool fetch_blob(struct download *d, const char *url, bool *broken, struct jw_err *err)
{
    const struct wire_request r = {
        .method = "GET", .url = url, .sink = { store_bytes, d }, .max = d->item->size
    };
    struct jw_http_answer a;

    d->at = 0;
    jw_sha256_init(&d->hash);
    if (!jw_out_open(&d->to, d->path, JW_OUT_REPLACE | JW_OUT_PRIVATE | JW_OUT_FAST, err))
        return jw_wrap(err, "%.250s", d->path);
    bool came = http_do(d->h, &r, &a, err);
    bool ok = came && (a.status == 200 || http_unexpected(d->h, "downloading a layer", a.status, err))
              && check_whole(d, err);

    *broken = !came && d->at && err->code == JW_E_NET;
    return jw_out_close(&d->to, ok, err) || (ok && jw_wrap(err, "%.250s", d->path));
}

/* The size is the server's claim: do not fill the disk for it. */
static bool has_disk_room(const struct http *h, const struct jw_oci_item *item, const char *staging,
                          struct jw_err *err)
{
    struct jw_buf need = JW_BUF(64), free = JW_BUF(64);
    struct jw_disk disk;
    bool ok = jw_disk_look(staging, &disk, err);

    if (ok && item->size + JW_SPARE_DISK > disk.free) {
        jw_text_bytes(&need, item->size);
        jw_text_bytes(&free, disk.free);
        ok = jw_fail(err, JW_E_NET, "%.200s has a layer of %s, and %.250s has %s free", h->host,
                     jw_buf_cstr(&need), staging, jw_buf_cstr(&free));
    }
    jw_buf_free(&need);
    jw_buf_free(&free);
    return ok;
}

bool http_download(struct http *h, const char *url, const struct jw_oci_item *item, const char *staging,
                   const char **path, struct jw_err *err)
{
    struct download d = { .h = h, .item = item };

    if (!url || !has_disk_room(h, item, staging, err))
        return false;
    d.path = *path = jw_path_join(h->a, staging, jw_arena_printf(h->a, "%.64s.pack", item->digest + 7));
    for (unsigned tries = 1;; tries++) {
        struct jw_err why = { 0 };
        bool broken = false;

        if (fetch_blob(&d, url, &broken, &why))
            return true;
        if (!broken || tries == MAX_DOWNLOADS) {
            *err = why;
            return false;
        }
    }
}
