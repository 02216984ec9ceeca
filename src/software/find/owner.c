/* Finds the package of a file by its path: nothing is opened. */
#include "software/find/discover.h"

#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"

#include <string.h>

bool jw_is_site(const char *base)
{
    return strcmp(base, "site-packages") == 0 || strcmp(base, "dist-packages") == 0;
}

static bool is_separator(char c) { return c == '/' || c == '\\'; }

/* Length of the first component of `path`; 0 when it is the only one. */
static size_t first_folder(const char *path)
{
    size_t n = strcspn(path, "/\\");

    return path[n] ? n : 0;
}

static const char *below_site(struct jw_arena *a, const char *path)
{
    const char *rest = NULL;
    size_t n;

    for (const char *part = path; (n = first_folder(part)) || is_separator(*part); part += n + 1)
        if (jw_is_site(jw_arena_text(a, part, n)))
            rest = part + n + 1;
    return rest;
}

static const char *below_folder(const struct jw_discovery *d, const char *path,
                                const struct jw_search_folder **folder)
{
    const char *rest = NULL;

    for (size_t i = 0; i < d->n_folders; i++) {
        const char *below = jw_path_below(path, d->folders[i].path);

        if (below && (!rest || below > rest)) {
            rest = below;
            *folder = &d->folders[i];
        }
    }
    return rest;
}

/* The length of `*name`, "torch" in
 * "x/torch-2.1.0-cp310-cp310-linux_x86_64.whl!torch/lib/libtorch_cuda.so"; 0: no wheel. */
static size_t wheel_name(const char *path, const char **name)
{
    const char *inside = strstr(path, ".whl!");

    if (!inside && !jw_text_ends(path, ".whl"))
        return 0;
    *name = inside ? inside : path + strlen(path);
    while (*name > path && !is_separator((*name)[-1]))
        --*name;
    return strcspn(*name, "-");
}

static bool is_nvidias(const char *package, const char *path, const char *named)
{
    return (!named || path[strlen(named)])
           && (jw_is_vendor_package(package) || jw_is_vendor_file(jw_path_base(path)));
}

struct jw_package jw_discovery_owner(const struct jw_discovery *d, const char *path,
                                     const char *named)
{
    const struct jw_search_folder *folder = NULL;
    const char *name, *rest;
    size_t n = wheel_name(path, &name);

    if (!n) {
        name = jw_path_base(path);
        n = strlen(name);
        rest = below_site(d->arena, path);
        if (!rest)
            rest = below_folder(d, path, &folder);
        if (folder && folder->package) {
            name = folder->package;
            n = strlen(name);
        } else if (rest && first_folder(rest)) {
            name = rest;
            n = first_folder(rest);
        }
    }
    name = jw_arena_text(d->arena, name, n);
    return (struct jw_package){name, is_nvidias(name, path, named)};
}

bool jw_is_in(const char *path, const char *place)
{
    size_t n = strlen(place);

    while (n > 1 && is_separator(place[n - 1]))
        n--;
    return jw_path_below(path, place)
           || (strncmp(path, place, n) == 0 && (!path[n] || path[n] == '!'));
}

const char *jw_named_above(const struct jw_scan_folder *places, size_t n, const char *path)
{
    const struct jw_scan_folder *itself = jw_search(&path, places, n, sizeof *places, jw_by_text);
    const char *nearest = NULL;

    if (itself && itself->named)
        return itself->path;
    for (const struct jw_scan_folder *p = places; p < places + n; p++)
        if (p->named && jw_is_in(path, p->path) && (!nearest || strlen(p->path) > strlen(nearest)))
            nearest = p->path;
    return nearest;
}
