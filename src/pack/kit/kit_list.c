#include "base/limits.h"
#include "base/text.h"
#include "os/files/dir.h"
#include "pack/kit/kit.h"

#include <string.h>

struct walk {
    uint64_t files, bytes;
};

/* Follows no link; what vanishes meanwhile is passed over. */
static bool walk_folder(struct walk *w, const struct jw_tree *held, unsigned depth, struct jw_err *err)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    bool more = true, ok = jw_dir_open_held(&dir, held, err);

    while (ok && (ok = jw_dir_next(dir, &e, &more, err)) && more) {
        struct jw_tree sub = JW_TREE_CLOSED;
        struct jw_file_info info;
        struct jw_err ignored;
        bool found = false;

        if (!jw_tree_stat(held, e.name, &info, &ignored))
            continue;
        w->files += info.kind == JW_FILE_REGULAR;
        w->bytes += info.kind == JW_FILE_REGULAR ? info.size : 0;
        if (info.kind != JW_FILE_DIR || depth == JW_MAX_KIT_DEPTH
            || !jw_tree_enter(held, e.name, false, &sub, &found, &ignored) || !found)
            continue;
        ok = walk_folder(w, &sub, depth + 1, err);
        jw_tree_close(&sub);
    }
    jw_dir_close(dir);
    return ok;
}

static bool count_files(const char *root, struct walk *w, struct jw_err *err)
{
    struct jw_tree held = JW_TREE_CLOSED;
    struct jw_file_info info;

    if (!jw_file_stat(root, &info, err))
        return jw_wrap(err, "%s", root);
    if (info.kind != JW_FILE_DIR)
        return true;
    bool ok = jw_tree_open(&held, root, err) && walk_folder(w, &held, 0, err);

    jw_tree_close(&held);
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
        struct walk l = { 0 };
        struct jw_err why = { 0 };

        if (!count_files(roots[i].path, &l, &why))
            words = jw_arena_printf(a, "%s%s%s: %s", words, *words ? "; " : "", roots[i].of.name, why.msg);
        else if (l.files)
            words = add_words(words, roots[i].of.name, l.files, l.bytes, roots[i].path, a);
    }
    return add_recorded(words, a);
}
