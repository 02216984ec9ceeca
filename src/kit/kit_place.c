/* Files are staged in a folder of their own inside of the cache's, so that each comes to its place by one rename. */
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "kit/kit.h"
#include "machine/trust.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

struct target {
    struct jw_tree root, staged;
    char *work;
};

struct jw_kit_place {
    const struct jw_kit *kit;
    struct jw_arena *a;
    bool stage, replace;
    struct target *targets; /* of each cache */
    struct jw_kit_sum *sums;
    bool *is_staged; /* of each file */
};

struct number {
    char text[8];
};

static struct number number_of(size_t file)
{
    struct number n;

    (void)snprintf(n.text, sizeof n.text, "%06u", (unsigned)(file % JW_MAX_KIT_FILES));
    return n;
}

/* Machine code, and what Python runs or unpickles. */
static void count_kind(struct jw_kit_sum *s, const char *path)
{
    static const char *const programs[] = { ".so", ".pyd", ".dll", ".exe" }, *const python[] = {
        ".py", ".pyc", ".nbi", ".nbc", ".pkl"
    };

    for (size_t i = 0; i < JW_COUNT(programs); i++)
        s->programs += jw_text_ends(path, programs[i]) || strstr(path, ".so.") != NULL;
    for (size_t i = 0; i < JW_COUNT(python); i++)
        s->python += jw_text_ends(path, python[i]);
}

static void count_files(struct jw_kit_place *p)
{
    for (size_t i = 0; i < p->kit->n_files; i++) {
        const struct jw_kit_file *f = &p->kit->files[i];

        p->sums[f->cache].files++;
        p->sums[f->cache].bytes += f->bytes;
        count_kind(&p->sums[f->cache], f->path);
    }
}

/* No other user may be able to change what is executed. */
static bool open_root(struct jw_kit_place *p, const char *path, struct target *t, struct jw_err *err)
{
    const char *at = NULL;
    struct jw_trust trust;

    if ((p->stage && !jw_trust_make(path, err))
        || !jw_trust_check_path(path, p->a, &t->root, &at, &trust, err))
        return jw_wrap(err, "%s", path);
    if (at)
        return jw_kit_check_own(&trust, at, err);
    return !p->stage || t->root.handle == JW_TREE_CLOSED.handle
           || (jw_scratch_make(path, JW_KIT_STAGED, p->a, &t->work, err)
               && jw_tree_open(&t->staged, t->work, err))
           || jw_wrap(err, "%s", path);
}

/* Its folder; `make`: it is made. */
static const char *enter(struct jw_kit_place *p, const struct jw_kit_file *f, bool make, struct jw_tree *out,
                         struct jw_err *err)
{
    const struct jw_kit_folder root = { &p->targets[f->cache].root, p->sums[f->cache].root };

    return jw_kit_enter(&root, f->path, make, out, p->a, err);
}

static size_t folder_length(const struct jw_kit_file *f)
{
    const char *end = strrchr(f->path, '/');

    return end ? (size_t)(end - f->path) : 0;
}

/* Before anything is staged; those of one folder follow each other. */
static bool check_folders(struct jw_kit_place *p, struct jw_err *err)
{
    const struct jw_kit_file *before = NULL;

    for (size_t i = 0; i < p->kit->n_files; i++) {
        const struct jw_kit_file *f = &p->kit->files[i];
        size_t n = folder_length(f);
        struct jw_tree entered;

        if (p->targets[f->cache].root.handle == JW_TREE_CLOSED.handle
            || (before && before->cache == f->cache && folder_length(before) == n
                && memcmp(before->path, f->path, n) == 0))
            continue;
        bool ok = enter(p, f, false, &entered, err) || err->code == JW_OK;

        jw_tree_close(&entered);
        if (!ok)
            return false;
        before = f;
    }
    return true;
}

bool jw_kit_place_begin(struct jw_kit_place **out, const struct jw_kit *kit, bool stage, bool replace,
                        struct jw_arena *a, struct jw_err *err)
{
    struct jw_kit_place *p = *out = jw_arena_alloc(a, sizeof *p);
    size_t n;
    const struct jw_kit_root *roots = jw_kit_roots(a, &n);
    bool ok = true;

    *p = (struct jw_kit_place){ .kit = kit, .a = a, .stage = stage, .replace = replace };
    p->targets = jw_arena_alloc(a, (kit->n_caches + 1) * sizeof *p->targets);
    p->sums = jw_arena_alloc(a, (kit->n_caches + 1) * sizeof *p->sums);
    p->is_staged = jw_arena_alloc(a, kit->n_files + 1);
    for (size_t i = 0; i < kit->n_caches; i++) {
        p->targets[i] = (struct target){ JW_TREE_CLOSED, JW_TREE_CLOSED, NULL };
        p->sums[i].name = kit->caches[i].name;
        for (size_t k = 0; k < n; k++)
            if (strcmp(roots[k].of.name, kit->caches[i].name) == 0)
                p->sums[i].root = roots[k].path;
    }
    count_files(p);
    for (size_t i = 0; ok && i < kit->n_caches; i++)
        ok = !p->sums[i].root || open_root(p, p->sums[i].root, &p->targets[i], err);
    return ok && check_folders(p, err);
}

static const struct jw_tree *folder_of(const struct jw_kit_place *p, const struct jw_kit_file *f,
                                       const struct jw_tree *entered)
{
    return entered->handle == JW_TREE_CLOSED.handle ? &p->targets[f->cache].root : entered;
}

/* What has its name now; a folder or a link is an error. */
static bool look(struct jw_kit_place *p, const struct jw_kit_file *f, bool *there, bool *same,
                 struct jw_err *err)
{
    struct jw_tree entered = JW_TREE_CLOSED;
    struct jw_file at = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    uint8_t digest[JW_DIGEST];
    const char *name;

    *there = *same = false;
    if (p->targets[f->cache].root.handle == JW_TREE_CLOSED.handle)
        return true;
    name = enter(p, f, false, &entered, err);
    bool ok = name ? jw_tree_open_file(folder_of(p, f, &entered), name, JW_TREE_READ, &at, there, err)
                   : err->code == JW_OK;

    if (ok && *there) {
        struct jw_source bytes;

        ok = jw_file_info(&at, &info, err);
        bytes = jw_file_source(&at, info.size);
        *same = ok && info.size == f->bytes && jw_digest_source(digest, &bytes, NULL, err)
                && memcmp(digest, f->digest, JW_DIGEST) == 0;
        ok = err->code == JW_OK;
    }
    jw_file_close(&at);
    jw_tree_close(&entered);
    return ok || jw_wrap(err, "%s/%s", p->sums[f->cache].root, f->path);
}

static bool write_staged(struct jw_kit_place *p, size_t file, struct jw_bytes bytes, struct jw_err *err)
{
    const struct jw_kit_file *f = &p->kit->files[file];
    struct jw_file out = JW_FILE_CLOSED;
    bool found = false;
    bool ok =
        jw_tree_open_file(&p->targets[f->cache].staged, number_of(file).text, JW_TREE_MAKE, &out, &found, err)
        && (!bytes.n || jw_file_write(&out, 0, bytes.p, bytes.n, err))
        && jw_file_dress(&out, f->mode, f->mtime_us, err) && jw_file_sync(&out, err);

    jw_file_close(&out);
    p->is_staged[file] = ok;
    return ok || jw_wrap(err, "%s", p->targets[f->cache].work);
}

bool jw_kit_place_file(struct jw_kit_place *p, size_t file, struct jw_bytes bytes, struct jw_err *err)
{
    const struct jw_kit_file *f = &p->kit->files[file];
    struct jw_kit_sum *s = &p->sums[f->cache];
    bool there, same;

    if (!s->root)
        return true;
    if (!look(p, f, &there, &same, err))
        return false;
    s->present += same;
    s->kept += there && !same && !p->replace;
    return same || (there && !p->replace) || !p->stage || write_staged(p, file, bytes, err);
}

/* Between the look and now another program may have made it: that one stays. */
static bool move(struct jw_kit_place *p, size_t file, struct jw_err *err)
{
    const struct jw_kit_file *f = &p->kit->files[file];
    struct jw_kit_sum *s = &p->sums[f->cache];
    const struct jw_tree *staged = &p->targets[f->cache].staged;
    struct jw_tree entered = JW_TREE_CLOSED;
    enum jw_swapped swapped = JW_SWAP_NOTHING;
    enum jw_moved moved = JW_MOVE_TAKEN;
    const char *name = enter(p, f, true, &entered, err);
    bool ok =
        name && jw_tree_move(staged, number_of(file).text, folder_of(p, f, &entered), name, &moved, err);

    if (ok && moved == JW_MOVE_TAKEN && p->replace)
        ok = jw_tree_swap(staged, number_of(file).text, folder_of(p, f, &entered), name, &swapped, err);
    s->placed += ok && (moved == JW_MOVED || swapped != JW_SWAP_NOTHING);
    s->kept += ok && moved != JW_MOVED && swapped == JW_SWAP_NOTHING;
    jw_tree_close(&entered);
    return ok || jw_wrap(err, "%s/%s", s->root, f->path);
}

bool jw_kit_place_all(struct jw_kit_place *p, struct jw_err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < p->kit->n_files; i++)
        ok = !p->is_staged[i] || move(p, i, err);
    return ok;
}

const struct jw_kit_sum *jw_kit_place_sums(const struct jw_kit_place *p, size_t *n)
{
    *n = p->kit->n_caches;
    return p->sums;
}

void jw_kit_place_end(struct jw_kit_place *p)
{
    for (size_t i = 0; p && i < p->kit->n_caches; i++) {
        jw_tree_close(&p->targets[i].staged);
        jw_tree_close(&p->targets[i].root);
        jw_scratch_remove(p->targets[i].work);
    }
}
