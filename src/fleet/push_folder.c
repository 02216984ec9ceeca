/* A shared folder is one of pack files: import, and a line `source =`, read it as it is. Each file is replaced as a whole. */
#include "fleet/push_run.h"

#include "base/path.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "pack/export/export.h"
#include "pack/format/pack_key.h"

#include <string.h>

struct old { /* a pack that is there under the same key */
    const char *path;
    const struct pack *by; /* what takes its place; NULL: it is kept, or --replace removes it */
    bool same_name;
    struct pack is;
};

static const char *name_of(const struct pack *x, struct jw_arena *a)
{
    return jw_pack_file_name(&x->is.manifest, false, a);
}

/* A file that is no pack is left alone. */
static bool look_at(struct push *p, const char *path, const struct pack *v, size_t n, struct old *out,
                    struct jw_err *err)
{
    struct jw_arena *a = p->run->a;
    struct pack *is = &out->is;
    struct jw_err why = { 0 };

    *out = (struct old){ .path = path };
    if (!jw_pack_peek(path, NULL, a, &is->is, &why)) {
        JW_NOTE(p->run, "left alone: %s", why.msg);
        return true;
    }
    is->layer = (struct jw_push_layer){ .software = push_software(&is->is.manifest, a),
                                        .size = is->is.bytes,
                                        .entries = is->is.manifest.n_entries,
                                        .key = is->is.key[0] ? is->is.key : NULL,
                                        .kept = true };
    out->by = push_successor(is->layer.software, v, n);
    for (size_t i = 0; i < n && !out->same_name; i++)
        if (strcmp(jw_path_base(path), name_of(&v[i], a)) == 0) {
            out->by = &v[i];
            out->same_name = true;
        }
    is->layer.kept = !out->by && !p->o->replace;
    return is->layer.kept || push_may_replace(p, is->layer.software, is->layer.key, out->by, err);
}

/* Is the pack there with these bytes? */
static bool is_there(struct push *p, const struct pack *x, const char *path)
{
    struct jw_file_info info = { 0 };
    struct jw_err ignored = { 0 };
    char digest[72];

    return jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR && info.size == x->is.bytes
           && push_read_file(p->run, path, info.size, (struct jw_sink){ NULL, NULL }, NULL, digest, &ignored)
           && strcmp(digest, x->layer.digest) == 0;
}

static bool write_pack(struct push *p, struct pack *x, const char *path, struct jw_err *err)
{
    struct jw_out out;
    char digest[72];
    bool ok = (jw_out_open(&out, path, JW_OUT_REPLACE, err) || jw_wrap(err, "%.250s", path))
              && push_read_file(p->run, x->file, x->is.bytes, jw_out_sink(&out), path, digest, err)
              && (strcmp(digest, x->layer.digest) == 0
                  || jw_fail(err, JW_E_IO, "%.250s was changed while it was read", x->file));

    x->layer.sent = jw_out_close(&out, ok, err);
    p->out->sent += x->layer.sent;
    p->out->sent_bytes += x->layer.sent ? x->is.bytes : 0;
    return x->layer.sent || (ok && jw_wrap(err, "%.250s", path));
}

static bool remove_old(struct push *p, struct old *old, struct jw_err *err)
{
    bool goes = old->is.layer.software && !old->is.layer.kept;

    p->out->replaced += goes && (!old->same_name || (old->by && old->by->layer.sent));
    return !goes || old->same_name || jw_file_remove(old->path, err) || jw_wrap(err, "%.250s", old->path);
}

bool push_to_folder(struct push *p, const char *tag, const struct pack *first, size_t n, struct jw_err *err)
{
    struct jw_arena *a = p->run->a;
    const char *folder = p->o->net.ref->path;
    const struct jw_pack_manifest *m = &first->is.manifest;
    const char *pattern = jw_arena_printf(a, "%s-*" JW_PACK_ENDING, jw_pack_key(m->stamp, m->sm).text);

    if (!jw_make_dirs(folder, err))
        return jw_wrap(err, "%.250s", folder);
    jw_out_sweep(folder);

    const struct jw_listing names = jw_listing_read(folder, pattern, a, &p->run->notes);
    struct old *old = jw_arena_alloc(a, (names.n + 1) * sizeof *old);
    struct pack *v = jw_arena_alloc(a, (n + names.n) * sizeof *v);
    size_t all = n;

    memcpy(v, first, n * sizeof *v);
    for (size_t i = 0; i < names.n; i++)
        if (!look_at(p, jw_path_join(a, folder, names.names[i]), v, n, &old[i], err))
            return false;
    for (size_t i = 0; i < n; i++) {
        const char *path = jw_path_join(a, folder, name_of(&v[i], a));

        if (!is_there(p, &v[i], path) && (!jw_export_place(path, a, err) || !write_pack(p, &v[i], path, err)))
            return false;
    }
    for (size_t i = 0; i < names.n; i++) {
        if (!remove_old(p, &old[i], err))
            return false;
        if (old[i].is.layer.kept)
            v[all++] = old[i].is;
    }
    push_report(p, tag, v, all);
    return true;
}
