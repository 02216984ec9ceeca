#include "pack/kit/kit.h"

#include <string.h>

bool jw_kit_check_own(const struct jw_trust *t, const char *path, struct jw_err *err)
{
    struct jw_err ignored;

    return jw_trust_own(t, &ignored)
           || jw_fail(
               err, JW_E_TRUST,
               "%s can change %s, and jitwarm neither signs nor places programs there; take that right "
               "away first",
               t->writers ? t->writers : t->owner, path);
}

static bool enter_one(const struct jw_tree *from, const char *name, bool make, struct jw_tree *out,
                      bool *found, const char *path, struct jw_arena *a, struct jw_err *err)
{
    struct jw_trust trust;

    return jw_tree_enter(from, name, make, out, found, err)
           && (!*found || (jw_trust_read_open(out, a, &trust, err) && jw_kit_check_own(&trust, path, err)));
}

const char *jw_kit_enter(const struct jw_kit_folder *root, const char *path, bool make, struct jw_tree *out,
                         struct jw_arena *a, struct jw_err *err)
{
    const char *name = path;

    *out = JW_TREE_CLOSED;
    for (const char *end; (end = strchr(name, '/')); name = end + 1) {
        struct jw_tree next = JW_TREE_CLOSED;
        bool found = false;
        bool ok = enter_one(out->handle == JW_TREE_CLOSED.handle ? root->held : out,
                            jw_arena_text(a, name, (size_t)(end - name)), make, &next, &found,
                            jw_arena_printf(a, "%s/%.*s", root->path, (int)(end - path), path), a, err);

        jw_tree_close(out);
        *out = next;
        if (!ok || !found)
            return NULL;
    }
    return name;
}
