/* Finds software by a walk of four levels of the home and of the working folder: Python and conda
 * environments by pyvenv.cfg and conda-meta, packages without an environment by their .dist-info, a
 * built llama.cpp by its CUDA library. What is deeper is named under `search` in jitwarm.conf. */
#include "software/find/places.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/paths.h"
#include "machine/trust.h"
#include "os/files/dir.h"
#include "os/files/real.h"
#include "os/machine/time.h"

#include <string.h>

enum { LEVELS = 4, MAX_NAMES = 300000 };
#define WALK_NS ((uint64_t)2000000000)

struct walk {
    struct jw_finder *f;
    const char *top;
    uint64_t until; /* monotonic */
    size_t names;
};

/* Skips hidden folders, which hold caches and settings. Tools that keep environments in one have a
 * row in places.csv. */
static bool to_be_walked(const char *name)
{
    static const char *const never[] = {"__pycache__", "snap",    "data", "datasets",
                                        "AppData",     "Library", "pkgs", "node_modules"};
    static const char *const hidden[] = {".venv", ".env", ".pixi", ".conda", ".tox", ".nox"};

    return name[0] == '.' ? jw_text_among(name, hidden, JW_COUNT(hidden))
                          : !jw_text_among(name, never, JW_COUNT(never));
}

/* "python311._pth" marks a portable Python, such as that of ComfyUI for Windows. */
static bool is_environment(const char *name)
{
    return strcmp(name, "pyvenv.cfg") == 0 || strcmp(name, "conda-meta") == 0
           || (jw_text_starts(name, "python3") && jw_text_ends(name, "._pth"));
}

/* Does the name show software without an environment: a package's metadata ("pip install
 * --target"), or a built llama.cpp? */
static bool is_loose(const char *name)
{
    return jw_text_ends(name, ".dist-info") || strcmp(name, "libggml-cuda.so") == 0
           || strcmp(name, "ggml-cuda.dll") == 0;
}

static bool over(const struct walk *w)
{
    return w->names > MAX_NAMES || jw_time_monotonic_ns() > w->until;
}

static void add_name(struct jw_listing *list, const char *name, struct jw_arena *a)
{
    const char **slot = jw_list_add(a, &list->names, &list->n, sizeof *slot, MAX_NAMES, JW_IGNORED);

    if (slot)
        *slot = jw_arena_str(a, name);
}

/* Skips unreadable folders: they hold no software of this user. An environment holds no
 * other one. */
static void walk_folder(struct walk *w, const char *path, unsigned levels)
{
    struct jw_finder *f = w->f;
    struct jw_listing below = {0};
    struct jw_dir *dir;
    struct jw_entry e;
    bool more;
    bool top = strcmp(path, w->top) == 0;
    bool environment = false;
    bool loose = false;

    if (!top && f->home && strcmp(path, f->home) == 0) /* it has its own walk */
        return;
    if (over(w) || jw_finder_excluded(f, path) || !jw_dir_open(&dir, path, JW_IGNORED))
        return;
    while (!environment && ++w->names && jw_dir_next(dir, &e, &more, JW_IGNORED) && more) {
        environment = is_environment(e.name);
        loose |= !top && is_loose(e.name);
        if (e.kind == JW_FILE_DIR && levels && to_be_walked(e.name))
            add_name(&below, e.name, f->a);
    }
    jw_dir_close(dir);
    if (environment)
        jw_finder_python(f, path);
    else if (loose)
        jw_finder_add(f, path, NULL, JW_MAX_DEPTH);
    if (environment || loose)
        return;
    for (size_t i = 0; i < below.n; i++)
        walk_folder(w, jw_path_join(f->a, path, below.names[i]),
                    levels - (below.names[i][0] != '.'));
}

static void walk(struct jw_finder *f, const char *top)
{
    struct walk w = {.f = f, .top = top, .until = jw_time_monotonic_ns() + WALK_NS};

    walk_folder(&w, top, LEVELS);
    if (!over(&w))
        return;
    f->out->cut_short = true;
    jw_note(&f->out->notes, f->a,
            "%s is large or slow: the search for environments stopped after %zu files; name others "
            "under search in jitwarm.conf",
            top, w.names);
}

void jw_finder_home(struct jw_finder *f)
{
    if (f->home && jw_path_absolute(f->home) && jw_is_folder(f->home))
        walk(f, f->home);
}

/* Could any user place an environment there for others to find, as in /tmp? */
static bool open_to_everybody(struct jw_finder *f, const char *folder)
{
    struct jw_trust t;

    return !jw_trust_read(folder, f->a, &t, JW_IGNORED) || t.sticky
           || (t.writers && strcmp(t.writers, "everybody") == 0);
}

/* Leaves out the home, which has its own walk, and the folders above it, which hold the homes of
 * other users. */
void jw_finder_working(struct jw_finder *f)
{
    const char *folder;

    if (!jw_real_path(".", f->a, &folder, JW_IGNORED)
        || strcmp(jw_path_dir(f->a, folder), folder) == 0)
        return;
    if ((f->home && jw_is_in(f->home, folder)) || open_to_everybody(f, folder))
        return;
    f->working = true;
    walk(f, folder);
    f->working = false;
}
