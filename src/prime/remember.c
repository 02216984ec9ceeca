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

/* Is it the command with these words, as they were typed, or with paths of files that may be gone now? */
static bool is_typed(const struct jw_root *e, struct jw_texts words, struct jw_arena *a)
{
    const char *path;

    words = jw_root_words(words, a);
    for (size_t i = 0; i < words.n && i < e->n_words; i++)
        if (jw_root_path(words.v[i], a, &path, JW_IGNORED) && jw_text_same(e->words[i], path))
            words.v[i] = path;
    return jw_root_is_command(e, words.v);
}

/* Does a person call the root so? By its path as it is or as a root has it; a command of one word, and any by its line, as status has it. */
static bool is_called(const struct jw_root *e, const char *what, struct jw_arena *a)
{
    const char *words[] = { what, NULL }, *path;

    if (e->kind == JW_ROOT_COMMAND)
        return is_typed(e, (struct jw_texts){ words, 1 }, a)
               || jw_text_same(jw_command_text(a, e->words, jw_os_is_windows()), what);
    return jw_text_same(e->path, what)
           || (jw_root_path(what, a, &path, JW_IGNORED) && jw_text_same(e->path, path));
}

bool jw_forget(struct jw_run *run, struct jw_texts *words, struct jw_err *err)
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
        bool whole = false;

        for (const struct jw_root *e = all.v; words->n > 1 && e < all.v + all.n; e++)
            whole |= is_typed(e, *words, a) && jw_roots_forget(&roots, e);
        for (size_t i = 0; !whole && i < words->n; i++) {
            bool any = false;

            for (const struct jw_root *e = all.v; e < all.v + all.n; e++)
                if (is_called(e, words->v[i], a)) {
                    (void)jw_roots_forget(&roots, e);
                    any = true;
                }
            if (!any)
                missing.v[missing.n++] = words->v[i];
        }
        *words = missing;
        ok = (!roots.damaged || jw_fail(err, JW_E_FORMAT, "%s", roots.damaged))
             && (missing.n || jw_kept_save(f, &roots, err));
    }
    jw_hold_end(&hold);
    return ok;
}
