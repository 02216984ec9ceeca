/* Opens and writes of files that were there before are seen by inotify; what is new or changed, by a listing before and after.
 * A file that was opened and is neither there before nor after is one that an engine began and could not keep. */
#include "base/limits.h"
#include "base/mem.h"
#include "machine/list.h"
#include "os/files/dir.h"
#include "os/files/disk.h"
#include "os/process/name_watch.h"
#include "pack/kit/kit.h"

#include <stdio.h>
#include <string.h>

enum { MAX_BEGUN = 64, NO_ROOM = 1 << 20 };

struct tree {
    struct jw_kit_root root;
    struct jw_kit_listing before, there,
        after;                   /* after: of what is there, without what others made or changed */
    struct jw_name_watch *opens; /* NULL: there was no folder, or they cannot be seen */
    const char *begun[MAX_BEGUN];
    size_t n_begun;
    const char *why;
};

struct jw_kit_watch {
    struct jw_arena *a;
    struct tree *trees;
    size_t n;
};

static void begin_tree(struct jw_kit_watch *w, struct tree *t)
{
    struct jw_err why = { 0 };
    const char **folders;

    if (!jw_kit_list(t->root.path, w->a, &t->before, &why)) {
        t->why = jw_arena_str(w->a, why.msg);
        return;
    }
    folders = jw_arena_alloc(w->a, (t->before.n_folders + 1) * sizeof *folders);
    for (size_t i = 0; i < t->before.n_folders; i++)
        folders[i] = jw_arena_printf(w->a, "%s/%s", t->root.path, t->before.folders[i]);
    if (t->before.n_folders && !jw_name_watch_start(&t->opens, folders, t->before.n_folders, true, &why))
        t->why = jw_arena_printf(w->a, "which files are read there cannot be seen (%s)", why.msg);
}

struct jw_kit_watch *jw_kit_watch_begin(struct jw_arena *a)
{
    struct jw_kit_watch *w = jw_arena_alloc(a, sizeof *w);
    struct jw_kit_root *roots = jw_kit_roots(a, &w->n);

    w->a = a;
    w->trees = jw_arena_alloc(a, (w->n + 1) * sizeof *w->trees);
    for (size_t i = 0; i < w->n; i++) {
        w->trees[i] = (struct tree){ .root = roots[i] };
        begin_tree(w, &w->trees[i]);
    }
    return w;
}

struct taking {
    struct jw_kit_watch *w;
    struct tree *t;
};

/* "#4711": of a file that was made without a name (O_TMPFILE), as Numba does to see whether it may write. */
static bool is_nameless(const char *name)
{
    return name[0] == '#' && strspn(name + 1, "0123456789") == strlen(name + 1);
}

static void note(void *ctx, size_t folder, const char *name, enum jw_name_event what)
{
    struct taking *k = ctx;
    struct tree *t = k->t;
    char path[JW_MAX_KIT_PATH + 1];
    const char *above = t->before.folders[folder];
    struct jw_kit_listed *f;
    int n = snprintf(path, sizeof path, "%s%s%s", above, *above ? "/" : "", name);

    if (n < 0 || (size_t)n >= sizeof path || is_nameless(name))
        return;
    f = what == JW_NAME_FOLDER ? NULL : jw_kit_listed(&t->before, path);
    if (f) {
        f->opened = true;
        f->written |= what == JW_NAME_WRITTEN;
    } else if (t->n_begun < MAX_BEGUN)
        t->begun[t->n_begun++] = jw_arena_str(k->w->a, path);
}

void jw_kit_watch_take(struct jw_kit_watch *w)
{
    for (size_t i = 0; i < w->n; i++) {
        struct taking k = { w, &w->trees[i] };

        if (k.t->opens && !jw_name_watch_take(k.t->opens, note, &k))
            k.t->why = "the system dropped events, so not all that was read there was seen";
    }
}

/* ---- afterwards ---- */

/* Who sets the time of the last change back cannot set that of the last change of the file itself; but to note that a file was
 * used, cuda.core sets the times of what it read. */
static bool is_made(const struct tree *t, const struct jw_kit_listed *f)
{
    const struct jw_kit_listed *was = jw_kit_listed(&t->before, f->path);

    return !was || was->info.mtime != f->info.mtime || was->info.size != f->info.size
           || !jw_file_same(was->info.id, f->info.id) || (was->written && was->info.ctime != f->info.ctime);
}

static bool is_read(const struct tree *t, const struct jw_kit_listed *f)
{
    const struct jw_kit_listed *was = jw_kit_listed(&t->before, f->path);

    return was && was->opened;
}

/* cuda.core makes a folder that it does not need yet. */
static bool is_lost(struct jw_kit_watch *w, const struct tree *t, const char *begun)
{
    for (size_t i = 0; i < t->after.n_folders; i++)
        if (strcmp(t->after.folders[i], begun) == 0)
            return !jw_dir_always_empty(jw_arena_printf(w->a, "%s/%s", t->root.path, begun));
    return !jw_kit_listed(&t->there, begun);
}

/* An engine that could not keep what it made has compiled, and no file tells. */
static void find_doubt(struct jw_kit_watch *w, struct tree *t)
{
    struct jw_disk disk;
    struct jw_err ignored;
    size_t lost = 0, gone = 0;
    bool may = true;

    for (size_t i = 0; i < t->n_begun; i++)
        lost += is_lost(w, t, t->begun[i]);
    for (size_t i = 0; i < t->before.n; i++)
        gone += !jw_kit_listed(&t->there, t->before.files[i].path);
    if (!t->why && t->after.n_folders && jw_dir_may_add(t->root.path, &may, &ignored) && !may)
        t->why = "nothing can be written there, so what was made again would not be seen";
    if (!t->why && t->after.n_folders && jw_disk_look(t->root.path, &disk, &ignored) && disk.free < NO_ROOM)
        t->why = "its disk is full, so what was made again could not be kept";
    if (!t->why && lost)
        t->why = jw_arena_printf(w->a, "%zu files or folders were begun there and not kept", lost);
    if (!t->why && gone)
        t->why = jw_arena_printf(w->a, "%zu files were removed there and not made again", gone);
}

/* What other programs made or opened there meanwhile is none of the command's. */
static void drop_others(struct jw_kit_watch *w, struct tree *t, const struct jw_traced *by)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->after.n; i++) {
        const char *path = jw_arena_printf(w->a, "%s/%s", t->root.path, t->after.files[i].path);
        struct jw_kit_listed *was = jw_kit_listed(&t->before, t->after.files[i].path);
        bool its = jw_traced_has(by->made, by->n_made, path)
                   || (was && jw_traced_has(by->opened, by->n_opened, path));

        if (was && !its)
            was->opened = was->written = false;
        if (its || (was && !is_made(t, &t->after.files[i])))
            t->after.files[kept++] = t->after.files[i];
    }
    t->after.n = kept;
}

static bool end_tree(struct jw_kit_watch *w, struct tree *t, const struct jw_traced *by,
                     struct jw_kit_use *use, struct jw_err *err)
{
    jw_name_watch_free(t->opens);
    t->opens = NULL;
    if (!jw_kit_list(t->root.path, w->a, &t->after, err))
        return false;
    t->there = t->after;
    t->there.files = jw_arena_copy(w->a, t->after.files, t->after.n * sizeof *t->after.files);
    if (by && !by->why)
        drop_others(w, t, by);
    for (size_t i = 0; i < t->after.n; i++)
        if (is_made(t, &t->after.files[i]))
            use->made++;
        else
            use->read += is_read(t, &t->after.files[i]);
    if (!use->made)
        find_doubt(w, t);
    use->why = t->why;
    return true;
}

static bool add_files(struct jw_kit_watch *w, const struct tree *t, struct jw_kit *kit, struct jw_err *err)
{
    for (size_t i = 0; i < t->after.n; i++) {
        const struct jw_kit_listed *f = &t->after.files[i];
        struct jw_kit_file *slot;

        if (!jw_kit_path_plain(f->path) || (!is_made(t, f) && !is_read(t, f)))
            continue;
        slot = jw_list_add(w->a, &kit->files, &kit->n_files, sizeof *slot, JW_MAX_KIT_FILES, err);
        if (!slot)
            return false;
        *slot = (struct jw_kit_file){ .cache = (uint32_t)kit->n_caches - 1,
                                      .path = f->path,
                                      .bytes = f->info.size,
                                      .mode = f->info.mode & JW_KIT_MODES,
                                      .mtime_us = f->info.mtime > 0 ? (uint64_t)f->info.mtime / 1000 : 0 };
    }
    return true;
}

static const struct jw_kit_cache *recorded(const struct jw_kit *kit, const char *name, uint64_t *files)
{
    *files = 0;
    for (size_t i = 0; i < kit->n_caches; i++) {
        if (kit->caches[i].place || strcmp(kit->caches[i].name, name) != 0)
            continue;
        for (size_t k = 0; k < kit->n_files; k++)
            *files += kit->files[k].cache == i;
        return &kit->caches[i];
    }
    return NULL;
}

bool jw_kit_watch_end(struct jw_kit_watch *w, const char *key, const char *const *argv, bool keep,
                      bool ended_well, const struct jw_traced *by, struct jw_kit_use **uses, size_t *n,
                      struct jw_err *err)
{
    struct jw_kit then = { 0 }, now = { 0 };
    bool ok = jw_kit_recall(key, w->a, &then, err);

    *uses = jw_arena_alloc(w->a, (w->n + 1) * sizeof **uses);
    *n = 0;
    jw_kit_watch_take(w);
    jw_kit_describe(argv, w->a, &now);
    now.caches = jw_arena_alloc(w->a, (w->n + then.n_caches + 1) * sizeof *now.caches);
    for (size_t i = 0; i < w->n; i++) {
        struct tree *t = &w->trees[i];
        struct jw_kit_use use = { .name = t->root.of.name, .root = t->root.path };
        const struct jw_kit_cache *was = recorded(&then, use.name, &use.known);
        struct jw_kit_cache *is = &now.caches[now.n_caches];

        ok = end_tree(w, t, by, &use, ok ? err : &(struct jw_err){ 0 }) && ok;
        if (!use.read && !use.made && (keep || !was))
            continue;
        now.n_caches++;
        *is = jw_kit_cache_here(&t->root, argv, w->a);
        use.differs = was && !keep ? jw_kit_differs(&then, &now, was, is, &t->root.of, w->a) : NULL;
        (*uses)[(*n)++] = use;
        ok = ok && add_files(w, t, &now, err);
    }
    for (size_t i = 0; ok && keep && i < then.n_caches; i++)
        ok = !then.caches[i].place || jw_kit_copy(&then, i, &now, w->a, err);
    return ok
           && (!keep || !(now.n_files || then.n_files) || (!ended_well && now.n_files < then.n_files)
               || jw_kit_remember(key, &now, w->a, err));
}

bool jw_kit_use_held(const struct jw_kit_use *u)
{
    return !u->why && !u->made && (!u->known || u->read) && !(u->differs && u->read < u->known);
}
