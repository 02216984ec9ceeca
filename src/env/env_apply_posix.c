/* env apply on Linux: settings are blocks in files that logins read. */
#include "env/env_apply_parts.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "env/env_shell.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>

bool env_may_write(struct applier *k)
{
    const char *home = k->s->home;

    if (k->o->scope == JW_ENV_SYSTEM)
        return *k->o->sysroot || k->o->dry_run || jw_process_elevated()
               || jw_fail(k->err, JW_E_IO, "only root can write to /etc: sudo jitwarm env apply --system");
    if (!home)
        return jw_fail(k->err, JW_E_IO,
                       "this user has no home folder (HOME is unset), so settings cannot be stored");
    return jw_is_folder(home)
           || jw_fail(k->err, JW_E_IO, "%.300s: the home folder does not exist, so settings cannot be stored",
                      home);
}

/* ---- where ---- */

/* From the user database, if it has the same home; else from this process. */
static const char *login_shell(struct applier *k)
{
    const struct jw_login_env *login = &k->s->look.login;
    const struct jw_env_value *home = jw_env_set_find(&login->sets, "HOME");
    const char *own = jw_env(k->a, "SHELL");

    if (login->shell && (!own || !*own || (home && k->s->home && strcmp(home->value, k->s->home) == 0)))
        return login->shell;
    return own && *own ? own : NULL;
}

static struct jw_env_where where(struct applier *k)
{
    const char *place = env_before_of(k, JW_ENV_PLACE_NAME);

    return (struct jw_env_where){ .scope = k->o->scope,
                                  .sysroot = k->o->sysroot,
                                  .home = k->s->home,
                                  .zdotdir = jw_env(k->a, "ZDOTDIR"),
                                  .shell = login_shell(k),
                                  .guarded = k->guarded || (place && jw_text_starts(place, JW_ENV_LOCAL)) };
}

/* ---- earlier settings ---- */

static bool wants(const char *name)
{
    return jw_text_starts(name, "CUDA_CACHE_") || strcmp(name, "jitwarm_d") == 0;
}

/* A guarded folder is only in shell files. */
static bool read_guarded(struct applier *k, struct jw_bytes block)
{
    struct jw_env_assigns list = { 0 };

    if (!jw_env_shell_read(block, wants, k->a, &list, k->err))
        return false;
    for (size_t i = 0; i < list.n; i++)
        if (list.v[i].exact)
            env_keep_before(k, strcmp(list.v[i].name, "jitwarm_d") == 0 ? JW_ENV_PLACE_NAME : list.v[i].name,
                            list.v[i].value);
    return true;
}

static bool read_block(struct applier *k, struct jw_bytes block, bool shell)
{
    struct jw_env_set set = { 0 };

    if (shell)
        return read_guarded(k, block);
    if (!jw_env_file_systemd(block, "", k->a, &set, k->err))
        return false;
    for (size_t i = 0; i < set.n; i++)
        env_keep_before(k, set.v[i].name, set.v[i].value);
    return true;
}

/* True if there is a block of jitwarm; false for unreadable files. */
static struct jw_env_block look_into(const char *path, struct jw_buf *text)
{
    struct jw_err ignored = { 0 };
    bool found = false;

    return jw_file_slurp(path, text, &found, &ignored) && found ? jw_env_block_find(jw_buf_bytes(text))
                                                                : (struct jw_env_block){ 0 };
}

bool env_read_before(struct applier *k)
{
    struct jw_env_where w = where(k);
    const char **paths;
    size_t n, n_own;
    jw_env_candidates(&w, k->a, &paths, &n, &n_own);
    bool ok = true;

    for (size_t i = 0; ok && i < n_own && i < n; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_CONF);
        struct jw_env_block b = look_into(paths[i], &text);

        if (b.to)
            ok = read_block(k, (struct jw_bytes){ text.p + b.from, b.to - b.from }, i > 0);
        jw_buf_free(&text);
    }
    return ok;
}

/* ---- apply ---- */

static bool plan_file(struct applier *k, size_t i, struct jw_buf *after)
{
    const struct jw_env_target *t = &k->targets.v[i];
    struct jw_env_text *text = &k->texts[i];
    bool same;

    if (!env_is_text(t->path, "the path of a file", k->err) || !jw_env_text_read(t->path, k->a, text, k->err)
        || !jw_env_edit_put(jw_buf_bytes(&text->text), text->exists, t->block, after, &same, k->err)
        || !env_plan_folders(k, t->path))
        return false;
    return env_add_step(k, (struct jw_env_step){ JW_ENV_FILE, t->path, t->block,
                                                 same            ? JW_ENV_SAME
                                                 : !text->exists ? JW_ENV_MADE
                                                 : jw_env_block_find(jw_buf_bytes(&text->text)).to
                                                     ? JW_ENV_CHANGED
                                                     : JW_ENV_ADDED,
                                                 NULL });
}

bool env_plan(struct applier *k)
{
    struct jw_env_where w = where(k);

    if (!jw_env_targets(&w, k->out->settings, k->out->n_settings, k->a, &k->targets, k->err))
        return false;
    k->texts = jw_arena_alloc(k->a, (k->targets.n + 1) * sizeof *k->texts);
    k->after = jw_arena_alloc(k->a, (k->targets.n + 1) * sizeof *k->after);
    while (k->n_after < k->targets.n) {
        size_t i = k->n_after++;

        k->texts[i] = (struct jw_env_text){ 0 };
        k->after[i] = JW_BUF(JW_MAX_CONF * 2);
        if (!plan_file(k, i, &k->after[i]))
            return false;
    }
    return true;
}

/* The profile, which reads all others, comes last. */
bool env_write(struct applier *k)
{
    for (size_t i = 0; i < k->targets.n; i++) {
        const struct jw_env_text *was = &k->texts[i];
        const char *folder = jw_path_dir(k->a, was->path);

        if (was->exists && k->after[i].n == was->text.n
            && (!was->text.n || memcmp(k->after[i].p, was->text.p, was->text.n) == 0))
            continue;
        if (!jw_make_dirs(folder, k->err))
            return jw_wrap(k->err, "%.300s", folder);
        k->out->begun = true;
        if (!jw_env_text_write(was, jw_buf_bytes(&k->after[i]), k->err))
            return false;
    }
    return true;
}

void env_free(struct applier *k)
{
    while (k->n_after) {
        jw_env_text_free(&k->texts[--k->n_after]);
        jw_buf_free(&k->after[k->n_after]);
    }
}

/* ---- undo ---- */

static bool take_out(struct applier *k, const char *path, struct jw_env_text *text, struct jw_buf *after)
{
    struct jw_env_step step = { JW_ENV_FILE, path, NULL, JW_ENV_TAKEN, NULL };
    struct jw_env_block b;

    if (!jw_env_text_read(path, k->a, text, k->err))
        return false;
    b = jw_env_block_find(jw_buf_bytes(&text->text));
    if (!b.to) /* removed meanwhile */
        return true;
    step.text = jw_arena_text(k->a, (const char *)text->text.p + b.from, b.to - b.from);
    if (!jw_env_edit_take(jw_buf_bytes(&text->text), b, after, k->err))
        return false;
    if (after->n == 0 && !b.joint)
        step.done = JW_ENV_REMOVED;
    if (!k->o->dry_run
        && !(step.done == JW_ENV_REMOVED ? jw_env_text_remove(text, k->err)
                                         : jw_env_text_write(text, jw_buf_bytes(after), k->err)))
        return false;
    return env_add_step(k, step);
}

/* Empty folders above a file in the home; if the file did not exist, only the one named jitwarm. */
static bool drop_above(struct applier *k, const char *path, bool was)
{
    bool ok = true;

    while (ok && k->o->scope == JW_ENV_USER && !k->o->dry_run) {
        path = jw_path_dir(k->a, path);
        if (strcmp(path, k->s->home) == 0 || (!was && strcmp(jw_path_base(path), "jitwarm") != 0))
            break;
        ok = jw_env_folder_drop(path, k->err);
    }
    return ok;
}

static bool take_from_file(struct applier *k, const char *path, bool own)
{
    struct jw_buf now = JW_BUF(JW_MAX_CONF), after = JW_BUF(JW_MAX_CONF);
    struct jw_env_text text = { 0 };
    bool ok = true, ours = look_into(path, &now).to > 0;

    if (ours)
        ok = take_out(k, path, &text, &after);
    if (!k->o->dry_run && own)
        ours = jw_env_text_sweep(path) || ours; /* left by a run that was killed */
    jw_buf_free(&now);
    jw_buf_free(&after);
    jw_env_text_free(&text);
    return ok && (!own || drop_above(k, path, ours));
}

/* In reverse order. */
bool env_take(struct applier *k)
{
    struct jw_env_where w = where(k);
    const char **paths;
    size_t n, n_own;
    jw_env_candidates(&w, k->a, &paths, &n, &n_own);
    bool ok = true;

    while (ok && n-- > 0)
        ok = take_from_file(k, paths[n], n < n_own);
    return ok;
}
