/* The places of caches on this machine, and how another machine finds them. */
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/other_caches.h"
#include "facts/compilers.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "pack/kit/kit.h"

#include <string.h>

static const char *real(const char *path, struct jw_arena *a)
{
    const char *found;
    struct jw_err ignored;

    return jw_real_path(path, a, &found, &ignored) ? found : path;
}

/* ---- of any folder ---- */

static const char *place_here(const char *place, struct jw_arena *a)
{
    const char *below = strchr(place, '/'), *top;

    if (!jw_kit_place_plain(place) || jw_os_is_windows())
        return NULL;
    if (place[0] == '/')
        return real(place, a);
    if (place[0] == '~')
        top = jw_env(a, "HOME");
    else
        top = jw_env(a, jw_arena_text(a, place + 1, below ? (size_t)(below - place - 1) : strlen(place + 1)));
    if (!top || !jw_path_absolute(top))
        return NULL;
    return real(below ? jw_path_join(a, top, below + 1) : top, a);
}

struct jw_known_kit *jw_kit_known(struct jw_arena *a, size_t *n)
{
    struct jw_other_cache list[JW_OTHER_CACHES];
    struct jw_known_kit *known = jw_arena_alloc(a, JW_OTHER_CACHES * sizeof *known);
    size_t all;

    *n = 0;
    jw_other_caches(a, list, &all);
    for (size_t i = 0; i < all; i++)
        if (list[i].path)
            known[(*n)++] = (struct jw_known_kit){ .name = list[i].name,
                                                   .package = list[i].module ? list[i].module : list[i].name,
                                                   .path = real(list[i].path, a) };
    return known;
}

static const struct jw_known_kit *known_as(const struct jw_known_kit *known, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

const char *jw_kit_folder_here(const struct jw_kit_cache *c, struct jw_arena *a)
{
    size_t n;
    const struct jw_known_kit *all = jw_kit_known(a, &n), *known = known_as(all, n, c->name);

    return known ? known->path : c->place ? place_here(c->place, a) : NULL;
}

/* Variables that say where programs keep files; others may hold the same path by chance. */
static bool names_folder(const char *variable)
{
    static const char *const ends[] = { "_DIR", "_HOME", "_PATH", "_ROOT", "_CACHE", "TMPDIR" };

    for (size_t i = 0; i < JW_COUNT(ends); i++)
        if (jw_text_ends(variable, ends[i]))
            return true;
    return false;
}

/* Returns the rest of `path` below `folder`, with its slash; NULL: it is not below. */
static const char *below_of(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return n && strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]) ? path + n : NULL;
}

/* ---- the caches that files lie in ---- */

/* A folder that another machine has, too: home, or what a variable names. */
struct base {
    const char *path, *place; /* "~", "$TMPDIR" */
};

struct jw_kit_tops {
    struct jw_arena *a;
    struct base *bases;
    size_t n_bases;
    struct jw_kit_top v[JW_MAX_KIT_CACHES + JW_OTHER_CACHES];
    size_t n;
};

static void find_bases(struct jw_kit_tops *t)
{
    const char *home = jw_env(t->a, "HOME");
    const char *const *all = NULL;
    size_t n = 0;
    struct jw_err ignored;

    if (!jw_env_all(t->a, &all, &n, &ignored))
        n = 0;
    t->bases = jw_arena_alloc(t->a, (n + 1) * sizeof *t->bases);
    if (home)
        t->bases[t->n_bases++] = (struct base){ real(home, t->a), "~" };
    for (size_t i = 0; i < n; i++) {
        const char *end = strchr(all[i], '=');
        const char *variable = end ? jw_arena_text(t->a, all[i], (size_t)(end - all[i])) : "";

        if (jw_path_absolute(end ? end + 1 : "") && names_folder(variable))
            t->bases[t->n_bases++] =
                (struct base){ real(end + 1, t->a), jw_arena_printf(t->a, "$%s", variable) };
    }
}

/* The place of a folder of this machine, for others: below the longest of these. NULL: there is none. */
static const char *place_of(const struct jw_kit_tops *t, const char *path)
{
    const char *place = path;
    size_t best = 0;

    for (size_t i = 0; i < t->n_bases; i++) {
        const char *rest = below_of(path, t->bases[i].path);

        if (!rest || strlen(t->bases[i].path) <= best)
            continue;
        best = strlen(t->bases[i].path);
        place = jw_arena_printf(t->a, "%s%s", t->bases[i].place, rest);
    }
    return jw_kit_place_plain(place) ? place : NULL;
}

static const struct jw_kit_top *top_named(const struct jw_kit_tops *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].cache.name && strcmp(t->v[i].cache.name, name) == 0)
            return &t->v[i];
    return NULL;
}

struct jw_kit_tops *jw_kit_tops_new(const struct jw_kit *record, struct jw_arena *a)
{
    struct jw_kit_tops *t = jw_arena_alloc(a, sizeof *t);
    size_t n;
    const struct jw_known_kit *all = jw_kit_known(a, &n);

    t->a = a;
    find_bases(t);
    for (size_t i = 0; record && i < record->n_caches; i++) {
        const struct jw_kit_cache *c = &record->caches[i];
        const struct jw_known_kit *known = known_as(all, n, c->name);

        t->v[t->n++] = (struct jw_kit_top){ .cache = { .name = c->name,
                                                       .package = known ? known->package : c->name,
                                                       .path = jw_kit_folder_here(c, a),
                                                       .place = c->place },
                                            .known = known != NULL,
                                            .was = c };
    }
    for (size_t i = 0; i < n; i++)
        if (!top_named(t, all[i].name))
            t->v[t->n++] = (struct jw_kit_top){ .cache = all[i], .known = true };
    return t;
}

/* vLLM has its Inductor's cache below its own. */
struct jw_kit_top *jw_kit_top_find(struct jw_kit_tops *t, const char *file)
{
    struct jw_kit_top *found = NULL;

    for (size_t i = 0; i < t->n; i++) {
        const char *path = t->v[i].cache.path;

        if (path && jw_kit_below(file, path) && (!found || jw_kit_below(path, found->cache.path)))
            found = &t->v[i];
    }
    return found;
}

static bool is_open_to_all(const char *place)
{
    return strcmp(place, "/tmp") == 0 || strcmp(place, "/var/tmp") == 0 || strcmp(place, "/dev/shm") == 0;
}

static bool is_path(const char *place)
{
    return place[0] == '/' && !jw_text_starts(place, "/tmp/") && !jw_text_starts(place, "/var/tmp/")
           && !jw_text_starts(place, "/dev/shm/");
}

/* How many bytes of a place name the cache: all that programs keep in one of these folders is not one. 0: it is no
 * cache's. */
static size_t top_length(const char *place)
{
    static const struct {
        const char *folder;
        unsigned parts; /* below it name a cache */
    } shared[] = { { "~/.cache/", 1 },
                   { "~/.local/share/", 1 },
                   { "~/.local/state/", 1 },
                   { "~/", 1 },
                   { "$XDG_CACHE_HOME/", 1 },
                   { "$XDG_DATA_HOME/", 1 },
                   { "$XDG_STATE_HOME/", 1 },
                   { "$TMPDIR/", 1 },
                   { "/tmp/", 1 },
                   { "/var/tmp/", 1 },
                   { "/dev/shm/", 1 },
                   { "/", 2 } };

    if (is_open_to_all(place)) /* OpenMM keeps its files right there */
        return strlen(place);
    for (size_t i = 0; i < JW_COUNT(shared); i++) {
        size_t n = strlen(shared[i].folder);

        if (!jw_text_starts(place, shared[i].folder))
            continue;
        for (unsigned part = 0; part < shared[i].parts; part++) {
            n += part && place[n] == '/';
            if (!place[n] || place[n] == '/')
                return 0;
            n += strcspn(place + n, "/");
        }
        return n;
    }
    return place[0] == '$' ? strcspn(place, "/") : 0;
}

/* "~/.cache/x", "$XDG_CACHE_HOME/x", "$TMPDIR/x": not what lies in such a folder itself. */
bool jw_kit_lies_in_caches(const struct jw_kit_tops *t, const char *file)
{
    const char *place = place_of(t, jw_path_dir(t->a, file)), *below = place ? strchr(place, '/') : NULL;

    if (!below || !below[1])
        return false;
    if (place[0] != '$')
        return jw_text_starts(place, "~/.cache/") || jw_text_starts(place, "/tmp/");
    const char *variable = jw_arena_text(t->a, place, (size_t)(below - place));

    return strcmp(variable, "$TMPDIR") == 0 || strstr(variable, "CACHE");
}

struct jw_kit_top *jw_kit_top_of(struct jw_kit_tops *t, const char *file)
{
    struct jw_kit_top *top = jw_kit_top_find(t, file);
    const char *folder = jw_path_dir(t->a, file), *of = jw_compiler_cache_beside_sources(file), *place;

    if (top && top->known) {
        top->cache.place = top->cache.place ? top->cache.place : place_of(t, top->cache.path);
        return top->cache.place ? top : NULL;
    }
    place = place_of(t, folder);
    size_t n = place ? top_length(place) : 0, rest = place ? strlen(place) - n : 0;

    for (size_t i = 0; n && i < t->n; i++) {
        struct jw_known_kit *known = &t->v[i].cache;

        if (t->v[i].known || strncmp(t->v[i].key, place, n) != 0 || t->v[i].key[n])
            continue;
        while (is_path(place) && strcmp(folder, known->path) != 0 && !jw_kit_below(folder, known->path))
            known->path = known->place = jw_path_dir(t->a, known->path);
        if (t->v[i].of && !jw_text_same(t->v[i].of, of))
            t->v[i].of = NULL;
        return &t->v[i];
    }
    if (!n || t->n >= JW_MAX_KIT_CACHES)
        return NULL;
    top = &t->v[t->n++];
    *top = (struct jw_kit_top){ .key = jw_arena_text(t->a, place, n), .of = of };
    top->cache.path = is_path(place) ? folder : jw_arena_text(t->a, folder, strlen(folder) - rest);
    top->cache.place = is_path(place) ? folder : top->key;
    return top;
}

/* A word for people, of the last part of its path: "taichi", "pytensor". Beside sources that folder is theirs:
 * "numba-src". */
static const char *cache_name(const struct jw_kit_tops *t, const struct jw_kit_top *top)
{
    enum { BESIDE_MAX = 40 };
    const char *path = top->cache.path, *name, *first;
    const char *base =
        jw_path_base(top->of && jw_text_ends(path, "/__pycache__") ? jw_path_dir(t->a, path) : path);
    char *word = jw_arena_text(t->a, base, strnlen(base, JW_MAX_KIT_WORD));

    while (*word == '.')
        word++;
    for (char *c = word; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+_~-", *c))
            *c = '_';
    first = top->of ? jw_arena_printf(t->a, "%s-%.*s", top->of, BESIDE_MAX, word) : word;
    name = *first ? first : "cache";
    for (unsigned k = 2; top_named(t, name); k++)
        name = jw_arena_printf(t->a, "%s~%u", first, k);
    return name;
}

/* Not before, for a folder may have become one above. */
struct jw_kit_top *jw_kit_tops_all(struct jw_kit_tops *t, size_t *n)
{
    for (size_t i = 0; i < t->n; i++)
        if (!t->v[i].cache.name)
            t->v[i].cache.name = t->v[i].cache.package = cache_name(t, &t->v[i]);
    *n = t->n;
    return t->v;
}
