/*
 * A folder in OCI's image layout: oci-layout, index.json, blobs/sha256/HEX. index.json is replaced atomically, after
 * the files that it names. Readers need no lock.
 */
#include "fleet/remote/remote.h"

#include "base/path.h"
#include "os/files/file.h"
#include "os/files/tree.h"

#include <string.h>

#define LAYOUT "{\"imageLayoutVersion\": \"1.0.0\"}"
#define LOCK "jitwarm.lock"

enum { LOCK_WAIT_MS = 30000 };

struct folder {
    struct jw_remote head;
    const char *dir;
    struct jw_file lock;
};

/* ---- files ---- */

static const char *blob_path(const struct folder *f, const char *digest)
{
    const char *blobs = jw_path_join(f->head.a, f->dir, "blobs/sha256");

    return jw_path_join(f->head.a, blobs, digest + 7);
}

static bool read_file(const char *path, struct jw_buf *out, bool *found, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (jw_file_slurp(path, out, found, &why))
        return true;
    return jw_fail(err, JW_E_NET, "%.250s: %.100s", path, why.msg);
}

static bool write_remote_file(const char *path, struct jw_bytes text, struct jw_err *err)
{
    return jw_file_put(path, JW_OUT_REPLACE, text, err) || jw_wrap(err, "%.250s", path);
}

/* ---- index.json ---- */

static bool read_index(const struct folder *f, struct jw_oci_doc *out, bool *found, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_err why = { 0 };
    bool ok = read_file(jw_path_join(f->head.a, f->dir, "index.json"), &text, found, err);

    *out = (struct jw_oci_doc){ .is_index = true };
    if (ok && *found && !jw_oci_read(jw_buf_bytes(&text), f->head.a, out, &why))
        ok = jw_fail(err, JW_E_NET, "%.250s: index.json: %.100s", f->dir, why.msg);
    if (ok && !out->is_index)
        ok = jw_fail(err, JW_E_NET, "%.250s: index.json is not an image index", f->dir);
    jw_buf_free(&text);
    return ok;
}

static bool document(struct jw_remote *r, const char *name, struct jw_buf *out, bool *found,
                     struct jw_err *err)
{
    struct folder *f = (struct folder *)r;
    const struct jw_oci_item *item;
    struct jw_oci_doc top;
    char digest[72];

    if (jw_ref_is_digest(name))
        return read_file(blob_path(f, name), out, found, err);
    if (!read_index(f, &top, found, err))
        return false;
    if (!*found)
        return r->o.write || jw_fail(err, JW_E_NET, "%.250s does not exist, or has no index.json", f->dir);
    item = jw_oci_find(&top, NULL, JW_OCI_REF_NAME, name);
    *found = item != NULL;
    if (!item)
        return true;
    if (!read_file(blob_path(f, item->digest), out, found, err))
        return false;
    if (!*found)
        return jw_fail(err, JW_E_NET, "%.250s: a file named in index.json is missing", f->dir);
    jw_oci_digest(digest, jw_buf_bytes(out));
    return (out->n == item->size && strcmp(digest, item->digest) == 0)
           || jw_fail(err, JW_E_NET, "%.250s is damaged: its data does not match %.20s...", f->dir,
                      item->digest);
}

static bool put_manifest(struct jw_remote *r, const char *tag, struct jw_bytes text, struct jw_err *err)
{
    struct folder *f = (struct folder *)r;
    struct jw_oci_note name = { JW_OCI_REF_NAME, tag };
    struct jw_oci_item item = { .media = JW_OCI_MANIFEST, .size = text.n, .notes = &name, .n_notes = 1 };
    struct jw_buf index = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_oci_doc top;
    char digest[72];
    bool found;

    jw_oci_digest(digest, text);
    item.digest = digest;
    if (!write_remote_file(blob_path(f, digest), text, err) || !read_index(f, &top, &found, err))
        return false;

    const struct jw_oci_item *old = jw_oci_find(&top, NULL, JW_OCI_REF_NAME, tag);
    struct jw_oci_item *all = jw_arena_alloc(r->a, (top.n + 1) * sizeof *all);

    for (size_t i = 0; i < top.n; i++)
        all[i] = top.items[i];
    all[old ? (size_t)(old - top.items) : top.n++] = item;
    top.items = all;
    bool ok = jw_oci_write(&index, &top, err)
              && write_remote_file(jw_path_join(r->a, f->dir, "index.json"), jw_buf_bytes(&index), err);

    jw_buf_free(&index);
    return ok;
}

/* ---- blobs ---- */

static bool has(struct jw_remote *r, const struct jw_oci_item *item, bool *there, struct jw_err *err)
{
    const char *path = blob_path((struct folder *)r, item->digest);
    struct jw_file_info info;

    if (!jw_file_stat(path, &info, err))
        return jw_wrap(err, "%.250s", path);
    *there = info.kind == JW_FILE_REGULAR && info.size == item->size;
    return true;
}

static bool is_of_digest(const struct jw_oci_item *item, const char *file, const char *digest,
                         struct jw_err *err)
{
    return strcmp(digest, item->digest) == 0
           || jw_fail(err, JW_E_NET, "%.250s is damaged: its data does not match its digest", file);
}

static bool put(struct jw_remote *r, const struct jw_oci_item *item, const char *file, struct jw_err *err)
{
    const char *path = blob_path((struct folder *)r, item->digest);
    struct jw_out out;
    char digest[72];
    bool ok = (jw_out_open(&out, path, JW_OUT_REPLACE, err) || jw_wrap(err, "%.250s", path))
              && jw_remote_hash_file(r->o.run, file, item->size, jw_out_sink(&out), path, digest, err)
              && is_of_digest(item, file, digest, err);

    return jw_out_close(&out, ok, err) || (ok && jw_wrap(err, "%.250s", path));
}

static bool get(struct jw_remote *r, const struct jw_oci_item *item, const char *staging, const char **path,
                struct jw_err *err)
{
    const char *file = blob_path((struct folder *)r, item->digest);
    struct jw_file_info info;
    struct jw_err why = { 0 };
    char digest[72];

    (void)staging;
    *path = file;
    if (!jw_file_stat(file, &info, &why))
        return jw_fail(err, JW_E_NET, "%.250s: %.100s", file, why.msg);
    if (info.kind == JW_FILE_NONE)
        return jw_fail(err, JW_E_NET, "%.250s does not exist", file);
    if (info.size != item->size)
        return jw_fail(err, JW_E_NET, "%.250s is damaged: its size is %llu bytes, not %llu", file,
                       (unsigned long long)info.size, (unsigned long long)item->size);
    if (jw_remote_hash_file(r->o.run, file, item->size, (struct jw_sink){ NULL, NULL }, NULL, digest, &why))
        return is_of_digest(item, file, digest, err);
    return why.code == JW_E_INTERRUPTED ? (*err = why, false) : jw_fail(err, JW_E_NET, "%.400s", why.msg);
}

/* ---- open and close ---- */

static void close_folder(struct jw_remote *r)
{
    jw_file_close(&((struct folder *)r)->lock);
}

static bool lock(struct folder *f, struct jw_err *err)
{
    struct jw_tree t = JW_TREE_CLOSED;
    bool found, taken = false;
    bool ok = jw_tree_open(&t, f->dir, err)
              && jw_tree_open_file(&t, LOCK, JW_TREE_MAKE, &f->lock, &found, err)
              && jw_filelock_take(f->lock.handle, JW_LOCK_WRITE, LOCK_WAIT_MS, &taken, err);

    jw_tree_close(&t);
    if (ok && !taken)
        return jw_fail(err, JW_E_BUSY, "%.250s: another push has held it for 30 seconds", f->dir);
    return ok || jw_wrap(err, "%.250s", f->dir);
}

static bool hold(struct jw_remote *r, struct jw_err *err)
{
    struct folder *f = (struct folder *)r;
    const struct jw_oci_item empty = { .digest = JW_OCI_EMPTY_DIGEST, .size = 2 };
    const char *blobs = jw_path_join(f->head.a, f->dir, "blobs/sha256");
    bool there = false;

    if (!jw_make_dirs(blobs, err))
        return jw_wrap(err, "%.250s", f->dir);
    if (!lock(f, err))
        return false;
    jw_out_sweep(f->dir);
    jw_out_sweep(blobs);
    return write_remote_file(jw_path_join(f->head.a, f->dir, "oci-layout"), JW_BYTES(LAYOUT), err)
           && has(&f->head, &empty, &there, err)
           && (there || write_remote_file(blob_path(f, JW_OCI_EMPTY_DIGEST), JW_BYTES("{}"), err));
}

void remote_open_folder(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out)
{
    static const struct jw_remote_ops ops = { .document = document,
                                              .hold = hold,
                                              .put_manifest = put_manifest,
                                              .has = has,
                                              .put = put,
                                              .get = get,
                                              .close = close_folder };
    struct folder *f = jw_arena_alloc(a, sizeof *f);

    *f = (struct folder){ .head = { .ops = &ops, .o = *o, .a = a },
                          .dir = o->ref->path,
                          .lock = JW_FILE_CLOSED };
    *out = &f->head;
}
