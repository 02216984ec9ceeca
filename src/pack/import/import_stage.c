/*
 * All of the pack is read once more, and held against its manifest and the format of the driver's entries, before one
 * byte of it reaches the cache. What is wanted lies in a folder of ours then, beside the cache.
 */
#include "pack/import/import_work.h"

#include "base/mem.h"
#include "base/path.h"
#include "os/files/scratch.h"
#include "os/files/tree.h"

#include <stdio.h>
#include <string.h>

struct staging {
    struct import *im;
    struct jw_tree root;       /* closed: nothing is kept */
    struct jw_tree homes[256]; /* of the second level, by their two digits; opened when they are needed */
    struct jw_file file;       /* closed: this entry is not kept */
    uint64_t written;
    size_t at; /* the entry that comes next */
    const struct jw_pack_entry *entry;
    struct jw_cache_check check;
    struct jw_err own; /* of the folder */
};

/* ---- the folder ---- */

static bool make_home(struct staging *s, struct jw_cache_name *name, struct jw_tree *home, struct jw_err *err)
{
    struct jw_tree first = JW_TREE_CLOSED;
    bool found;

    name->text[1] = name->text[3] = '\0';
    bool ok = jw_tree_enter(&s->root, name->text, true, &first, &found, err)
              && jw_tree_enter(&first, name->text + 2, true, home, &found, err);

    jw_tree_close(&first);
    return ok;
}

/* The folder's trouble, not the pack's. */
static bool fail_own(struct staging *s, struct jw_err *err)
{
    jw_err_wrap(&s->own, "%s", s->im->staged);
    *err = s->own;
    return false;
}

static bool make_file(struct staging *s, struct jw_err *err)
{
    struct jw_cache_name name = jw_cache_name(s->entry->name);
    struct jw_tree *home = &s->homes[s->entry->name >> 56];
    bool found;

    s->written = 0;
    return ((home->handle != JW_TREE_CLOSED.handle || make_home(s, &name, home, &s->own))
            && jw_tree_open_file(home, jw_cache_name(s->entry->name).text + 4, JW_TREE_MAKE, &s->file, &found,
                                 &s->own))
           || fail_own(s, err);
}

/* ---- what comes by ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_manifest(const struct jw_pack_manifest *x, const struct jw_pack_manifest *y)
{
    bool same = x->n_entries == y->n_entries && x->sm == y->sm && strcmp(x->stamp, y->stamp) == 0
                && same_text(x->compiler, y->compiler) && same_text(x->compiler_version, y->compiler_version);

    for (size_t i = 0; same && i < x->n_entries; i++)
        same = x->entries[i].name == y->entries[i].name && x->entries[i].key_bytes == y->entries[i].key_bytes
               && x->entries[i].payload_bytes == y->entries[i].payload_bytes
               && x->entries[i].made == y->entries[i].made
               && memcmp(x->entries[i].digest, y->entries[i].digest, JW_DIGEST) == 0;
    return same;
}

static bool on_manifest(void *ctx, const struct jw_pack_manifest *m, struct jw_err *err)
{
    struct staging *s = ctx;

    return same_manifest(m, s->im->manifest) || jw_fail(err, JW_E_FORMAT, "was changed while it was read");
}

static bool on_entry(void *ctx, const struct jw_pack_entry *e, struct jw_err *err)
{
    struct staging *s = ctx;
    enum jw_import_state state = s->im->out->entries[s->at].state;
    bool wanted = state == JW_IMPORT_NEW || state == JW_IMPORT_CANARY;

    s->entry = &s->im->manifest->entries[s->at++];
    jw_cache_check_begin(&s->check, e->name, jw_pack_entry_bytes(e));
    return !wanted || s->root.handle == JW_TREE_CLOSED.handle || make_file(s, err);
}

static bool wrap_entry(const struct staging *s, struct jw_err *err)
{
    return jw_wrap(err, "entry %s", jw_cache_name(s->entry->name).text);
}

static bool on_data(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct staging *s = ctx;

    if (!jw_cache_check_feed(&s->check, p, n, err))
        return wrap_entry(s, err);
    if (s->file.handle == JW_FILE_CLOSED.handle)
        return true;
    if (!jw_file_write(&s->file, s->written, p, n, &s->own))
        return fail_own(s, err);
    s->written += n;
    return true;
}

/* The key says for what its payload was made. */
static bool check_key(const struct staging *s, struct jw_err *err)
{
    const struct jw_pack_manifest *m = s->im->manifest;
    struct jw_cache_key key;
    char arch[16];

    jw_cache_check_key(&s->check, &key);
    (void)snprintf(arch, sizeof arch, "sm_%u", m->sm);
    if (s->check.entry.key_size != s->entry->key_bytes)
        return jw_fail(err, JW_E_FORMAT, "its key has %llu bytes, and %llu in the manifest",
                       (unsigned long long)s->check.entry.key_size, (unsigned long long)s->entry->key_bytes);
    if (key.kind != JW_CACHE_CUDA)
        return jw_fail(err, JW_E_FORMAT, "is no compiled CUDA module");
    if (strcmp(key.stamp, m->stamp) != 0)
        return jw_fail(err, JW_E_FORMAT, "is of driver build %s, and %s in the manifest",
                       *key.stamp ? key.stamp : "unknown", m->stamp);
    return strcmp(key.arch, arch) == 0
           || jw_fail(err, JW_E_FORMAT, "is for %s, and %s in the manifest", key.arch, arch);
}

static bool on_done(void *ctx, struct jw_err *err)
{
    struct staging *s = ctx;

    if (s->file.handle != JW_FILE_CLOSED.handle)
        jw_file_push(&s->file); /* publish will sync it */
    jw_file_close(&s->file);
    s->file = JW_FILE_CLOSED;
    return (jw_cache_check_end(&s->check, err) && check_key(s, err)) || wrap_entry(s, err);
}

/* ---- the whole ---- */

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
    import_tell(ctx, "unpacking", done, total);
}

static bool make_folder(struct staging *s, struct jw_err *err)
{
    struct import *im = s->im;

    if (im->o->dry_run || !im->out->counts[JW_IMPORT_NEW])
        return true;
    im->staged = jw_path_join(im->a, im->p.work, "staged");
    return (jw_make_private_dir(im->staged, err) && jw_tree_open(&s->root, im->staged, err))
           || jw_wrap(err, "%s", im->staged);
}

static void close_all(struct staging *s)
{
    jw_file_close(&s->file);
    for (size_t i = 0; i < 256; i++)
        jw_tree_close(&s->homes[i]);
    jw_tree_close(&s->root);
}

bool import_stage(struct import *im, struct jw_err *err)
{
    struct staging s = { .im = im, .root = JW_TREE_CLOSED, .file = JW_FILE_CLOSED };
    struct jw_pack_visitor to = { on_manifest, on_entry, on_data, on_done, &s };
    struct jw_pack_read_options o = {
        .threads = im->o->threads, .interrupted = im->o->interrupted, .progress = on_progress, .ctx = im
    };

    for (size_t i = 0; i < 256; i++)
        s.homes[i] = JW_TREE_CLOSED;
    bool ok = make_folder(&s, err) && jw_pack_read(&im->pack, to, &o, im->a, err);

    close_all(&s);
    if (s.own.code)
        *err = s.own;
    return ok;
}
