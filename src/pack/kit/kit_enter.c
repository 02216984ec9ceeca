/* The way to a file of a cache: no link is followed below the cache's folder, and no other user may be able to change it. */
#include "machine/trust.h"
#include "pack/kit/kit.h"

#include <string.h>

static bool check_own(const struct jw_trust *t, const char *path, struct jw_err *err)
{
    struct jw_err ignored;

    return jw_trust_own(t, &ignored)
           || jw_fail(
               err, JW_E_TRUST,
               "%s can change %s, and jitwarm neither signs nor places programs there; take that right "
               "away first",
               t->writers ? t->writers : t->owner, path);
}

/* In such a folder (/tmp) users may add files, and can change none of this user's. */
static bool is_shared(const struct jw_trust *t)
{
    return t->sticky && (!t->owner || strcmp(t->owner, "root") == 0);
}

static bool is_open(const struct jw_tree *t)
{
    return t->handle != JW_TREE_CLOSED.handle;
}

bool jw_kit_open_folder(const char *path, struct jw_arena *a, struct jw_tree *held, struct jw_err *err)
{
    const char *at = NULL;
    struct jw_trust trust;

    if (!jw_trust_check_path(path, a, held, &at, &trust, err))
        return jw_wrap(err, "%s", path);
    return !at || is_shared(&trust) || check_own(&trust, at, err);
}

static bool enter_one(const struct jw_tree *from, const char *name, bool make, struct jw_tree *out,
                      bool *found, const char *path, struct jw_arena *a, struct jw_err *err)
{
    struct jw_trust trust;

    return jw_tree_enter(from, name, make, out, found, err)
           && (!*found || (jw_trust_read_open(out, a, &trust, err) && check_own(&trust, path, err)));
}

bool jw_kit_reach(const struct jw_kit_folder *folder, const char *path, bool make, struct jw_kit_at *at,
                  struct jw_arena *a, struct jw_err *err)
{
    bool ok = true, found = is_open(folder->held);
    const char *name = path;

    *at = (struct jw_kit_at){ .entered = JW_TREE_CLOSED, .folder = folder->held };
    for (const char *end; ok && found && (end = strchr(name, '/')); name = end + 1) {
        struct jw_tree next = JW_TREE_CLOSED;

        ok = enter_one(at->folder, jw_arena_text(a, name, (size_t)(end - name)), make, &next, &found,
                       jw_arena_printf(a, "%s/%.*s", folder->path, (int)(end - path), path), a, err);
        jw_tree_close(&at->entered);
        at->entered = next;
        at->folder = &at->entered;
    }
    at->name = ok && found ? name : NULL;
    return ok;
}

bool jw_kit_open_file(const struct jw_kit_folder *folder, const char *path, struct jw_file *f, bool *found,
                      struct jw_arena *a, struct jw_err *err)
{
    const char *whole = jw_arena_printf(a, "%s/%s", folder->path, path);
    struct jw_trust trust;
    struct jw_kit_at at;

    *found = false;
    bool ok = jw_kit_reach(folder, path, false, &at, a, err)
              && (!at.name || jw_tree_open_file(at.folder, at.name, JW_TREE_READ, f, found, err))
              && (!*found || (jw_trust_file(f, whole, a, &trust, err) && check_own(&trust, whole, err)));

    jw_tree_close(&at.entered);
    return ok || jw_wrap(err, "%s", whole);
}
