/*
 * Finds software by a walk of four levels of the home, of the working folder and of a node_modules: Python and conda environments by
 * pyvenv.cfg and conda-meta, packages without an environment by their .dist-info, a built llama.cpp by its CUDA library, packages of
 * Node.js by a .node file. What is deeper is named under `roots` in jitwarm.conf.
 */
#include "software/find/places.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/dir.h"
#include "os/files/real.h"
#include "os/machine/time.h"

#include <string.h>

enum { LEVELS = 4, NODE_LEVELS = 5, MAX_NAMES = 300000, NODE_NAMES = 2000, WALK_US = 2000000 };

struct walk {
    struct jw_finder *f;
    const char *top, *how;
    uint64_t until; /* monotonic */
    size_t names;
};

static bool among(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

/* Hidden folders hold caches and settings. Tools that keep environments in one have a row in places.c. */
static bool to_be_walked(const char *name)
{
    static const char *const never[] = { "__pycache__", "snap",    "data", "datasets",
                                         "AppData",     "Library", "pkgs" };
    static const char *const hidden[] = { ".venv", ".env", ".pixi", ".conda", ".tox", ".nox" };

    return name[0] == '.' ? among(name, hidden, JW_COUNT(hidden)) : !among(name, never, JW_COUNT(never));
}

/* "python311._pth" marks a portable Python, such as that of ComfyUI for Windows. */
static bool is_environment(const char *name)
{
    return strcmp(name, "pyvenv.cfg") == 0 || strcmp(name, "conda-meta") == 0
           || (jw_text_starts(name, "python3") && jw_text_ends(name, "._pth"));
}

/* A folder of packages ("pip install --target") has their metadata, and one where llama.cpp was built its CUDA library. */
static bool is_loose(const char *name)
{
    return jw_text_ends(name, ".dist-info") || strcmp(name, "libggml-cuda.so") == 0
           || strcmp(name, "ggml-cuda.dll") == 0;
}

static bool over(const struct walk *w)
{
    return w->names > MAX_NAMES || jw_time_monotonic_ns() > w->until;
}

static void keep_name(struct jw_finder *f, struct jw_listing *l, const char *name)
{
    struct jw_err full;
    const char **slot = jw_list_add(f->a, &l->names, &l->n, sizeof *slot, MAX_NAMES, &full);

    if (slot)
        *slot = jw_arena_str(f->a, name);
}

/* ---- packages of Node.js ---- */

static bool has_native(struct walk *w, const char *folder, unsigned levels, size_t *names)
{
    struct jw_listing below = { 0 };
    struct jw_dir *dir;
    struct jw_entry e;
    struct jw_err ignored;
    bool more, found = false;

    if (!jw_dir_open(&dir, folder, &ignored))
        return false;
    while (!found && ++*names < NODE_NAMES && jw_dir_next(dir, &e, &more, &ignored) && more) {
        found = e.type != JW_ENTRY_DIR && jw_text_ends(e.name, ".node");
        if (e.type == JW_ENTRY_DIR && levels && strcmp(e.name, "node_modules") != 0)
            keep_name(w->f, &below, e.name);
    }
    jw_dir_close(dir);
    for (size_t i = 0; i < below.n && !found; i++)
        found = has_native(w, jw_path_join(w->f->a, folder, below.names[i]), levels - 1, names);
    return found;
}

/* The packages with a .node file in a node_modules and in its scopes ("@huggingface"). */
static void walk_node(struct walk *w, const char *folder, const char *scope)
{
    struct jw_finder *f = w->f;
    const struct jw_listing found =
        jw_listing_read(*scope ? jw_path_join(f->a, folder, scope) : folder, "*", f->a, &f->out->notes);

    for (size_t i = 0; i < found.n && !over(w); i++) {
        const char *name = *scope ? jw_path_join(f->a, scope, found.names[i]) : found.names[i];
        const char *path = jw_path_join(f->a, folder, name);
        size_t names = 0;

        if (found.names[i][0] == '@' && !*scope)
            walk_node(w, folder, found.names[i]);
        else if (found.names[i][0] != '.' && has_native(w, path, NODE_LEVELS, &names))
            jw_finder_add(f, path, "package of Node.js", name, JW_MAX_DEPTH);
        w->names += names;
    }
}

/* ---- folders ---- */

/* Skips unreadable folders: they hold no software of this user. An environment holds no other one. */
static void walk_folder(struct walk *w, const char *path, unsigned levels)
{
    struct jw_finder *f = w->f;
    struct jw_listing below = { 0 };
    struct jw_dir *dir;
    struct jw_entry e;
    struct jw_err ignored;
    bool top = strcmp(path, w->top) == 0, more, environment = false, loose = false;

    if (over(w) || jw_finder_excluded(f, path) || (!top && f->home && strcmp(path, f->home) == 0)
        || !jw_dir_open(&dir, path, &ignored)) /* the home has its own walk */
        return;
    while (!environment && ++w->names && jw_dir_next(dir, &e, &more, &ignored) && more) {
        environment = is_environment(e.name);
        loose |= !top && is_loose(e.name);
        if (e.type == JW_ENTRY_DIR
            && (strcmp(e.name, "node_modules") == 0 || (levels && to_be_walked(e.name))))
            keep_name(f, &below, e.name);
    }
    jw_dir_close(dir);
    if (environment)
        jw_finder_python(f, path, w->how);
    else if (loose)
        jw_finder_add(f, path, "folder of CUDA libraries or Python packages", NULL, JW_MAX_DEPTH);
    for (size_t i = 0; !environment && !loose && i < below.n; i++) {
        const char *name = below.names[i], *one = jw_path_join(f->a, path, name);

        if (strcmp(name, "node_modules") == 0)
            walk_node(w, one, "");
        else
            walk_folder(w, one, levels - (name[0] != '.'));
    }
}

static struct walk begin(struct jw_finder *f, const char *top, const char *how)
{
    unsigned us = f->o->walk_us ? f->o->walk_us : WALK_US;

    return (
        struct walk){ .f = f, .top = top, .how = how, .until = jw_time_monotonic_ns() + us * UINT64_C(1000) };
}

static void end(struct walk *w)
{
    if (!over(w))
        return;
    w->f->out->cut_short = true;
    jw_note(&w->f->out->notes, w->f->a,
            "%s is large or slow: the search for environments stopped after %zu files; name others under "
            "roots in "
            "jitwarm.conf",
            w->top, w->names);
}

void jw_finder_home(struct jw_finder *f)
{
    if (!f->home || !jw_path_absolute(f->home) || !jw_is_folder(f->home))
        return;
    struct walk w = begin(f, f->home, "environment found in the home folder");

    walk_folder(&w, f->home, LEVELS);
    end(&w);
    jw_finder_running(f);
}

void jw_finder_node(struct jw_finder *f, const char *folder)
{
    if (!jw_is_folder(folder))
        return;
    struct walk w = begin(f, folder, "npm");

    walk_node(&w, folder, "");
    end(&w);
}

/* ---- the working folder ---- */

static void add_marked(struct jw_finder *f, const char *folder, const char *name, bool skip)
{
    const char *prefix = jw_path_join(f->a, folder, name);
    struct jw_file_info info;
    struct jw_err ignored;

    if (!jw_is_folder(jw_path_join(f->a, prefix, "conda-meta"))
        && (!jw_file_stat(jw_path_join(f->a, prefix, "pyvenv.cfg"), &info, &ignored)
            || info.kind == JW_FILE_NONE))
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
    if (strcmp(jw_path_dir(f->a, folder), folder) == 0 || is_home_or_homes(f, folder)
        || open_to_everybody(f, folder))
        return;
    struct walk w = begin(f, folder, "environment below the working folder");

    walk_folder(&w, folder, LEVELS);
    end(&w);
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
