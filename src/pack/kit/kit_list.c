#include "base/limits.h"
#include "base/text.h"
#include "machine/list.h"
#include "os/files/dir.h"
#include "pack/kit/kit.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    struct jw_arena *a;
    struct jw_kit_listing *out;
};

static const char *below(struct walk *w, const char *folder, const char *name)
{
    return jw_arena_printf(w->a, "%s%s%s", folder, *folder ? "/" : "", name);
}

static bool add_file(struct walk *w, const char *path, const struct jw_file_info *info, struct jw_err *err)
{
    struct jw_kit_listed *slot =
        jw_list_add(w->a, &w->out->files, &w->out->n, sizeof *slot, JW_MAX_KIT_LISTED, err);

    if (slot)
        *slot = (struct jw_kit_listed){ .path = path, .info = *info };
    w->out->bytes += info->size;
    return slot != NULL;
}

static bool walk_folder(struct walk *w, const struct jw_tree *held, const char *path, unsigned depth,
                        struct jw_err *err);

/* What vanishes meanwhile is passed over. */
static bool walk_name(struct walk *w, const struct jw_tree *held, const char *folder, const char *name,
                      unsigned depth, struct jw_err *err)
{
    struct jw_tree sub = JW_TREE_CLOSED;
    struct jw_file_info info;
    struct jw_err ignored;
    bool found = false;

    if (!jw_tree_stat(held, name, &info, &ignored))
        return true;
    if (info.kind == JW_FILE_REGULAR)
        return add_file(w, below(w, folder, name), &info, err);
    if (info.kind != JW_FILE_DIR || depth == JW_MAX_KIT_DEPTH)
        return true;
    if (!jw_tree_enter(held, name, false, &sub, &found, &ignored) || !found)
        return true;
    bool ok = walk_folder(w, &sub, below(w, folder, name), depth + 1, err);

    jw_tree_close(&sub);
    return ok;
}

static bool walk_folder(struct walk *w, const struct jw_tree *held, const char *path, unsigned depth,
                        struct jw_err *err)
{
    const char **slot =
        jw_list_add(w->a, &w->out->folders, &w->out->n_folders, sizeof *slot, JW_MAX_KIT_FOLDERS, err);
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    bool more = true, ok = slot && jw_dir_open_held(&dir, held, err);

    if (slot)
        *slot = path;
    while (ok && (ok = jw_dir_next(dir, &e, &more, err)) && more)
        ok = walk_name(w, held, path, e.name, depth, err);
    jw_dir_close(dir);
    return ok;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct jw_kit_listed *)a)->path, ((const struct jw_kit_listed *)b)->path);
}

bool jw_kit_list(const char *root, struct jw_arena *a, struct jw_kit_listing *out, struct jw_err *err)
{
    struct walk w = { a, out };
    struct jw_tree held = JW_TREE_CLOSED;
    struct jw_file_info info;

    *out = (struct jw_kit_listing){ 0 };
    if (!jw_file_stat(root, &info, err))
        return jw_wrap(err, "%s", root);
    if (info.kind != JW_FILE_DIR)
        return true;
    bool ok = jw_tree_open(&held, root, err) && walk_folder(&w, &held, "", 0, err);

    jw_tree_close(&held);
    if (out->n)
        qsort(out->files, out->n, sizeof *out->files, by_path);
    return ok || jw_wrap(err, "%s", root);
}

static const char *add_words(const char *words, const char *name, uint64_t files, uint64_t bytes,
                             const char *root, struct jw_arena *a)
{
    return jw_arena_printf(a, "%s%s%s %s (%s) in %s", words, *words ? "; " : "", name,
                           JW_N(files, "file", "files"), JW_SIZE(bytes), root);
}

/* Of caches that nobody knows, as much as is recorded of them and still there; each once. */
static const char *add_recorded(const char *words, struct jw_arena *a)
{
    size_t n;
    const struct jw_kit *all = jw_kit_records(a, &n);

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < all[i].n_caches; c++) {
            const char *place = all[i].caches[c].place, *root;
            uint64_t files = 0, bytes = 0;

            if (!place || !(root = jw_kit_root_here(&all[i].caches[c], a))
                || strstr(jw_arena_printf(a, "%s;", words), jw_arena_printf(a, " in %s;", root)))
                continue;
            for (size_t k = 0; k < all[i].n_files; k++) {
                struct jw_file_info info = { .kind = JW_FILE_NONE };
                struct jw_err ignored;

                if (all[i].files[k].cache != c
                    || !jw_file_stat(jw_arena_printf(a, "%s/%s", root, all[i].files[k].path), &info, &ignored)
                    || info.kind != JW_FILE_REGULAR)
                    continue;
                files++;
                bytes += info.size;
            }
            if (files)
                words = add_words(words, all[i].caches[c].name, files, bytes, root, a);
        }
    return words;
}

const char *jw_kit_words(struct jw_arena *a)
{
    size_t n;
    const struct jw_kit_root *roots = jw_kit_roots(a, &n);
    const char *words = "";

    for (size_t i = 0; i < n; i++) {
        struct jw_kit_listing l = { 0 };
        struct jw_err why = { 0 };

        if (!jw_kit_list(roots[i].path, a, &l, &why))
            words = jw_arena_printf(a, "%s%s%s: %s", words, *words ? "; " : "", roots[i].of.name, why.msg);
        else if (l.n)
            words = add_words(words, roots[i].of.name, l.n, l.bytes, roots[i].path, a);
    }
    return add_recorded(words, a);
}

struct jw_kit_listed *jw_kit_listed(const struct jw_kit_listing *l, const char *path)
{
    const struct jw_kit_listed key = { .path = path };

    return l->n ? bsearch(&key, l->files, l->n, sizeof key, by_path) : NULL;
}
