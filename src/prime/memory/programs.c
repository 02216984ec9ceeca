#include "prime/memory/programs.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "machine/listing.h"
#include "os/files/dir.h"

#include <string.h>

/* More names in one folder are data. */
enum { MAX_NAMES = 1000 };

struct walk {
    struct scan_code *out;
    struct jw_arena *a;
    uint64_t names, max;
};

bool prime_is_program(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && (strcmp(name + n - 3, ".py") == 0 || strcmp(name + n - 3, ".sh") == 0);
}

static bool is_entered(const char *name)
{
    return name[0] != '.' && strcmp(name, "__pycache__") != 0 && strcmp(name, "node_modules") != 0
           && strcmp(name, "site-packages") != 0;
}

static bool is_environment(const char *folder, struct jw_arena *a)
{
    return jw_is_file(jw_path_join(a, folder, "pyvenv.cfg"))
           || jw_is_folder(jw_path_join(a, folder, "conda-meta"));
}

static bool add_path(struct walk *w, const char ***list, size_t *n, const char *path, struct jw_err *err)
{
    const char **one = jw_list_add(w->a, list, n, sizeof *one, JW_MAX_LISTED, err);

    if (one)
        *one = path;
    return one != NULL;
}

struct found {
    const char **files, **folders;
    size_t n_files, n_folders;
    uint64_t names;
};

/* Lists one folder, and at most about `most` names. */
static bool list_folder(struct walk *w, const char *folder, uint64_t most, struct found *f,
                        struct jw_err *err)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    bool more = true, ok = jw_dir_open(&dir, folder, err);

    while (ok && f->names <= most && (ok = jw_dir_next(dir, &e, &more, err)) && more) {
        f->names++;
        if (e.type == JW_ENTRY_DIR && is_entered(e.name))
            ok = add_path(w, &f->folders, &f->n_folders, jw_path_join(w->a, folder, e.name), err);
        else if ((e.type == JW_ENTRY_FILE || e.type == JW_ENTRY_LINK) && prime_is_program(e.name))
            ok = add_path(w, &f->files, &f->n_files, jw_path_join(w->a, folder, e.name), err);
    }
    jw_dir_close(dir);
    return ok;
}

static bool walk(struct walk *w, const char *folder, unsigned depth, bool below, struct jw_err *err)
{
    struct found f = { 0 };
    uint64_t most = below ? MAX_NAMES : w->max;

    if (below && is_environment(folder, w->a))
        return true;
    if (!list_folder(w, folder, most, &f, err))
        return below; /* a folder that is closed has nothing for the command, either */
    w->names += f.names;
    w->out->too_many |= w->names > w->max;
    if (w->out->too_many || f.names > most)
        return true;
    bool ok = add_path(w, &w->out->folders, &w->out->n_folders, folder, err);

    for (size_t i = 0; ok && i < f.n_files; i++)
        ok = add_path(w, &w->out->files, &w->out->n_files, f.files[i], err);
    for (size_t i = 0; ok && depth && !w->out->too_many && i < f.n_folders; i++)
        ok = walk(w, f.folders[i], depth - 1, true, err);
    return ok;
}

bool prime_programs_find(const char *folder, unsigned depth, uint64_t max, struct jw_arena *a,
                         struct scan_code *out, struct jw_err *err)
{
    struct walk w = { .out = out, .a = a, .max = max };

    *out = (struct scan_code){ 0 };
    if (!walk(&w, folder, depth, false, err))
        return false;
    jw_sort(out->files, out->n_files, sizeof *out->files, jw_by_text);
    return true;
}
