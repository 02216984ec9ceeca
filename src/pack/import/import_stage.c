/*
 * All of the pack is decompressed, and held against its manifest and the format of the driver's entries, before one
 * byte of it reaches the cache. What is wanted lies in a folder of ours then, beside the cache.
 */
#include "pack/import/import_work.h"

#include "base/num.h"
#include "base/path.h"
#include "os/files/scratch.h"
#include "os/files/tree.h"

#include <stdio.h>
#include <string.h>

struct staging {
    struct import *im;
    struct jw_tree root;       /* closed: nothing is kept */
    struct jw_tree homes[256]; /* of the second level, by their two digits; made for what is wanted */
};

/* ---- the folder ---- */

static bool is_kept(const struct staging *s, size_t i)
{
    enum jw_import_state state = s->im->out->entries[i].state;

    return s->root.handle != JW_TREE_CLOSED.handle && (state == JW_IMPORT_NEW || state == JW_IMPORT_CANARY);
}

static struct jw_tree *home_of(struct staging *s, size_t i)
{
    return &s->homes[s->im->manifest->entries[i].name >> 56];
}

static bool make_home(struct staging *s, size_t i, struct jw_err *err)
{
    struct jw_cache_name name = jw_cache_name(s->im->manifest->entries[i].name);
    struct jw_tree first = JW_TREE_CLOSED;
    bool found;

    name.text[1] = name.text[3] = '\0';
    bool ok = jw_tree_enter(&s->root, name.text, true, &first, &found, err)
              && jw_tree_enter(&first, name.text + 2, true, home_of(s, i), &found, err);

    jw_tree_close(&first);
    return ok || jw_wrap(err, "%s", s->im->staged);
}

static bool make_homes(struct staging *s, struct jw_err *err)
{
    for (size_t i = 0; i < s->im->manifest->n_entries; i++)
        if (is_kept(s, i) && home_of(s, i)->handle == JW_TREE_CLOSED.handle && !make_home(s, i, err))
            return false;
    return true;
}

/* Whoever publishes it will sync it. */
static bool put_file(struct staging *s, size_t i, struct jw_bytes file, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    bool found;
    bool ok = jw_tree_open_file(home_of(s, i), jw_cache_name(s->im->manifest->entries[i].name).text + 4,
                                JW_TREE_MAKE, &f, &found, err)
              && jw_file_write(&f, 0, file.p, file.n, err);

    if (ok)
        jw_file_push(&f);
    jw_file_close(&f);
    return ok || jw_wrap(err, "%s", s->im->staged);
}

/* ---- what comes by ---- */

/* The key says for what its payload was made. */
static bool check_key(const struct jw_pack_manifest *m, const struct jw_pack_entry *e,
                      const struct jw_cache_entry *found, struct jw_bytes file, struct jw_err *err)
{
    struct jw_bytes head = { NULL, 0 };
    struct jw_cache_key key;
    char arch[16];

    if (found->key_size != e->key_bytes)
        return jw_fail(err, JW_E_FORMAT, "its key has %llu bytes, and %llu in the manifest",
                       (unsigned long long)found->key_size, (unsigned long long)e->key_bytes);
    (void)jw_slice(file, JW_CACHE_HEADER, jw_min(found->key_size, JW_CACHE_KEY_HEAD), &head);
    jw_cache_key_read(head, found->key_size, &key);
    (void)snprintf(arch, sizeof arch, "sm_%u", m->sm);
    if (key.kind != JW_CACHE_CUDA)
        return jw_fail(err, JW_E_FORMAT, "is no compiled CUDA module");
    if (strcmp(key.stamp, m->stamp) != 0)
        return jw_fail(err, JW_E_FORMAT, "is of driver build %s, and %s in the manifest",
                       *key.stamp ? key.stamp : "unknown", m->stamp);
    return strcmp(key.arch, arch) == 0
           || jw_fail(err, JW_E_FORMAT, "is for %s, and %s in the manifest", key.arch, arch);
}

static bool on_entry(void *ctx, size_t i, struct jw_bytes file, struct jw_err *err)
{
    struct staging *s = ctx;
    const struct jw_pack_manifest *m = s->im->manifest;
    struct jw_cache_entry found;

    if (!jw_cache_entry_check_bytes(file, m->entries[i].name, &found, err)
        || !check_key(m, &m->entries[i], &found, file, err)) {
        (void)jw_wrap(err, "entry %s", jw_cache_name(m->entries[i].name).text);
        return jw_wrap(err, "%s", s->im->pack.name);
    }
    return !is_kept(s, i) || put_file(s, i, file, err);
}

/* ---- the whole ---- */

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
    import_notify(ctx, "unpacking", done, total);
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
    for (size_t i = 0; i < 256; i++)
        jw_tree_close(&s->homes[i]);
    jw_tree_close(&s->root);
}

bool import_stage(struct import *im, struct jw_err *err)
{
    struct staging s = { .im = im, .root = JW_TREE_CLOSED };
    struct jw_pack_read_options o = {
        .threads = im->o->threads, .interrupted = im->o->interrupted, .progress = on_progress, .ctx = im
    };

    for (size_t i = 0; i < 256; i++)
        s.homes[i] = JW_TREE_CLOSED;
    bool ok = make_folder(&s, err) && make_homes(&s, err)
              && jw_pack_read(&im->pack, im->manifest, (struct jw_pack_visitor){ on_entry, &s }, &o, err);

    close_all(&s);
    return ok;
}
