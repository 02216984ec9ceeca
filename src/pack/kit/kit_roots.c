#include "base/path.h"
#include "base/text.h"
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

/* "TRITON_HOME/.triton/cache": below what the variable names; NULL: it is not set. */
static const char *by_variable(const char *word, size_t n, struct jw_arena *a)
{
    const char *text = jw_arena_text(a, word, n), *below = strchr(text, '/');
    const char *value = jw_env(a, below ? jw_arena_text(a, text, (size_t)(below - text)) : text);

    if (!value || !*value)
        return NULL;
    return real(below ? jw_path_join(a, value, below + 1) : value, a);
}

static const char *by_default(const char *folder, struct jw_arena *a)
{
    static const char local[] = "%LOCALAPPDATA%/";
    bool is_local = jw_text_starts(folder, local);
    const char *top =
        is_local ? jw_env(a, "LOCALAPPDATA") : jw_env(a, jw_os_is_windows() ? "USERPROFILE" : "HOME");

    top = top && *top ? top : jw_env_home(a);
    return top ? real(jw_path_join(a, top, folder + (is_local ? sizeof local - 1 : 2)), a) : NULL;
}

static const char *root_of(const struct jw_jitcache *c, struct jw_arena *a)
{
    const char *found = NULL;

    for (const char *at = c->variables; !found && *at;) {
        size_t n = strcspn(at, " ");

        found = by_variable(at, n, a);
        at += n + (at[n] == ' ');
    }
    return found ? found : by_default(c->folder, a);
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

const char *jw_kit_root_here(const struct jw_kit_cache *c, struct jw_arena *a)
{
    size_t n;
    const struct jw_kit_root *roots = c->place ? NULL : jw_kit_roots(a, &n);

    if (c->place)
        return place_here(c->place, a);
    for (size_t i = 0; i < n; i++)
        if (strcmp(roots[i].of.name, c->name) == 0)
            return roots[i].path;
    return NULL;
}

/* Variables that say where programs keep files; others may hold the same path by chance. */
static bool names_folder(const char *text, size_t n)
{
    static const char *const ends[] = { "_DIR", "_HOME", "_PATH", "_ROOT", "_CACHE", "TMPDIR" };

    for (size_t i = 0; i < JW_COUNT(ends); i++) {
        size_t m = strlen(ends[i]);

        if (n >= m && memcmp(text + n - m, ends[i], m) == 0)
            return true;
    }
    return false;
}

/* What is left of `path` below `folder`, with its slash; NULL: it is not below. */
static const char *below_of(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return n && strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]) ? path + n : NULL;
}

const char *jw_kit_place_of(const char *path, struct jw_arena *a)
{
    const char *home = jw_env(a, "HOME"), *below = home ? below_of(path, real(home, a)) : NULL;
    const char *place = below ? jw_arena_printf(a, "~%s", below) : path;
    size_t best = below ? strlen(path) - strlen(below) : 0, n = 0;
    const char *const *all = NULL;
    struct jw_err ignored;

    if (!jw_env_all(a, &all, &n, &ignored))
        n = 0;
    for (size_t i = 0; i < n; i++) {
        const char *end = strchr(all[i], '='), *value = end ? end + 1 : "";
        const char *rest = end && jw_path_absolute(value) && names_folder(all[i], (size_t)(end - all[i]))
                               ? below_of(path, real(value, a))
                               : NULL;

        if (!rest || strlen(path) - strlen(rest) <= best)
            continue;
        best = strlen(path) - strlen(rest);
        place = jw_arena_printf(a, "$%.*s%s", (int)(end - all[i]), all[i], rest);
    }
    return jw_kit_place_plain(place) ? place : NULL;
}

struct jw_kit_root *jw_kit_roots(struct jw_arena *a, size_t *n)
{
    struct jw_kit_root *roots = jw_arena_alloc(a, (jw_jitcaches() + 1) * sizeof *roots);

    *n = 0;
    for (size_t i = 0; i < jw_jitcaches(); i++) {
        struct jw_kit_root one = { .of = jw_jitcache_at(i, jw_os_is_windows()) };

        one.path = root_of(&one.of, a);
        if (one.path)
            roots[(*n)++] = one;
    }
    return roots;
}
