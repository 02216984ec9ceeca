#include "prime/remember.h"

#include "os/files/real.h"
#include "os/machine/time.h"
#include "prime/hold.h"
#include "prime/kept.h"
#include "prime/look_work.h"

bool jw_remember_paths(struct jw_run *run, struct jw_look *look, struct jw_texts paths,
                       struct jw_err *err)
{
    jw_look_load_roots(run, look, true);
    bool changed = look->roots.damaged; /* a new list replaces it */

    for (size_t i = 0; i < paths.n; i++) {
        const char *path, *real = paths.v[i];
        bool has = false;

        if (!jw_root_path(paths.v[i], run->a, &path, err))
            return jw_wrap(err, "%s", paths.v[i]);
        (void)!jw_real_path(real, run->a, &real, JW_IGNORED);
        for (size_t k = 0; k < look->with_code.n; k++)
            has |= jw_text_same(look->with_code.v[k], real);
        if (has)
            changed |= jw_roots_name(&look->roots, path, jw_time_unix(), run->a);
        else
            JW_NOTE(run, "not remembered, as no CUDA code was seen there: %s", paths.v[i]);
    }
    if (changed && paths.n && look->machine->state.unusable)
        return JW_NOTE(run, "nothing new is remembered"), true;
    return !changed || look->roots.closed || jw_kept_save(look->memory, &look->roots, err);
}

static void forget(struct jw_forgotten *f, const struct jw_root *root, const struct jw_root *what)
{
    f->left.here = root->path;
    if (jw_roots_forget(&f->left, what))
        f->gone.v[f->gone.n++] = *root;
}

/* Forgets the root with these words or this path here. False: there is none. A path that an earlier
 * word forgot counts as there. */
static bool forget_here(struct jw_forgotten *f, const struct jw_root *what)
{
    bool found = false;

    for (const struct jw_root *e = f->all.v; e < f->all.v + f->all.n; e++)
        if (jw_root_is(&f->all, e, what)) {
            forget(f, e, what);
            found = true;
        }
    return found;
}

/* Forgets all commands with these words that are gone, whatever their folder. False: none is. */
static bool forget_gone(struct jw_forgotten *f, const struct jw_root *what, struct jw_arena *a)
{
    bool found = false;

    for (const struct jw_root *e = f->all.v; e < f->all.v + f->all.n; e++) {
        f->left.here = e->path;
        if (!jw_root_is(&f->left, e, what))
            continue;
        f->meant = true;
        if (!jw_text_same(e->path, f->all.here))
            f->folder = e->path;
        if (!look_is_gone(e, a))
            continue;
        forget(f, e, what);
        found = true;
    }
    return found;
}

static void forget_named(struct jw_forgotten *f, struct jw_texts paths, struct jw_texts command,
                         struct jw_arena *a)
{
    const struct jw_root typed = {.kind = JW_ROOT_COMMAND,
                                  .words = (command.n ? command : paths).v};

    for (size_t i = 0; i < paths.n; i++) {
        struct jw_root named = {.kind = JW_ROOT_NAMED};

        if (!jw_root_path(paths.v[i], a, &named.path, JW_IGNORED) || !forget_here(f, &named))
            jw_texts_add(&f->missing, a, paths.v[i]);
    }
    /* the line that status prints for a command that is gone may be pasted in any folder */
    bool gone = (command.n || f->missing.n) && forget_gone(f, &typed, a);

    if (!command.n || gone || forget_here(f, &typed))
        return;
    jw_texts_add(&f->missing, a, "--run");
    for (size_t i = 0; i < command.n; i++)
        jw_texts_add(&f->missing, a, command.v[i]);
}

bool jw_forget(struct jw_run *run, struct jw_texts paths, struct jw_texts command, bool dry_run,
               struct jw_forgotten *out, struct jw_err *err)
{
    const struct jw_cache_memory *f = jw_session_memory(run->session);
    struct jw_arena *a = run->a;
    struct jw_hold hold = {.run = run};
    bool ok = jw_hold_lock(&hold, f, err);

    *out = (struct jw_forgotten){0};
    if (hold.lock) {
        jw_roots_load(f, a, &out->left);
        jw_roots_load(f, a, &out->all);
        out->gone = (struct jw_roots){.v = jw_arena_alloc(a, out->all.n * sizeof *out->gone.v + 1),
                                      .here = out->all.here};
        forget_named(out, paths, command, a);
        if (out->all.damaged)
            ok = jw_fail(err, JW_E_FORMAT, "%s", out->all.damaged);
        else if (!out->missing.n && !dry_run)
            ok = jw_kept_save(f, &out->left, err);
    }
    jw_hold_end(&hold);
    return ok;
}
