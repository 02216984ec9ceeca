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

/* Does a person call the root so? By a path, or the words of a command, as they were typed, or with paths of files that may be gone now. */
static bool is_called(const struct jw_root *e, enum jw_root_kind kind, struct jw_texts what,
                      struct jw_arena *a)
{
    const char *path;

    if (e->kind != kind)
        return false;
    if (kind == JW_ROOT_NAMED)
        return jw_root_path(*what.v, a, &path, JW_IGNORED) && jw_text_same(e->path, path);
    what = jw_root_words(what, a);
    for (size_t i = 0; i < what.n && i < e->n_words; i++)
        if (jw_root_path(what.v[i], a, &path, JW_IGNORED) && jw_text_same(e->words[i], path))
            what.v[i] = path;
    return jw_root_is_command(e, what.v);
}

/* Moves what is called so from `left` to `gone`. False: it is not remembered; also in `gone`, through an earlier word, it is. */
static bool forget(struct jw_forgotten *f, enum jw_root_kind kind, struct jw_texts what, struct jw_arena *a)
{
    bool found = false;

    for (const struct jw_root *e = f->all.v; e < f->all.v + f->all.n; e++)
        if (is_called(e, kind, what, a)) {
            found = true;
            if (jw_roots_forget(&f->left, e))
                f->gone.v[f->gone.n++] = *e;
        }
    return found;
}

bool jw_forget(struct jw_run *run, struct jw_texts paths, struct jw_texts command, struct jw_forgotten *out,
               struct jw_err *err)
{
    const struct jw_cache_memory *f = jw_session_memory(run->session);
    struct jw_arena *a = run->a;
    struct jw_hold hold = { .run = run };
    bool ok = jw_hold_lock(&hold, f, err);

    *out = (struct jw_forgotten){ .missing.v = jw_arena_alloc(a, (paths.n + 1) * sizeof *out->missing.v) };
    if (ok) {
        jw_roots_load(f, a, &out->left);
        jw_roots_load(f, a, &out->all);
        out->gone.v = jw_arena_alloc(a, (out->all.n + 1) * sizeof *out->gone.v);
        if (command.n && !forget(out, JW_ROOT_COMMAND, command, a))
            out->missing = command;
        for (size_t i = 0; i < paths.n; i++)
            if (!forget(out, JW_ROOT_NAMED, (struct jw_texts){ paths.v + i, 1 }, a))
                out->missing.v[out->missing.n++] = paths.v[i];
        ok = (!out->all.damaged || jw_fail(err, JW_E_FORMAT, "%s", out->all.damaged))
             && (out->missing.n || jw_kept_save(f, &out->left, err));
    }
    jw_hold_end(&hold);
    return ok;
}
