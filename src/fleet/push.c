#include "fleet/push.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "pack/export/export.h"
#include "pack/file/pack_read.h"
#include "pack/format/pack_key.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LIST = 1000, CHUNK = 1 << 20, NAME_DIGITS = 12, DIGITS = 16 /* of a name of an entry */ };

struct pack {
    const char *path; /* of its file; NULL: a layer of the registry, or one that stays in the folder */
    const char *key;  /* "sm_86-20260107-225146" */
    struct jw_push_layer layer;
};

struct push {
    const struct jw_push_options *o;
    struct jw_run *run;
    struct jw_push_report *out;
    struct jw_remote *to; /* NULL: a folder */
};

const char *jw_fleet_tag(const struct jw_ref *ref, const char *os, const char *arch, const char *stamp,
                         uint16_t sm, struct jw_arena *a, struct jw_err *err)
{
    const char *own = ref->tag ? ref->tag : "", *key = jw_pack_key(stamp, sm).text;
    const char *tag = jw_arena_printf(a, "%s%s%s-%s-%s", own, *own ? "-" : "", os, arch, key);

    if (*key && jw_ref_is_tag(tag))
        return tag;
    (void)jw_fail(err, JW_E_UNFIT, "the driver build \"%.60s\" makes no tag", stamp);
    return NULL;
}

/* ---- the packs of this push ---- */

/* Reads a file once: its digest, and a copy to `to` (put NULL: none). `size`: for the progress. */
static bool read_file(const struct jw_run *run, const char *from, uint64_t size, struct jw_sink to,
                      char digest[72], struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    crypto_hash_sha256_state s;
    uint8_t *chunk = jw_alloc(CHUNK);
    bool ok = jw_file_open(&f, from, err) || jw_wrap(err, "%.250s", from);

    (void)crypto_hash_sha256_init(&s);
    for (size_t at = 0, got = 1; ok && got; at += got) {
        ok = jw_run_goes_on(run, err)
             && (jw_file_read(&f, at, chunk, CHUNK, &got, err) || jw_wrap(err, "%.250s", from))
             && (!to.put || !got || to.put(to.ctx, chunk, got, err));
        if (ok) {
            (void)crypto_hash_sha256_update(&s, chunk, got);
            jw_run_show(run, "reading the packs", at + got, size);
        }
    }
    jw_oci_digest_final(digest, &s);
    jw_file_close(&f);
    jw_free(chunk);
    return ok;
}

static const char *software_of(const struct jw_pack_manifest *m, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF_IN(a, MAX_LIST + JW_MAX_PACK_NAME + 8);

    for (size_t i = 0; i < m->n_origins && text.n < MAX_LIST; i++)
        if (!i || strcmp(m->origins[i].name, m->origins[i - 1].name) != 0)
            jw_buf_printf(&text, "%s%s", text.n ? " " : "", m->origins[i].name);
    return text.n ? jw_buf_cstr(&text) : JW_OCI_UNKNOWN;
}

static const char *names_of(const struct jw_pack_manifest *m, struct jw_arena *a)
{
    char *out = jw_arena_alloc(a, m->n_entries * DIGITS + 1);

    for (size_t i = 0; i < m->n_entries; i++)
        (void)snprintf(out + i * DIGITS, DIGITS + 1, "%016llx", (unsigned long long)m->entries[i].name);
    return out;
}

/* What a file says of itself. */
static bool peek(struct push *p, const char *path, struct pack *x, struct jw_pack_peeked *is,
                 struct jw_err *err)
{
    struct jw_arena *a = p->run->a;
    const struct jw_pack_manifest *m = &is->manifest;

    if (!jw_pack_peek(path, a, is, err))
        return false;
    *x =
        (struct pack){ .path = path,
                       .key = jw_arena_str(a, jw_pack_key(m->stamp, m->sm).text),
                       .layer = { .tag = jw_fleet_tag(p->o->net.ref, m->os, m->arch, m->stamp, m->sm, a, err),
                                  .item = { .size = is->bytes,
                                            .software = software_of(m, a),
                                            .key = is->key[0] ? jw_arena_str(a, is->key) : NULL,
                                            .names = names_of(m, a) } } };
    return x->layer.tag != NULL;
}

/* Two packs of one title have the same bytes. */
static bool read_pack(struct push *p, const char *file, struct pack *x, struct jw_err *err)
{
    struct jw_oci_item *item = &x->layer.item;
    struct jw_pack_peeked is;
    const char *name;
    char digest[72];

    if (!peek(p, file, x, &is, err))
        return false;
    if (is.beside)
        return jw_fail(err, JW_E_USAGE,
                       "%.200s: its signature is in a separate file and would be lost; export it with "
                       "--sign, which signs inside the pack",
                       file);
    if (!read_file(p->run, file, item->size, (struct jw_sink){ NULL, NULL }, digest, err))
        return false;
    name = jw_pack_file_name(&is.manifest, false, p->run->a);
    item->digest = jw_arena_str(p->run->a, digest);
    item->title =
        jw_arena_printf(p->run->a, "%.*s-%.*s" JW_PACK_ENDING, (int)(strlen(name) - strlen(JW_PACK_ENDING)),
                        name, (int)NAME_DIGITS, digest + strlen("sha256:"));
    return true;
}

/* The order of layers depends on the packs alone. */
static int by_tag(const void *a, const void *b)
{
    const struct jw_push_layer *x = &((const struct pack *)a)->layer, *y = &((const struct pack *)b)->layer;
    int order = strcmp(x->tag, y->tag);

    return order ? order : strcmp(x->item.title, y->item.title);
}

/* ---- those of earlier pushes ---- */

static bool list_registry(struct push *p, const struct pack *like, struct pack **out, size_t *n,
                          char before[72], struct jw_err *err)
{
    struct jw_oci_doc doc;

    if (!jw_remote_manifest(p->to, like->layer.tag, &doc, before, err))
        return false;
    *out = jw_arena_alloc(p->run->a, (doc.n + 1) * sizeof **out);
    for (*n = 0; *n < doc.n; ++*n)
        (*out)[*n] = (struct pack){ .layer = { .tag = like->layer.tag, .item = doc.items[*n] } };
    return true;
}

/* A file that is no pack is left alone. */
static bool list_folder(struct push *p, const struct pack *like, struct pack **out, size_t *n,
                        struct jw_err *err)
{
    struct jw_arena *a = p->run->a;
    const char *folder = p->o->net.ref->path;
    struct jw_pack_peeked ignored;

    if (!jw_make_dirs(folder, err))
        return jw_wrap(err, "%.250s", folder);
    jw_out_sweep(folder);

    const struct jw_listing names =
        jw_listing_read(folder, jw_arena_printf(a, "%s-*" JW_PACK_ENDING, like->key), a, &p->run->notes);

    *out = jw_arena_alloc(a, (names.n + 1) * sizeof **out);
    for (size_t i = 0; i < names.n; i++) {
        struct pack *x = &(*out)[*n];
        struct jw_err why = { 0 };

        if (peek(p, jw_path_join(a, folder, names.names[i]), x, &ignored, &why)) {
            x->layer.item.title = names.names[i];
            ++*n;
        } else
            JW_NOTE(p->run, "left alone: %s", why.msg);
    }
    return true;
}

/* ---- what becomes of them ---- */

/* Is each word of `few` among those of `many`? */
static bool words_are_among(const char *few, const char *many, struct jw_arena *a)
{
    const char *all = jw_arena_printf(a, " %s ", many);

    for (size_t n; *few; few += n + (few[n] == ' ')) {
        n = strcspn(few, " ");
        if (!strstr(all, jw_arena_printf(a, " %.*s ", (int)n, few)))
            return false;
    }
    return true;
}

/* The pack of this push that has the same bytes, or all of its software. NULL: none. */
static const struct pack *successor(const struct push *p, const struct jw_oci_item *old, const struct pack *v,
                                    size_t n)
{
    const struct pack *by = NULL;

    for (size_t i = 0; i < n; i++)
        if (strcmp(old->title, v[i].layer.item.title) == 0)
            return &v[i];
        else if (!by && strcmp(old->software, JW_OCI_UNKNOWN) != 0
                 && words_are_among(old->software, v[i].layer.item.software, p->run->a))
            by = &v[i];
    return by;
}

/* Machines that trust `key` would refuse an unsigned pack in the place of one that it signed. */
static bool may_replace(const struct push *p, const struct jw_oci_item *old, const struct pack *by,
                        struct jw_err *err)
{
    return !old->key || p->o->replace || (by && by->layer.item.key)
           || jw_fail(err, JW_E_TRUST,
                      "%.150s: the pack of %.80s there is signed by key %.32s, and this push is not signed: "
                      "sign it (--sign KEY), or replace all packs there (--replace)",
                      p->o->net.ref->text, old->software, old->key);
}

/* Adds those that stay behind the `*n` packs of this push. A layer that is lost in the registry is not named any more. */
static bool merge(struct push *p, struct pack *old, size_t n_old, struct pack *v, size_t *n,
                  struct jw_err *err)
{
    size_t fresh = *n;

    for (size_t i = 0; i < n_old; i++) {
        struct jw_oci_item *item = &old[i].layer.item;
        const struct pack *by = successor(p, item, v, fresh);
        bool there = true;

        if (by && strcmp(by->layer.item.title, item->title) == 0)
            old[i].path = NULL;
        else if (by || p->o->replace) {
            if (!may_replace(p, item, by, err))
                return false;
            p->out->replaced++;
        } else {
            if (p->to && !jw_remote_has(p->to, item, &there, err))
                return false;
            old[i].path = NULL;
            old[i].layer.kept = true;
            v[*n] = old[i];
            *n += there;
        }
    }
    return true;
}

/* ---- write ---- */

/* Its bytes are asked, not its name alone: what a crash or another hand left there is written again. */
static bool is_there(const struct push *p, const struct pack *x, const char *path)
{
    struct jw_file_info info = { 0 };
    struct jw_err ignored = { 0 };
    char digest[72];

    return jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR
           && info.size == x->layer.item.size
           && read_file(p->run, path, info.size, (struct jw_sink){ 0 }, digest, &ignored)
           && strcmp(digest, x->layer.item.digest) == 0;
}

static bool write_pack(struct push *p, struct pack *x, struct jw_err *err)
{
    const char *path = jw_path_join(p->run->a, p->o->net.ref->path, x->layer.item.title);
    struct jw_out out;
    char digest[72];

    if (is_there(p, x, path))
        return true;
    if (!jw_export_place(path, p->run->a, err))
        return false;
    bool ok = jw_out_open(&out, path, JW_OUT_REPLACE, err)
              && read_file(p->run, x->path, x->layer.item.size, jw_out_sink(&out), digest, err)
              && (strcmp(digest, x->layer.item.digest) == 0
                  || jw_fail(err, JW_E_IO, "%.250s was changed while it was read", x->path));

    x->layer.sent = jw_out_close(&out, ok, err);
    return x->layer.sent || jw_wrap(err, "%.250s", path);
}

static bool send_pack(struct push *p, struct pack *x, struct jw_err *err)
{
    bool there = false;

    if (!p->to)
        return write_pack(p, x, err);
    x->layer.sent = jw_remote_has(p->to, &x->layer.item, &there, err) && !there
                    && jw_remote_put(p->to, &x->layer.item, x->path, err);
    return there || x->layer.sent;
}

/* `before`: digest of the manifest that is there. */
static bool put_manifest(struct push *p, const char *tag, const struct pack *v, size_t n, const char *before,
                         struct jw_err *err)
{
    struct jw_oci_doc doc = { .items = jw_arena_alloc(p->run->a, n * sizeof *doc.items), .n = n };
    size_t left = (size_t)JW_OCI_MAX_NAMES * DIGITS;
    struct jw_buf text = JW_BUF_IN(p->run->a, JW_OCI_MAX_TEXT);
    char digest[72] = "";

    for (size_t i = 0; i < n; i++) {
        struct jw_oci_item *item = &doc.items[i];

        *item = v[i].layer.item;
        if (item->names && strlen(item->names) > left)
            item->names = NULL;
        left -= item->names ? strlen(item->names) : 0;
    }

    if (!jw_oci_write(&text, &doc, err))
        return false;
    jw_oci_digest(digest, jw_buf_bytes(&text));
    return strcmp(digest, before) == 0 || jw_remote_put_manifest(p->to, tag, jw_buf_bytes(&text), err);
}

/* Only what was there when this push began: a pack that another push adds meanwhile stays. Its signature goes last: it is of no other. */
static bool remove_replaced(const struct push *p, const struct pack *old, size_t n, struct jw_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (old[i].path
            && !(jw_file_remove(old[i].path, err)
                 && jw_file_remove(jw_arena_printf(p->run->a, "%s" JW_PACK_SIGNATURE, old[i].path), err)))
            return jw_wrap(err, "%.250s", old[i].path);
    return true;
}

/* Packs of one key, with those that are there under it. */
static bool push_key(struct push *p, const struct pack *first, size_t n, struct jw_err *err)
{
    struct jw_push_report *out = p->out;
    struct pack *old = NULL, *v;
    size_t n_old = 0, fresh = n;
    char before[72] = "";

    if (!(p->to ? list_registry(p, first, &old, &n_old, before, err)
                : list_folder(p, first, &old, &n_old, err)))
        return false;
    v = jw_arena_alloc(p->run->a, (n + n_old) * sizeof *v);
    memcpy(v, first, n * sizeof *v);
    if (!merge(p, old, n_old, v, &n, err))
        return false;
    for (size_t i = 0; i < fresh; i++) {
        if (!send_pack(p, &v[i], err))
            return false;
        out->sent_bytes += v[i].layer.sent ? v[i].layer.item.size : 0;
    }
    jw_sort(v, n, sizeof *v, by_tag);
    for (size_t i = 0; i < n; i++) {
        struct jw_push_layer *to = jw_list_add(p->run->a, &out->layers, &out->n, sizeof *to, SIZE_MAX, err);

        if (!to)
            return false;
        *to = v[i].layer;
    }
    return p->to ? put_manifest(p, v->layer.tag, v, n, before, err) : remove_replaced(p, old, n_old, err);
}

/* ---- the run ---- */

static bool push_all(struct push *p, struct jw_err *err)
{
    const struct jw_texts *files = &p->o->packs;
    struct pack *v = jw_arena_alloc(p->run->a, (files->n + 1) * sizeof *v);

    for (size_t i = 0; i < files->n; i++)
        if (!read_pack(p, files->v[i], &v[i], err))
            return false;
    jw_sort(v, files->n, sizeof *v, by_tag);
    for (size_t i = 0, last; i < files->n; i = last) {
        for (last = i + 1; last < files->n && strcmp(v[i].layer.tag, v[last].layer.tag) == 0;)
            last++;
        if (!push_key(p, &v[i], last - i, err))
            return false;
    }
    return true;
}

bool jw_push(struct jw_run *run, const struct jw_push_options *o, struct jw_push_report *out,
             struct jw_err *err)
{
    struct push p = { .o = o, .run = run, .out = out };
    struct jw_remote_options net = o->net;

    *out = (struct jw_push_report){ 0 };
    net.run = run;

    bool ok = (o->net.ref->path || jw_remote_open(&net, run->a, &p.to, err)) && push_all(&p, err);

    jw_remote_close(p.to);
    return ok;
}
