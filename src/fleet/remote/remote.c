#include "fleet/remote/remote.h"

#include "base/digest.h"
#include "base/mem.h"
#include "os/files/file.h"

#include <string.h>

enum { CHUNK = 1 << 20 };

bool jw_remote_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                    struct jw_err *err)
{
    *out = NULL;
    if (o->ref->kind == JW_REF_FOLDER) {
        remote_open_folder(o, a, out);
        return true;
    }
    return o->ref->kind == JW_REF_WEB ? remote_open_web(o, a, out, err)
                                      : remote_open_registry(o, a, out, err);
}

bool jw_remote_oci(struct jw_remote *r, const char *name, struct jw_arena *a, struct jw_oci_doc *out,
                   char digest[72], bool *found, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    char got[72] = "";
    struct jw_err why = { 0 };

    *found = false;
    bool ok = r->ops->document(r, name, &text, found, err);

    if (ok && *found) {
        jw_oci_digest(got, jw_buf_bytes(&text));
        if (jw_ref_is_digest(name) && strcmp(got, name) != 0)
            ok =
                jw_fail(err, JW_E_NET, "%.200s sent data that does not match %.20s...", r->o.ref->text, name);
        else if (!jw_oci_read(jw_buf_bytes(&text), a, out, &why))
            ok = jw_fail(err, JW_E_NET, "%.200s: %.128s is not a valid index or manifest (%.100s)",
                         r->o.ref->text, name, why.msg);
    }
    if (digest)
        memcpy(digest, got, sizeof got);
    jw_buf_free(&text);
    return ok;
}

static bool hash_through(const struct jw_remote_options *o, struct jw_file *f, const char *from,
                         uint64_t size, struct jw_sink to, const char *into, struct jw_sha256_state *s,
                         uint8_t *chunk, struct jw_err *err)
{
    uint64_t at = 0;

    for (size_t got = 1; got; at += got) {
        if (o->interrupted && atomic_load(o->interrupted))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        if (!jw_file_read(f, at, chunk, CHUNK, &got, err))
            return jw_wrap(err, "%.250s", from);
        jw_sha256_update(s, chunk, got);
        if (to.put && got && !to.put(to.ctx, chunk, got, err))
            return jw_wrap(err, "%.250s", into);
        if (o->progress)
            o->progress(o->ctx, at + got, size);
    }
    return true;
}

bool jw_remote_hash_file(const struct jw_remote_options *o, const char *from, uint64_t size,
                         struct jw_sink to, const char *into, char digest[72], struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_sha256_state s;
    uint8_t *chunk = jw_alloc(CHUNK);

    jw_sha256_init(&s);
    bool ok = (jw_file_open(&f, from, err) || jw_wrap(err, "%.250s", from))
              && hash_through(o, &f, from, size, to, into, &s, chunk, err);

    jw_oci_digest_final(digest, &s);
    jw_file_close(&f);
    jw_free(chunk);
    return ok;
}

/* ---- for the implementations ---- */

static const char *layout_name(const struct jw_remote *r)
{
    return r->o.ref->kind == JW_REF_FOLDER ? r->o.ref->path : r->o.ref->text;
}

bool remote_layout_top(struct jw_remote *r, remote_layout_read *read, struct jw_oci_doc *out, bool *found,
                       struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    const char *where = layout_name(r);
    struct jw_err why = { 0 };
    bool ok = read(r, "index.json", &text, found, err);

    *out = (struct jw_oci_doc){ .is_index = true };
    if (ok && *found && !jw_oci_read(jw_buf_bytes(&text), r->a, out, &why))
        ok = jw_fail(err, JW_E_NET, "%.250s: index.json: %.100s", where, why.msg);
    if (ok && !out->is_index)
        ok = jw_fail(err, JW_E_NET, "%.250s: index.json is not an image index", where);
    jw_buf_free(&text);
    return ok;
}

static bool layout_blob(struct jw_remote *r, remote_layout_read *read, const char *digest, struct jw_buf *out,
                        bool *found, struct jw_err *err)
{
    return read(r, jw_arena_printf(r->a, "blobs/sha256/%s", digest + 7), out, found, err);
}

bool remote_layout_document(struct jw_remote *r, remote_layout_read *read, const char *name,
                            struct jw_buf *out, bool *found, struct jw_err *err)
{
    const char *where = layout_name(r);
    const struct jw_oci_item *item;
    struct jw_oci_doc top;
    char digest[72];

    if (jw_ref_is_digest(name))
        return layout_blob(r, read, name, out, found, err);
    if (!remote_layout_top(r, read, &top, found, err))
        return false;
    if (!*found)
        return r->o.write || jw_fail(err, JW_E_NET, "%.250s does not exist, or has no index.json", where);
    item = jw_oci_find_tag(&top, name);
    *found = item != NULL;
    if (!item)
        return true;
    if (!layout_blob(r, read, item->digest, out, found, err))
        return false;
    if (!*found)
        return jw_fail(err, JW_E_NET, "%.250s: a file named in index.json is missing", where);
    jw_oci_digest(digest, jw_buf_bytes(out));
    return (out->n == item->size && strcmp(digest, item->digest) == 0)
           || jw_fail(err, JW_E_NET, "%.250s is damaged: its data does not match %.20s...", where,
                      item->digest);
}
