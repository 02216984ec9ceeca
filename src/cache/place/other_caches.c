#include "cache/place/other_caches.h"

#include "base/compiler.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "machine/listing.h"
#include "os/machine/env.h"

#include <string.h>

static const char *temporary(struct jw_arena *a)
{
    const char *folder = jw_env(a, "TMPDIR");

    return folder && *folder ? folder : "/tmp";
}

/* The user's name, as Python's getpass.getuser finds it. */
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

static const char *value_here(const void *of, const char *name, struct jw_arena *a)
{
    (void)of;
    return jw_env(a, name);
}

/* An empty value is as good as none. */
static const char *value_in(struct jw_other_env env, const char *name, struct jw_arena *a)
{
    const char *value = name ? env.value(env.of, name, a) : NULL;

    return value && *value ? value : NULL;
}

/* A login that does not name its temporary folder has the one of this process. */
static const char *usual(const struct jw_compiler_cache *p, struct jw_other_env env, struct jw_arena *a)
{
    const char *other = value_in(env, p->home, a), *xdg = value_in(env, "XDG_CACHE_HOME", a);
    const char *home_there = value_in(env, "HOME", a), *home = other        ? other
                                                               : home_there ? home_there
                                                                            : jw_env_home(a);
    const char *caches = xdg ? xdg : home ? jw_path_join(a, home, ".cache") : NULL;

    switch (p->place) {
    case JW_CACHE_HOME: return home ? jw_path_join(a, home, p->below) : NULL;
    case JW_CACHE_CACHES: return caches ? jw_path_join(a, caches, p->below) : NULL;
    case JW_CACHE_TEMPORARY: return jw_arena_printf(a, "%s/%s%s", temporary(a), p->below, user(a));
    case JW_CACHE_OF_USER: return jw_arena_printf(a, "%s/%s/%s", temporary(a), user(a), p->below);
    default: return NULL;
    }
}

static const char *path_in(const struct jw_compiler_cache *p, struct jw_other_env env, struct jw_arena *a)
{
    const char *named = value_in(env, p->variable, a);

    return !named ? usual(p, env, a) : p->below_variable ? jw_path_join(a, named, p->below_variable) : named;
}

void jw_other_caches(struct jw_arena *a, struct jw_other_cache out[JW_OTHER_CACHES], size_t *n)
{
    const struct jw_compiler_cache *known = jw_compiler_caches(n);
    const struct jw_other_env here = { .value = value_here };

    for (size_t i = 0; i < *n; i++) {
        const struct jw_compiler_cache *p = &known[i];
        struct jw_other_cache one = {
            .name = p->name, .owner = p->owner, .module = p->module, .variable = p->variable
        };

        one.set = value_in(here, p->variable, a) != NULL;
        one.path = path_in(p, here, a);
        one.there = one.path && jw_is_folder(one.path);
        out[i] = one;
    }
}

bool jw_other_cache_differs(const char *name, struct jw_other_env here, struct jw_other_env there,
                            struct jw_arena *a, const char **variable)
{
    size_t n;
    const struct jw_compiler_cache *known = jw_compiler_caches(&n), *p = NULL;

    for (size_t i = 0; i < n && !p; i++)
        p = strcmp(known[i].name, name) == 0 ? &known[i] : NULL;
    if (!p || jw_text_same(path_in(p, here, a), path_in(p, there, a)))
        return false;
    const char *const movers[] = { p->variable, p->home, "XDG_CACHE_HOME", "HOME" };

    for (size_t i = 0; i < JW_COUNT(movers); i++)
        if (!jw_text_same(value_in(here, movers[i], a), value_in(there, movers[i], a))) {
            *variable = movers[i];
            return true;
        }
    return false;
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
