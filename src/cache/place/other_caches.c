#include "cache/place/other_caches.h"

#include "base/compiler.h"
#include "base/path.h"
#include "facts/compiler_caches.h"
#include "machine/listing.h"
#include "os/machine/env.h"

#include <string.h>

static const char *temporary(struct jw_arena *a)
{
    const char *folder = jw_env(a, "TMPDIR");

    return folder && *folder ? folder : "/tmp";
}

/* As Python's getpass.getuser finds it. */
static const char *user(struct jw_arena *a)
{
    static const char *const names[] = { "LOGNAME", "USER", "LNAME", "USERNAME" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *name = jw_env(a, names[i]);

        if (name && *name)
            return name;
    }
    return "root";
}

static const char *usual(const struct jw_compiler_cache *p, struct jw_arena *a)
{
    const char *other = p->home ? jw_env(a, p->home) : NULL, *xdg = jw_env(a, "XDG_CACHE_HOME");
    const char *home = other && *other ? other : jw_env_home(a);
    const char *caches = xdg && *xdg ? xdg : home ? jw_path_join(a, home, ".cache") : NULL;

    switch (p->place) {
    case JW_CACHE_HOME: return home ? jw_path_join(a, home, p->below) : NULL;
    case JW_CACHE_CACHES: return caches ? jw_path_join(a, caches, p->below) : NULL;
    case JW_CACHE_TEMPORARY: return jw_arena_printf(a, "%s/%s%s", temporary(a), p->below, user(a));
    case JW_CACHE_OF_USER: return jw_arena_printf(a, "%s/%s/%s", temporary(a), user(a), p->below);
    default: return NULL;
    }
}

void jw_other_caches(struct jw_arena *a, struct jw_other_cache out[JW_OTHER_CACHES], size_t *n)
{
    const struct jw_compiler_cache *known = jw_compiler_caches(n);

    for (size_t i = 0; i < *n; i++) {
        const struct jw_compiler_cache *p = &known[i];
        const char *named = p->variable ? jw_env(a, p->variable) : NULL;
        struct jw_other_cache one = {
            .name = p->name, .owner = p->owner, .module = p->module, .variable = p->variable
        };

        one.set = named && *named;
        one.path = !one.set            ? usual(p, a)
                   : p->below_variable ? jw_path_join(a, named, p->below_variable)
                                       : named;
        one.there = one.path && jw_is_folder(one.path);
        out[i] = one;
    }
}

const char *jw_other_cache_usual(const char *owner, struct jw_arena *a, const char **variable)
{
    size_t n;
    const struct jw_compiler_cache *known = jw_compiler_caches(&n);

    for (size_t i = 0; i < n; i++) {
        const struct jw_compiler_cache *p = &known[i];

        if (strcmp(p->owner, owner) != 0 || (p->place != JW_CACHE_HOME && p->place != JW_CACHE_CACHES))
            continue;
        *variable = p->variable;
        return jw_path_join(a, p->place == JW_CACHE_HOME ? "~" : "~/.cache", p->below);
    }
    return NULL;
}
