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
