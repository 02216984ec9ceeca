/*
 * Python and conda environments by their marks (pyvenv.cfg, conda-meta), in a bounded walk of the user's home, and in the working
 * folder and those above it. The bounds count folders and names, not time, so that two runs on one home find the same.
 */
#include "software/find/places.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/dir.h"
#include "os/files/real.h"

#include <string.h>

enum { WALK_DEPTH = 4, WALK_FOLDERS = 3000, WALK_NAMES = 300000 };

struct walk_folder {
    const char *path;
    unsigned depth;
};

struct home_walk {
    struct jw_finder *f;
    struct walk_folder *v;
    size_t n, names;
    bool cut;
};

/* Hidden folders hold caches and settings; tools that keep environments in one have a row in the table of places. */
static bool to_be_walked(const char *name)
{
    static const char *const never[] = { "node_modules", "__pycache__", "site-packages", "snap",
                                         "data",         "datasets",    "AppData",       "Library" };

    if (name[0] == '.')
        return strcmp(name, ".venv") == 0;
    for (size_t i = 0; i < JW_COUNT(never); i++)
        if (strcmp(name, never[i]) == 0)
            return false;
    return true;
}

static bool is_mark(const char *name)
{
    return strcmp(name, "pyvenv.cfg") == 0 || strcmp(name, "conda-meta") == 0;
}

static bool later(struct home_walk *w, const struct walk_folder *in, const char *name)
{
    struct walk_folder *next;
    const char *path;

    if (in->depth == WALK_DEPTH || !to_be_walked(name))
        return true;
    if (w->n == WALK_FOLDERS) {
        w->cut = true;
        return true;
    }
    path = jw_path_join(w->f->a, in->path, name);
    if (!path)
        return jw_nomem(w->f->err, strlen(name));
    next = jw_list_add(w->f->a, &w->v, &w->n, sizeof *w->v, WALK_FOLDERS, w->f->err);
    if (next)
        *next = (struct walk_folder){ path, in->depth + 1 };
    return next != NULL;
}

/* What cannot be read is not this user's software. Below an environment there is no other one. */
static bool walk_one(struct home_walk *w, size_t at)
{
    const struct walk_folder in = w->v[at];
    size_t before = w->n;
    struct jw_dir *dir;
    struct jw_entry e;
    struct jw_err ignored;
    bool more, ok = true, found = false;

    if (!jw_dir_open(&dir, in.path, &ignored))
        return true;
    while (ok && !found && jw_dir_next(dir, &e, &more, &ignored) && more) {
        if (++w->names > WALK_NAMES) {
            w->cut = true;
            break;
        }
        found = is_mark(e.name);
        if (!found && e.type == JW_ENTRY_DIR)
            ok = later(w, &in, e.name);
    }
    jw_dir_close(dir);
    if (found)
        w->n = before;
    return ok && (!found || jw_finder_python(w->f, in.path, "environment found in the home folder"));
}

bool jw_finder_home(struct jw_finder *f)
{
    struct home_walk w = { .f = f };
    struct walk_folder *top;

    if (!f->home || !jw_path_absolute(f->home) || !jw_is_folder(f->home))
        return true;
    top = jw_list_add(f->a, &w.v, &w.n, sizeof *w.v, WALK_FOLDERS, f->err);
    if (!top)
        return false;
    *top = (struct walk_folder){ f->home, 0 };
    for (size_t i = 0; i < w.n && w.names <= WALK_NAMES; i++)
        if (!walk_one(&w, i))
            return false;
    if (!w.cut)
        return true;
    f->out->cut_short = true;
    return jw_note(&f->out->notes, f->a, f->err,
                   "%s is large: the search for environments stopped after %zu folders and %zu names; name "
                   "others under roots in jitwarm.conf",
                   f->home, w.n, w.names);
}

static bool add_marked(struct jw_finder *f, const char *folder, const char *name)
{
    const char *prefix = jw_path_join(f->a, folder, name);
    const char *venv = prefix ? jw_path_join(f->a, prefix, "pyvenv.cfg") : NULL;
    const char *conda = prefix ? jw_path_join(f->a, prefix, "conda-meta") : NULL;
    struct jw_file_info info;
    struct jw_err ignored;

    if (!venv || !conda)
        return jw_nomem(f->err, strlen(folder));
    if (!jw_is_folder(conda) && (!jw_file_stat(venv, &info, &ignored) || info.kind == JW_FILE_NONE))
        return true;
    return jw_finder_python(f, prefix, "environment of the working folder");
}

/* In /tmp and its like anybody could leave an environment for others to find. */
static bool open_to_everybody(struct jw_finder *f, const char *folder)
{
    struct jw_trust t;
    struct jw_err ignored;

    return !jw_trust_read(folder, f->a, &t, &ignored) || t.sticky
           || (t.writers && strcmp(t.writers, "everybody") == 0);
}

bool jw_finder_working(struct jw_finder *f)
{
    static const char *const names[] = { ".venv", "venv", "env" };
    const char *folder = f->o->working;
    struct jw_err ignored;

    if (!folder && !jw_real_path(".", f->a, &folder, &ignored))
        return true;
    for (unsigned level = 0; level < JW_MAX_DEPTH; level++) {
        const char *above = jw_path_dir(f->a, folder);

        if (!above)
            return jw_nomem(f->err, strlen(folder));
        bool skip = open_to_everybody(f, folder);

        for (size_t i = 0; i < JW_COUNT(names) && !skip; i++)
            if (!add_marked(f, folder, names[i]))
                return false;
        if (strcmp(above, folder) == 0)
            break;
        folder = above;
    }
    return true;
}
