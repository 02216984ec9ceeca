#include "software/find/discover.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "software/find/places.h"
#include "software/find/python.h"

#include <string.h>

static const char on_path[] = "Python on PATH";

const char *jw_finder_env(struct jw_finder *f, const char *name)
{
    const char *value = f->o->env ? f->o->env(f->o->env_ctx, f->a, name) : jw_env(f->a, name);

    return value && value[0] ? value : NULL;
}

/* Paths with the system's own separator. */
static const char *native(struct jw_arena *a, const char *path)
{
    char *copy = jw_arena_str(a, path);

    if (jw_os_is_windows()) {
        for (char *p = copy; *p; p++)
            *p = *p == '/' ? '\\' : *p;
    }
    return copy;
}

void jw_finder_skip(struct jw_finder *f, const char *path, const char *why, bool important)
{
    struct jw_discovery *d = f->out;
    struct jw_err full;

    for (size_t i = 0; i < d->n_skipped; i++)
        if (strcmp(d->skipped[i].path, path) == 0)
            return;
    struct jw_skipped_folder *one =
        jw_list_add(f->a, &d->skipped, &d->n_skipped, sizeof *one, JW_MAX_ROOTS, &full);

    if (one)
        *one = (struct jw_skipped_folder){ jw_arena_str(f->a, path), why, important };
    else
        jw_note(&d->notes, f->a, "%s: not searched (%s); there are too many such places to list", path, why);
}

bool jw_finder_excluded(struct jw_finder *f, const char *path)
{
    for (size_t i = 0; i < f->o->n_exclude; i++)
        if (jw_path_match(f->o->exclude[i], path)) {
            jw_finder_skip(f, path, "exclude names it", true);
            return true;
        }
    return false;
}

bool jw_finder_within(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    while (n && (folder[n - 1] == '/' || folder[n - 1] == '\\'))
        n--;
    return strncmp(path, folder, n) == 0 && (!path[n] || path[n] == '/' || path[n] == '\\');
}

void jw_finder_add(struct jw_finder *f, const char *path, const char *how, const char *package,
                   unsigned depth)
{
    struct jw_file_info info;
    struct jw_err ignored;

    if (!jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_DIR || jw_finder_excluded(f, path))
        return;
    struct jw_candidate *c = jw_list_add(f->a, &f->v, &f->n, sizeof *f->v, JW_MAX_ROOTS, &ignored);

    if (c)
        *c = (struct jw_candidate){ { native(f->a, path), how, package, depth }, info.id, false };
    else
        jw_note(&f->out->notes, f->a, "%s: skipped, there are %zu folders to search already", path, f->n);
}

/* A file or a variable may name a whole home or disk by mistake, and a search of that has no end. */
static bool is_too_much(struct jw_finder *f, const char *path)
{
    return jw_is_folder(path)
           && (strcmp(jw_path_dir(f->a, path), path) == 0 || (f->home && jw_finder_within(f->home, path)));
}

void jw_finder_search(struct jw_finder *f, const char *path, const char *by, const char *how,
                      const char *package, unsigned depth)
{
    if (depth && is_too_much(f, path))
        jw_finder_skip(f, by, jw_arena_printf(f->a, "it names %s, and your home is in there", path), true);
    else
        jw_finder_add(f, path, how, package, depth);
}

/* From the place of the program, which is not run. */
void jw_finder_program(struct jw_finder *f, const char *exe, const char *how)
{
    const char *bin = jw_path_dir(f->a, exe);
    const char *prefix = jw_path_dir(f->a, bin);

    if (f->out->windows && !jw_text_equal_nocase(jw_path_base(bin), "Scripts"))
        prefix = bin;
    jw_finder_prefix(f, prefix, how);
}

/* python3 and python on PATH, or those of the options. */
static size_t list_pythons(struct jw_finder *f, const char *exes[], size_t room)
{
    static const char *const names[] = { "python3", "python" };
    size_t n = 0;

    for (; f->o->pythons && n < room && f->o->pythons[n]; n++)
        exes[n] = f->o->pythons[n];
    for (size_t i = 0; !f->o->pythons && i < JW_COUNT(names) && n < room; i++) {
        struct jw_buf path = JW_BUF(JW_MAX_LINE);
        struct jw_err why;
        bool found = false;

        if (!jw_process_find(names[i], &path, &found, &why))
            jw_note_failure(&f->out->notes, f->a, &why, names[i]);
        else if (found && (!f->made || jw_finder_within(jw_buf_cstr(&path), f->sysroot)))
            exes[n++] = jw_arena_str(f->a, jw_buf_cstr(&path));
        jw_buf_free(&path);
    }
    return n;
}

/* The environment of a Python on PATH, and what its program is a link to. */
static void add_pythons(struct jw_finder *f)
{
    const char *exes[8], *real;
    struct jw_err ignored;
    size_t n = list_pythons(f, exes, JW_COUNT(exes));

    for (size_t i = 0; i < n; i++) {
        jw_finder_program(f, exes[i], on_path);
        if (jw_real_path(exes[i], f->a, &real, &ignored) && strcmp(real, exes[i]) != 0)
            jw_finder_program(f, real, on_path);
    }
}

static void add_registered(struct jw_finder *f)
{
    struct jw_listing found = { 0 };

    if (!f->o->registered && !f->made)
        found = jw_pythons_registered(f->a);
    for (const char *const *p = f->o->registered; p && *p; p++)
        jw_finder_python(f, *p, "registered Python");
    for (size_t i = 0; i < found.n; i++)
        jw_finder_python(f, found.names[i], "registered Python");
}

/* Does `folder` hold the CUDA runtime? PATH has too many folders on Windows to search all of them. */
static bool has_cudart(struct jw_finder *f, const char *folder)
{
    return jw_listing_read(folder, "cudart64_*.dll", f->a, &f->out->notes).n > 0;
}

/* A folder of a variable that lists some; NULL: there is no other one. */
static const char *next_listed(struct jw_finder *f, const char **list)
{
    const char *end = f->out->windows ? ";" : ":";

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
    bool windows = f->out->windows;
    const char *variable = windows ? "PATH" : "LD_LIBRARY_PATH";
    const char *list = jw_finder_env(f, variable), *folder;

    while ((folder = next_listed(f, &list)) != NULL)
        if (all || !windows || has_cudart(f, folder))
            jw_finder_search(f, folder, variable, variable, NULL, 0);
}

/* The folders of PYTHONPATH, in which each Python looks first: packages, or a person's own modules. */
static void add_python_path(struct jw_finder *f)
{
    const char *list = jw_finder_env(f, "PYTHONPATH"), *folder;

    while ((folder = next_listed(f, &list)) != NULL)
        jw_finder_search(f, folder, "PYTHONPATH", "PYTHONPATH", NULL, JW_MAX_DEPTH);
}

static void add_configured(struct jw_finder *f)
{
    for (size_t i = 0; i < f->o->n_roots; i++) {
        const struct jw_conf_item *item = &f->o->roots[i];
        const char *how = jw_arena_str(f->a, item->origin);

        if (jw_is_folder(item->value))
            jw_finder_add(f, item->value, how, NULL, JW_MAX_DEPTH);
        else
            jw_note(&f->out->notes, f->a, "%s: %s is not a folder here", item->origin, item->value);
    }
}

/* Searches the homes of all users. */
static void add_everyone(struct jw_finder *f)
{
    const char *home = f->home, *top = jw_path_join(f->a, f->sysroot[0] ? f->sysroot : "/", "home");

    if (f->out->windows)
        top = home ? jw_path_dir(f->a, home) : "";
    const struct jw_listing users = jw_listing_read(top, "*", f->a, &f->out->notes);

    f->others = true;
    for (size_t i = 0; i < users.n; i++) {
        f->home = jw_path_join(f->a, top, users.names[i]);
        jw_finder_usual(f);
        jw_finder_home(f);
    }
    f->home = home;
    f->others = false;
}

/* Keeps the first of equal folders, with the larger depth and a known package of the others. */
static void drop_equal(struct jw_finder *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct jw_candidate *c = &f->v[i];

        for (size_t j = 0; j < i && !c->dropped; j++) {
            struct jw_candidate *first = &f->v[j];

            if (first->dropped || !jw_file_same(first->id, c->id))
                continue;
            c->dropped = true;
            if (c->root.depth > first->root.depth)
                first->root.depth = c->root.depth;
            if (!first->root.package)
                first->root.package = c->root.package;
        }
    }
}

/* Does a search of the folder `id`, `levels` above `c`, include all of `c`? */
static bool covered(const struct jw_finder *f, const struct jw_candidate *c, struct jw_file_id id,
                    unsigned levels)
{
    for (size_t j = 0; j < f->n; j++) {
        const struct jw_candidate *above = &f->v[j];
        unsigned depth = above->root.depth;

        if (above == c || above->dropped || !jw_file_same(above->id, id))
            continue;
        if (depth >= JW_MAX_DEPTH || (depth >= levels && depth - levels >= c->root.depth))
            return true;
    }
    return false;
}

static void drop_nested(struct jw_finder *f)
{
    struct jw_file_info info;
    struct jw_err ignored;

    for (size_t i = 0; i < f->n; i++) {
        struct jw_candidate *c = &f->v[i];
        const char *path = c->root.path;

        for (unsigned level = 1; level < JW_MAX_DEPTH && !c->dropped; level++) {
            const char *parent = jw_path_dir(f->a, path);

            if (strcmp(parent, path) == 0)
                break;
            if (jw_file_stat(parent, &info, &ignored) && info.kind == JW_FILE_DIR)
                c->dropped = covered(f, c, info.id, level);
            path = parent;
        }
    }
}

static void keep_roots(struct jw_finder *f)
{
    drop_equal(f);
    jw_finder_editable(f);
    drop_equal(f);
    drop_nested(f);
    f->out->roots = jw_arena_alloc(f->a, (f->n + 1) * sizeof *f->out->roots);
    for (size_t i = 0; i < f->n; i++) {
        if (!f->v[i].dropped)
            f->out->roots[f->out->n_roots++] = f->v[i].root;
    }
}

void jw_discovery_init(struct jw_discovery *d, struct jw_arena *a)
{
    *d = (struct jw_discovery){ .arena = a, .windows = jw_os_is_windows() };
}

static struct jw_finder begin(const struct jw_discover_options *o, struct jw_arena *a,
                              struct jw_discovery *out)
{
    static const struct jw_discover_options here = { 0 };
    struct jw_finder f = { .o = o ? o : &here, .a = a, .out = out };

    jw_discovery_init(out, a);
    if (f.o->system != JW_SYSTEM_HERE)
        out->windows = f.o->system == JW_SYSTEM_WINDOWS;
    f.home = f.o->home ? f.o->home : jw_env_home(a);
    f.sysroot = f.o->sysroot ? f.o->sysroot : jw_env(a, "JITWARM_SYSROOT");
    f.made = f.sysroot && !f.o->sysroot;
    f.sysroot = f.sysroot ? f.sysroot : "";
    return f;
}

void jw_discover(const struct jw_discover_options *o, struct jw_arena *a, struct jw_discovery *out)
{
    struct jw_finder f = begin(o, a, out);

    jw_finder_active(&f);
    add_pythons(&f);
    add_registered(&f);
    jw_finder_usual(&f);
    jw_finder_working(&f);
    jw_finder_home(&f);
    if (f.o->everyone)
        add_everyone(&f);
    jw_finder_loader(&f, false);
    add_python_path(&f);
    add_configured(&f);
    keep_roots(&f);
}
