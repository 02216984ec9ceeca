#include "prime/remember.h"

#include "base/command.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "prime/hold.h"
#include "prime/kept.h"

bool jw_look_name_roots(struct jw_run *run, struct jw_look *l, struct jw_texts paths, struct jw_err *err)
{
    jw_look_load_roots(run, l, true);
    bool changed = l->roots.damaged; /* a new list replaces it */

    for (size_t i = 0; i < paths.n; i++) {
        const char *path;

        if (!jw_root_path(paths.v[i], &l->a, &path, err))
            return jw_wrap(err, "%s", paths.v[i]);
        changed |= jw_roots_name(&l->roots, path, jw_time_unix(), &l->a);
    }
    return !changed || l->roots.closed || jw_kept_save(l->memory, &l->roots, err);
}

const char *jw_root_line(const struct jw_root *e, struct jw_arena *a)
{
    return e->kind == JW_ROOT_COMMAND ? jw_command_text(a, e->words, jw_os_is_windows()) : e->path;
}

/* Does a person call the root so? By its line; a path also as a root would have it; a command by its words, as they were typed, or with
 * paths of files that may be gone now. */
static bool is_called(const struct jw_root *e, struct jw_texts what, struct jw_arena *a)
{
    const char *path;

    if (what.n == 1 && jw_text_same(jw_root_line(e, a), *what.v))
        return true;
    if (e->kind == JW_ROOT_NAMED)
        return what.n == 1 && jw_root_path(*what.v, a, &path, JW_IGNORED) && jw_text_same(e->path, path);
    what = jw_root_words(what, a);
    for (size_t i = 0; i < what.n && i < e->n_words; i++)
        if (jw_root_path(what.v[i], a, &path, JW_IGNORED) && jw_text_same(e->words[i], path))
            what.v[i] = path;
    return jw_root_is_command(e, what.v);
}

bool jw_forget(struct jw_run *run, struct jw_texts *words, struct jw_roots *gone, struct jw_err *err)
{
    const struct jw_cache_memory *f = jw_session_memory(run->session);
    struct jw_arena *a = run->a;
    struct jw_texts missing = { jw_arena_alloc(a, (words->n + 1) * sizeof *missing.v), 0 };
    struct jw_hold hold = { .run = run };
    struct jw_roots roots, all;
    bool ok = jw_hold_lock(&hold, f, err)
              && (!run->ended || jw_fail(err, JW_E_BUSY, "%s: try again after it", run->why));

    if (ok) {
        jw_roots_load(f, a, &roots);
        jw_roots_load(f, a, &all); /* also what an earlier word named */
        *gone = (struct jw_roots){ .v = jw_arena_alloc(a, (all.n + 1) * sizeof *all.v) };
        for (size_t i = words->n == 1; i <= words->n; i++) { /* all as one command, else each */
            const struct jw_texts what = i ? (struct jw_texts){ words->v + i - 1, 1 } : *words;
            bool found = false;

            for (unsigned kind = JW_ROOT_NAMED; !found && kind <= JW_ROOT_COMMAND; kind++)
                for (const struct jw_root *e = all.v; e < all.v + all.n; e++)
                    if (e->kind == kind && is_called(e, what, a)) {
                        found = true;
                        if (jw_roots_forget(&roots, e))
                            gone->v[gone->n++] = *e;
                    }
            if (!i && found)
                break;
            if (i && !found)
                missing.v[missing.n++] = *what.v;
        }
        *words = missing;
        ok = (!roots.damaged || jw_fail(err, JW_E_FORMAT, "%s", roots.damaged))
             && (missing.n || jw_kept_save(f, &roots, err));
    }
    jw_hold_end(&hold);
    return ok;
}
