/*
 * Finds software in a bounded walk of the home and of the working folder: Python and conda environments by pyvenv.cfg
 * and conda-meta, packages without an environment by their .dist-info, a built llama.cpp by its CUDA library, packages
 * of Node.js by a .node file. The next walk reads a folder again only when its time has changed. Also finds
 * environments beside the working folder and in the folders above it.
 */
#include "software/find/places.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/dir.h"
#include "os/files/real.h"
#include "os/files/tree.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "software/find/walk_memory.h"

#include <stdatomic.h>
#include <string.h>

enum { WALK_DEPTH = 4, WALK_FOLDERS = 8000, WALK_NAMES = 300000, BELOW_FOLDERS = 500, WALK_MS = 2000 };

/* How deep in its package a .node file may be, and how many names are read to find one. */
enum { NODE_DEPTH = 5, NODE_NAMES = 2000 };

/* A folder that changed less than this ago may change again without a new time. */
enum { RECENT_S = 2 };

/* Fewer folders are asked faster by one thread. */
enum { FEW_FOLDERS = 500, ASKING_THREADS = 4, PARENTS_AT_ONCE = 16 };

#define NO_MEMORY SIZE_MAX

struct walk_at {
    const char *path;
    unsigned depth;
    size_t known; /* index in `before`; NO_MEMORY: none */
};

struct walk {
    struct jw_finder *f;
    const char *top, *how;
    char kind; /* of the top */
    size_t max;
    uint64_t until; /* monotonic */
    struct walk_memory before, now;
    struct walk_at *v; /* of each of now.v */
    size_t names, n;
    bool incomplete, changed;
};

/* Hidden folders hold caches and settings. Tools that keep environments in one have a row in places.c. */
static bool to_be_walked(const char *name)
{
    static const char *const never[] = { "__pycache__", "snap",    "data", "datasets",
                                         "AppData",     "Library", "pkgs" };

    static const char *const hidden[] = { ".venv", ".env", ".pixi", ".conda", ".tox", ".nox" };

    for (size_t i = 0; name[0] == '.' && i < JW_COUNT(hidden); i++)
        if (strcmp(name, hidden[i]) == 0)
            return true;
    if (name[0] == '.')
        return false;
    for (size_t i = 0; i < JW_COUNT(never); i++)
        if (strcmp(name, never[i]) == 0)
            return false;
    return true;
}

/* "python311._pth" marks a portable Python, such as that of ComfyUI for Windows. */
static bool is_mark(const char *name)
{
    return strcmp(name, "pyvenv.cfg") == 0 || strcmp(name, "conda-meta") == 0
           || (jw_text_starts(name, "python3") && jw_text_ends(name, "._pth"));
}

/*
 * A folder of packages ("pip install --target") has their metadata, and one where llama.cpp or a relative was built has
 * its CUDA library.
 */
static bool is_loose_mark(const char *name)
{
    return jw_text_ends(name, ".dist-info") || strcmp(name, "libggml-cuda.so") == 0
           || strcmp(name, "ggml-cuda.dll") == 0;
}

static bool over(const struct walk *w)
{
    return w->names > WALK_NAMES || jw_time_monotonic_ns() > w->until;
}

/* Adds `name` of the folder `at` to the queue. False: there are too many folders. */
static bool later(struct walk *w, size_t at, char kind, const char *name, size_t known)
{
    struct jw_err full;
    struct walked_folder *one = jw_list_add(w->f->a, &w->now.v, &w->now.n, sizeof *one, w->max, &full);
    struct walk_at *where = one ? jw_list_add(w->f->a, &w->v, &w->n, sizeof *where, w->max, &full) : NULL;

    w->incomplete |= !where;
    if (!where)
        return false;
    *one = (struct walked_folder){ .kind = kind, .name = jw_arena_str(w->f->a, name) };
    *where = (struct walk_at){ .path = w->top, .known = known };
    if (at == NO_MEMORY)
        return true;
    where->path = jw_path_join(w->f->a, w->v[at].path, name);
    where->depth = w->v[at].depth + (name[0] != '.');
    w->now.v[at].children++;
    return true;
}

static size_t known_child(const struct walk *w, size_t at, const char *name)
{
    size_t known = w->v[at].known;

    if (known == NO_MEMORY || !w->before.v)
        return NO_MEMORY;
    const struct walked_folder *in = &w->before.v[known];

    for (size_t i = 0; i < in->children; i++)
        if (strcmp(w->before.v[in->first + i].name, name) == 0)
            return in->first + i;
    return NO_MEMORY;
}

/* ---- packages of Node.js ---- */

static bool has_native(struct walk *w, const char *folder, unsigned depth, size_t *names)
{
    struct jw_dir *dir;
    struct jw_entry e;
    struct jw_err ignored;
    struct jw_listing below = { 0 };
    bool more, found = false;

    if (!jw_dir_open(&dir, folder, &ignored))
        return false;
    while (!found && ++*names < NODE_NAMES && jw_dir_next(dir, &e, &more, &ignored) && more) {
        found = e.type != JW_ENTRY_DIR && jw_text_ends(e.name, ".node");
        if (e.type != JW_ENTRY_DIR || depth == 0 || strcmp(e.name, "node_modules") == 0)
            continue;
        const char **slot = jw_list_add(w->f->a, &below.names, &below.n, sizeof *slot, NODE_NAMES, &ignored);

        if (slot)
            *slot = jw_path_join(w->f->a, folder, e.name);
    }
    jw_dir_close(dir);
    for (size_t i = 0; i < below.n && !found; i++)
        found = below.names[i] && has_native(w, below.names[i], depth - 1, names);
    return found;
}

/* The packages with a .node file in a node_modules and in its scopes ("@huggingface"). */
static void read_node(struct walk *w, size_t at, const char *scope)
{
    const char *folder = *scope ? jw_path_join(w->f->a, w->v[at].path, scope) : w->v[at].path;
    const struct jw_listing found = jw_listing_read(folder, "*", w->f->a, &w->f->out->notes);

    for (size_t i = 0; i < found.n && !over(w); i++) {
        const char *name = *scope ? jw_path_join(w->f->a, scope, found.names[i]) : found.names[i];
        const char *path = jw_path_join(w->f->a, w->v[at].path, name);
        size_t names = 0;

        if (found.names[i][0] == '@' && !*scope)
            read_node(w, at, found.names[i]);
        else if (found.names[i][0] != '.' && has_native(w, path, NODE_DEPTH, &names))
            (void)later(w, at, WALK_PACKAGE, name, NO_MEMORY);
        w->names += names;
    }
}

/* ---- folders ---- */

static bool is_found(const struct walked_folder *folder)
{
    return folder->kind == WALK_ENVIRONMENT || folder->kind == WALK_LOOSE;
}

static void add_found(struct walk *w, const struct walked_folder *folder, const char *path)
{
    if (folder->kind == WALK_ENVIRONMENT)
        jw_finder_python(w->f, path, w->how);
    else if (folder->kind == WALK_LOOSE)
        jw_finder_add(w->f, path, "folder of CUDA libraries or Python packages", NULL, JW_MAX_DEPTH);
    else if (folder->kind == WALK_PACKAGE)
        jw_finder_add(w->f, path, "package of Node.js", folder->name, JW_MAX_DEPTH);
}

/* Skips unreadable folders: they hold no software of this user. An environment holds no other one. */
static void read_folder(struct walk *w, size_t at)
{
    size_t before = w->n;
    struct jw_dir *dir;
    struct jw_entry e;
    struct jw_err ignored;
    bool more, found = false, loose = false, all = true;

    if (!jw_dir_open(&dir, w->v[at].path, &ignored))
        return;
    while (!found && jw_dir_next(dir, &e, &more, &ignored) && more) {
        if (++w->names > WALK_NAMES)
            break;
        bool node = strcmp(e.name, "node_modules") == 0;

        found = is_mark(e.name);
        loose |= at > 0 && is_loose_mark(e.name);
        if (found || e.type != JW_ENTRY_DIR || (!node && w->v[at].depth == WALK_DEPTH)
            || !(node || to_be_walked(e.name)))
            continue;
        all = all && later(w, at, node ? WALK_NODE : WALK_FOLDER, e.name, known_child(w, at, e.name));
    }
    jw_dir_close(dir);
    if (found || loose) {
        w->n = w->now.n = before;
        w->now.v[at].children = 0;
        w->now.v[at].kind = found ? WALK_ENVIRONMENT : WALK_LOOSE;
    } else if (!all || w->names > WALK_NAMES) {
        w->now.v[at].mtime = 0;
    }
}

static void recall_folder(struct walk *w, size_t at)
{
    const struct walked_folder *known = &w->before.v[w->v[at].known];

    for (size_t i = 0; i < known->children; i++) {
        const struct walked_folder *child = &w->before.v[known->first + i];

        if (!later(w, at, is_found(child) ? WALK_FOLDER : child->kind, child->name, known->first + i)) {
            w->now.v[at].mtime = 0;
            return;
        }
    }
    if (is_found(known))
        w->now.v[at].kind = known->kind;
}

static bool is_same(const struct walked_folder *known, const struct jw_file_info *info)
{
    return info->kind == JW_FILE_DIR && known->mtime > 0 && known->mtime == info->mtime
           && jw_file_same(known->id, info->id);
}

static void walk_one(struct walk *w, size_t at)
{
    const char *path = w->v[at].path;
    struct jw_file_info info;
    struct jw_err ignored;

    if (jw_finder_excluded(w->f, path))
        return;
    if (w->now.v[at].kind == WALK_PACKAGE) {
        add_found(w, &w->now.v[at], path);
        return;
    }
    if (!jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_DIR)
        return;
    w->now.v[at].id = info.id;
    w->now.v[at].first = w->n;
    w->now.v[at].mtime = info.mtime / 1000000000 + RECENT_S < jw_time_unix() ? info.mtime : 0;
    bool same = w->v[at].known != NO_MEMORY && is_same(&w->before.v[w->v[at].known], &info);

    w->changed |= !same;
    if (at > 0 && w->f->home && strcmp(path, w->f->home) == 0)
        return; /* it has its own walk */
    if (same)
        recall_folder(w, at);
    else if (w->now.v[at].kind == WALK_NODE)
        read_node(w, at, "");
    else
        read_folder(w, at);
    add_found(w, &w->now.v[at], path);
}

static void report_cut_short(struct walk *w)
{
    w->f->out->cut_short = true;
    jw_note(&w->f->out->notes, w->f->a,
            "%s is large or slow: the search for environments stopped after %zu folders; name others under "
            "roots in jitwarm.conf",
            w->top, w->n);
}

/* The paths of environments and packages, and of folders with children; NULL for all others. */
static const char **list_paths(const struct walk *w)
{
    const struct walk_memory *m = &w->before;
    const char **paths = jw_arena_alloc(w->f->a, m->n * sizeof *paths);

    paths[0] = w->top;
    for (size_t i = 0; i < m->n; i++)
        for (size_t c = m->v[i].first; c < m->v[i].first + m->v[i].children; c++)
            paths[c] = m->v[c].children || is_found(&m->v[c]) || m->v[c].kind == WALK_PACKAGE
                           ? jw_path_join(w->f->a, paths[i], m->v[c].name)
                           : NULL;
    return paths;
}

static bool same_children(const struct walk *w, const struct walked_folder *parent, const char *path)
{
    const struct walked_folder *child = &w->before.v[parent->first], *end = child + parent->children;
    struct jw_tree folder;
    struct jw_file_info info;
    struct jw_err ignored;
    bool same = jw_tree_open(&folder, path, &ignored);

    for (; same && child < end; child++)
        same = child->kind == WALK_PACKAGE
               || (jw_tree_stat(&folder, child->name, &info, &ignored) && is_same(child, &info));
    jw_tree_close(&folder);
    return same;
}

/* Some parents are asked about by each of a few threads, so that the system's answers overlap. */
struct asking {
    const struct walk *w;
    const char *const *paths;
    atomic_size_t next; /* the first folder that no thread has taken */
    atomic_bool changed;
};

static void ask_some(void *ctx, unsigned worker)
{
    struct asking *q = ctx;
    const struct walk_memory *m = &q->w->before;

    (void)worker;
    while (!atomic_load(&q->changed)) {
        size_t i = atomic_fetch_add(&q->next, PARENTS_AT_ONCE);
        size_t end = i + PARENTS_AT_ONCE;

        if (i >= m->n)
            return;
        for (; i < end && i < m->n; i++)
            if (m->v[i].children && (over(q->w) || !same_children(q->w, &m->v[i], q->paths[i])))
                atomic_store(&q->changed, true);
    }
}

/* The usual case, in which prime must answer at once: one fstatat for each folder, and no second list. */
static bool all_same(const struct walk *w, const char *const *paths)
{
    const struct walk_memory *m = &w->before;
    struct asking q = { .w = w, .paths = paths };
    struct jw_file_info info;
    struct jw_err ignored;

    if (m->n > w->max || !jw_file_stat(w->top, &info, &ignored) || !is_same(&m->v[0], &info))
        return false;
    jw_parallel(m->n < FEW_FOLDERS ? 1 : ASKING_THREADS, ask_some, &q);
    return !q.changed;
}

static void add_remembered(struct walk *w, const char *const *paths)
{
    w->now = w->before;
    for (size_t i = 0; i < w->now.n; i++)
        add_found(w, &w->now.v[i], paths[i]);
}

static void walk_folders(struct walk *w)
{
    struct jw_finder *f = w->f;
    uint64_t us = f->o->walk_us ? f->o->walk_us : WALK_MS * 1000;

    if (f->o->memory)
        walk_memory_load(f->o->memory, w->top, f->a, &w->before);
    w->until = jw_time_monotonic_ns() + us * 1000;
    if (w->before.n && !f->o->n_exclude) {
        const char **paths = list_paths(w);

        if (all_same(w, paths)) {
            add_remembered(w, paths);
            return;
        }
    }
    (void)later(w, NO_MEMORY, w->kind, w->top, w->before.n ? 0 : NO_MEMORY);
    for (size_t i = 0; i < w->n; i++) {
        if (over(w)) { /* the next run continues from here */
            w->incomplete = true;
            break;
        }
        walk_one(w, i);
    }
    w->changed |= w->now.n != w->before.n;
    if (w->incomplete)
        report_cut_short(w);
}

static void keep_walk(struct walk *w)
{
    if (w->f->o->memory && w->changed)
        walk_memory_save(w->f->o->memory, &w->now, w->f->a);
}

void jw_finder_home(struct jw_finder *f)
{
    struct walk w = { .f = f,
                      .top = f->home,
                      .how = "environment found in the home folder",
                      .kind = WALK_FOLDER,
                      .max = WALK_FOLDERS };

    if (!f->home || !jw_path_absolute(f->home) || !jw_is_folder(f->home))
        return;
    walk_folders(&w);
    jw_finder_running(f, &w.before, &w.now, &w.changed);
    keep_walk(&w);
}

void jw_finder_node(struct jw_finder *f, const char *folder)
{
    struct walk w = { .f = f, .top = folder, .how = "npm", .kind = WALK_NODE, .max = BELOW_FOLDERS };

    if (!jw_is_folder(folder))
        return;
    walk_folders(&w);
    keep_walk(&w);
}

/* ---- the working folder ---- */

static void add_marked(struct jw_finder *f, const char *folder, const char *name, bool skip)
{
    const char *prefix = jw_path_join(f->a, folder, name);
    const char *venv = jw_path_join(f->a, prefix, "pyvenv.cfg");
    const char *conda = jw_path_join(f->a, prefix, "conda-meta");
    struct jw_file_info info;
    struct jw_err ignored;

    if (!jw_is_folder(conda) && (!jw_file_stat(venv, &info, &ignored) || info.kind == JW_FILE_NONE))
        return;
    if (skip)
        jw_finder_skip(f, prefix, "anybody may write in the folder above it", true);
    else
        jw_finder_python(f, prefix, "environment of the working folder");
}

/* In /tmp any user could place an environment for others to find. */
static bool open_to_everybody(struct jw_finder *f, const char *folder)
{
    struct jw_trust t;
    struct jw_err ignored;

    return !jw_trust_read(folder, f->a, &t, &ignored) || t.sticky
           || (t.writers && strcmp(t.writers, "everybody") == 0
               && (t.owner || !jw_finder_in_profile(f, folder)));
}

static bool is_of_this_user(struct jw_finder *f, const char *folder)
{
    struct jw_trust t;
    struct jw_err ignored;

    return jw_trust_read(folder, f->a, &t, &ignored) && t.exists && !t.owner;
}

/* The home has its own walk, and beside that of a login are those of other users. A home below a folder of this user
 * is one that was made for a job or a test. */
static bool is_home_or_homes(struct jw_finder *f, const char *folder)
{
    if (!f->home || !jw_finder_within(f->home, folder))
        return false;
    return jw_finder_within(folder, f->home) || f->out->windows || !is_of_this_user(f, folder)
           || !is_of_this_user(f, f->home);
}

/* Skips "/". */
static void look_below(struct jw_finder *f, const char *folder)
{
    struct walk w = { .f = f,
                      .top = folder,
                      .how = "environment below the working folder",
                      .kind = WALK_FOLDER,
                      .max = BELOW_FOLDERS };
    const char *above = jw_path_dir(f->a, folder);

    if (strcmp(above, folder) == 0 || is_home_or_homes(f, folder) || open_to_everybody(f, folder))
        return;
    walk_folders(&w);
    keep_walk(&w);
}

void jw_finder_working(struct jw_finder *f)
{
    static const char *const names[] = { ".venv", "venv", "env" };
    const char *folder = f->o->working;
    const char *below = NULL; /* the folder before, which is an environment where one works inside of it */
    struct jw_err ignored;

    if (!folder && !jw_real_path(".", f->a, &folder, &ignored))
        return;
    look_below(f, folder);
    for (unsigned level = 0; level < JW_MAX_DEPTH; level++) {
        const char *above = jw_path_dir(f->a, folder);

        bool skip = open_to_everybody(f, folder);

        if (skip)
            jw_finder_skip(f, folder, "anybody may put an environment there", false);
        for (size_t i = 0; i < JW_COUNT(names); i++)
            add_marked(f, folder, names[i], skip);
        if (below)
            add_marked(f, folder, below, skip);
        if (!skip)
            jw_finder_node(f, jw_path_join(f->a, folder, "node_modules"));
        if (strcmp(above, folder) == 0)
            break;
        below = jw_path_base(folder);
        folder = above;
    }
}
