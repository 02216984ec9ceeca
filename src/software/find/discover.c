#include "software/find/discover.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "software/find/places.h"

#include <string.h>

const char *jw_finder_env(struct jw_finder *f, const char *name)
{
    const char *value = jw_env(f->a, name);

    return value && value[0] ? value : NULL;
}

bool jw_finder_excluded(const struct jw_finder *f, const char *path)
{
    for (size_t i = 0; i < f->o->exclude.n; i++)
        if (jw_path_match(f->o->exclude.v[i], path))
            return true;
    return false;
}

/* Keeps the first of equal folders, with the largest depth and the first known package of them
 * all. */
void jw_finder_add(struct jw_finder *f, const char *path, const char *package, unsigned depth)
{
    struct jw_file_info info;

    if (!jw_file_stat(path, &info, JW_IGNORED) || info.kind != JW_FILE_DIR
        || jw_finder_excluded(f, path))
        return;
    for (size_t i = 0; i < f->n; i++)
        if (jw_file_same(f->v[i].id, info.id)) {
            struct jw_search_folder *first = &f->v[i].folder;

            first->depth = depth > first->depth ? depth : first->depth;
            first->package = first->package ? first->package : package;
            first->working &= f->working;
            return;
        }
    struct jw_candidate *c =
        jw_list_add(f->a, &f->v, &f->n, sizeof *f->v, JW_MAX_ROOTS, JW_IGNORED);

    if (c)
        *c = (struct jw_candidate){
            {jw_arena_str(f->a, path), package, depth, f->working}, info.id, false};
    else
        jw_note(&f->out->notes, f->a, "%s: skipped, there are %zu folders to search already", path,
                f->n);
}

/* A file or a variable may name a whole home or disk by mistake, and a search of that has no
 * end. */
static bool is_too_much(struct jw_finder *f, const char *path)
{
    return jw_is_folder(path)
           && (strcmp(jw_path_dir(f->a, path), path) == 0 || (f->home && jw_is_in(f->home, path)));
}

void jw_finder_search(struct jw_finder *f, const char *path, const char *by, unsigned depth)
{
    if (depth && is_too_much(f, path))
        jw_note(&f->out->notes, f->a, "%s: it names %s, and your home is in there", by, path);
    else
        jw_finder_add(f, path, NULL, depth);
}

/* Adds the environment of a Python by the program's path, above its bin or Scripts. The program is
 * not run. */
static void add_program(struct jw_finder *f, const char *exe)
{
    const char *bin = jw_path_dir(f->a, exe);
    const char *prefix = jw_path_dir(f->a, bin);

    if (jw_os_is_windows() && !jw_text_equal_nocase(jw_path_base(bin), "Scripts"))
        prefix = bin;
    jw_finder_prefix(f, prefix);
}

/* Adds the environments of python3 and python on PATH, also those that these programs are links
 * to. */
static void add_pythons(struct jw_finder *f)
{
    static const char *const names[] = {"python3", "python"};

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *exe = jw_process_path(names[i], f->a), *real;

        if (!exe || (*f->sysroot && !jw_is_in(exe, f->sysroot)))
            continue;
        add_program(f, exe);
        if (jw_real_path(exe, f->a, &real, JW_IGNORED) && strcmp(real, exe) != 0)
            add_program(f, real);
    }
}

/* The next folder in the value of a variable that lists folders; NULL: there is none. */
static const char *next_listed(const struct jw_finder *f, const char **list)
{
    const char *end = jw_os_is_windows() ? ";" : ":";

    while (*list && **list) {
        size_t n = strcspn(*list, end);
        const char *folder = jw_arena_text(f->a, *list, n);

        *list += n + ((*list)[n] != '\0');
        if (jw_path_absolute(folder))
            return folder;
    }
    return NULL;
}

void jw_finder_loader(struct jw_finder *f, bool all)
{
    bool windows = jw_os_is_windows();
    const char *variable = windows ? "PATH" : "LD_LIBRARY_PATH";
    const char *list = jw_finder_env(f, variable), *folder;

    while ((folder = next_listed(f, &list)) != NULL)
        if (all || !windows || jw_listing_read(folder, "cudart64_*.dll", f->a, &f->out->notes).n)
            jw_finder_search(f, folder, variable, 0);
}

/* Adds the folders of PYTHONPATH, in which each Python looks first: they hold packages, or a
 * person's own modules. */
static void add_python_path(struct jw_finder *f)
{
    const char *list = jw_finder_env(f, "PYTHONPATH"), *folder;

    while ((folder = next_listed(f, &list)) != NULL)
        jw_finder_search(f, folder, "PYTHONPATH", JW_MAX_DEPTH);
}

static void add_configured(struct jw_finder *f)
{
    for (size_t i = 0; i < f->o->search.n; i++) {
        const struct jw_conf_item *item = &f->o->search.v[i];

        if (jw_is_folder(item->value))
            jw_finder_add(f, item->value, NULL, JW_MAX_DEPTH);
        else
            jw_note(&f->out->notes, f->a, "%s: %s is not a folder here", item->origin, item->value);
    }
}

/* Adds the folder that a line of a .pth file names, as Python's site.py does: a path that is not
 * absolute begins at the file's folder. ".." is resolved, as such a path would look like a part of
 * the folder that it leads out of. */
static void add_pth_line(struct jw_finder *f, const char *by, const char *line)
{
    const char *path, *real;

    if (!*line || *line == '#' || jw_text_starts(line, "import ")
        || jw_text_starts(line, "import\t"))
        return;
    path = jw_path_absolute(line) ? line : jw_path_join(f->a, jw_path_dir(f->a, by), line);
    if (strstr(path, "..") && jw_real_path(path, f->a, &real, JW_IGNORED))
        path = real;
    jw_finder_search(f, path, by, JW_MAX_DEPTH);
}

/* Adds folders elsewhere that Python imports packages from, as "setup.py develop" and some kinds of
 * "pip install -e" name them in .pth files. A line that begins with "import" is a program, and not
 * run: what it adds is given by `search` in jitwarm.conf. */
static void add_pth_files(struct jw_finder *f)
{
    size_t n = f->n; /* Python reads no .pth file in a folder that a .pth file names */

    for (size_t i = 0; i < n; i++) {
        const char *site = f->v[i].folder.path;
        struct jw_listing found = {0};

        f->working = f->v[i].folder.working;
        if (jw_is_site(jw_path_base(site)))
            found = jw_listing_read(site, "*.pth", f->a, &f->out->notes);
        for (size_t k = 0; k < found.n; k++)
            if (found.names[k][0] != '.') /* Python skips those */
                jw_finder_lines(f, jw_path_join(f->a, site, found.names[k]), add_pth_line);
    }
    f->working = false;
}

/* Does a search of the folder `id`, `levels` above `c`, include all of `c`? */
static bool covered(const struct jw_finder *f, const struct jw_candidate *c, struct jw_file_id id,
                    unsigned levels)
{
    for (size_t j = 0; j < f->n; j++) {
        const struct jw_candidate *above = &f->v[j];
        unsigned depth = above->folder.depth;

        if (above == c || above->dropped || !jw_file_same(above->id, id))
            continue;
        if (depth >= JW_MAX_DEPTH || (depth >= levels && depth - levels >= c->folder.depth))
            return true;
    }
    return false;
}

static void drop_nested(struct jw_finder *f)
{
    struct jw_file_info info;

    for (size_t i = 0; i < f->n; i++) {
        struct jw_candidate *c = &f->v[i];
        const char *path = c->folder.path;

        for (unsigned level = 1; level < JW_MAX_DEPTH && !c->dropped; level++) {
            const char *parent = jw_path_dir(f->a, path);

            if (strcmp(parent, path) == 0)
                break;
            if (jw_file_stat(parent, &info, JW_IGNORED) && info.kind == JW_FILE_DIR)
                c->dropped = covered(f, c, info.id, level);
            path = parent;
        }
    }
}

static void keep_roots(struct jw_finder *f)
{
    add_pth_files(f);
    drop_nested(f);
    f->out->folders = jw_arena_alloc(f->a, (f->n + 1) * sizeof *f->out->folders);
    for (size_t i = 0; i < f->n; i++)
        if (!f->v[i].dropped)
            f->out->folders[f->out->n_folders++] = f->v[i].folder;
}

struct jw_finder jw_finder_begin(const struct jw_discover_options *o, struct jw_arena *a,
                                 struct jw_discovery *out)
{
    const char *sysroot = jw_env(a, "JITWARM_SYSROOT");

    *out = (struct jw_discovery){.arena = a};
    return (struct jw_finder){
        .o = o, .a = a, .out = out, .home = jw_env_home(a), .sysroot = sysroot ? sysroot : ""};
}

void jw_discover(const struct jw_discover_options *o, struct jw_arena *a, struct jw_discovery *out)
{
    struct jw_finder f = jw_finder_begin(o, a, out);

    jw_finder_places(&f, true);
    add_pythons(&f);
    jw_finder_places(&f, false);
    jw_finder_working(&f);
    jw_finder_home(&f);
    jw_finder_loader(&f, false);
    add_python_path(&f);
    add_configured(&f);
    keep_roots(&f);
}
