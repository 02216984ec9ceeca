/* Downloads a blob to a file HEX, and goes on where a connection ended. */
#include "fleet/remote/http.h"

#include "base/digest.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/disk.h"
#include "os/files/tree.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ROUNDS = 8 };

struct download {
    struct http *h;
    const struct jw_oci_item *item;
    struct jw_file file;
    struct jw_sha256_state hash;
    uint64_t at;
    const char *staging;
};

static bool store_bytes(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct download *d = ctx;

    if (d->item->size - d->at < n)
        return jw_fail(err, JW_E_NET, "%.200s sent more bytes than the layer has", d->h->host);
    if (!jw_file_write(&d->file, d->at, p, n, err))
        return jw_wrap(err, "%.250s", d->staging);
    jw_sha256_update(&d->hash, p, n);
    d->at += n;
    jw_run_show(d->h->o->run, "fetching a layer", d->at, d->item->size);
    return true;
}

static bool start_over(struct download *d, struct jw_err *err)
{
    jw_sha256_init(&d->hash);
    d->at = 0;
    return jw_file_truncate(&d->file, 0, err);
}

static bool is_whole(const struct download *d)
{
    struct jw_sha256_state copy = d->hash;
    char got[72];

    jw_oci_digest_final(got, &copy);
    return strcmp(got, d->item->digest) == 0;
}

/* A server without ranges sends everything again (200). */
static bool put_all(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct download *d = ctx;

    return (d->at == 0 || start_over(d, err)) && store_bytes(ctx, p, n, err);
}

struct receiver {
    struct download *d;
    const struct jw_http_answer *answer;
    bool begun;
};

static bool receive_bytes(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct receiver *c = ctx;
    bool first = !c->begun;

    c->begun = true;
    return first && c->answer->status != 206 ? put_all(c->d, p, n, err) : store_bytes(c->d, p, n, err);
}

/* Requests the missing bytes. `*progress`: it received some, so a retry may help. */
static bool ask_rest(struct download *d, const char *url, bool *progress, struct jw_err *err)
{
    char range[64];
    struct jw_http_answer a = { 0 };
    struct receiver to = { .d = d, .answer = &a };
    struct wire_request r = {
        .method = "GET", .url = url, .sink = { receive_bytes, &to }, .max = d->item->size
    };
    uint64_t before = d->at;
    struct jw_err why = { 0 };

    (void)snprintf(range, sizeof range, "Range: bytes=%llu-", (unsigned long long)d->at);
    if (d->at)
        r.headers[0] = range;
    bool ok = http_do(d->h, &r, &a, &why);

    *progress = d->at > before;
    if (!ok && why.code == JW_E_NET && *progress && a.status / 100 == 2)
        return true;
    if (!ok)
        *err = why;
    else if (a.status == 416) {
        *progress = true;
        return start_over(d, err);
    } else if (a.status != 200 && a.status != 206)
        return http_unexpected(d->h, "downloading a layer", a.status, err);
    return ok;
}

static bool fetch_blob(struct download *d, const char *url, struct jw_err *err)
{
    unsigned idle = 0;
    bool progress;

    while (d->at < d->item->size) {
        if (!ask_rest(d, url, &progress, err))
            return false;
        idle = progress ? 0 : idle + 1;
        if (idle > MAX_ROUNDS)
            return jw_fail(err, JW_E_NET, "%.200s sends less than the whole layer", d->h->host);
    }
    if (is_whole(d))
        return true;
    return start_over(d, err)
           && jw_fail(err, JW_E_NET, "%.200s sent data that does not match %.20s...", d->h->host,
                      d->item->digest);
}

/* The size is the server's claim: do not fill the disk for it. */
static bool has_disk_room(const struct download *d, const char *staging, struct jw_err *err)
{
    struct jw_buf need = JW_BUF(64), free = JW_BUF(64);
    struct jw_disk disk;
    bool ok = jw_disk_look(staging, &disk, err);

    if (ok && d->item->size - d->at + jw_disk_spare(&disk) > disk.free) {
        jw_text_bytes(&need, d->item->size - d->at);
        jw_text_bytes(&free, disk.free);
        ok = jw_fail(err, JW_E_NET, "%.200s has a layer of %s, and %.250s has %s free", d->h->host,
                     jw_buf_cstr(&need), staging, jw_buf_cstr(&free));
    }
    jw_buf_free(&need);
    jw_buf_free(&free);
    return ok;
}

bool http_download(struct http *h, const char *url, const struct jw_oci_item *item, const char *staging,
                   const char **path, struct jw_err *err)
{
    struct download d = { .h = h, .item = item, .staging = staging, .file = JW_FILE_CLOSED };
    const char *name = item->digest + strlen("sha256:");
    struct jw_tree folder = JW_TREE_CLOSED;
    bool made;

    if (!url || !has_disk_room(&d, staging, err))
        return false;
    *path = jw_path_join(h->a, staging, name);
    bool ok = (jw_tree_open(&folder, staging, err)
               && jw_tree_open_file(&folder, name, JW_TREE_MAKE, &d.file, &made, err) && start_over(&d, err))
              || jw_wrap(err, "%.250s", staging);

    ok = ok && fetch_blob(&d, url, err);
    jw_file_close(&d.file);
    jw_tree_close(&folder);
    return ok;
}
