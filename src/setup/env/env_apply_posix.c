/* env apply on Linux: settings are blocks in files that logins read. */
#include "setup/env/env_apply_parts.h"

#include "base/limits.h"
#include "base/path.h"
#include "machine/listing.h"
#include "machine/textfile.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "session/session.h"
#include "setup/env/env_block.h"
#include "setup/env/env_files.h"

#include <string.h>

/* A file with its present and its new content. */
struct env_change {
    const struct env_file *file;
    struct jw_textfile was;
    struct jw_buf after;
};

struct env_plan {
    struct env_change v[ENV_FILES_MAX];
    size_t n;
};

bool env_may_write(struct applier *k)
{
    if (k->o->system)
        return *jw_session_sysroot(k->session) || k->o->dry_run || jw_process_elevated()
               || jw_fail(k->err, JW_E_IO, "only root can write to /etc: sudo jitwarm env apply --system");
    if (!k->home)
        return jw_fail(k->err, JW_E_IO,
                       "this user has no home folder (HOME is not set), so settings cannot be stored");
    return jw_is_folder(k->home)
           || jw_fail(k->err, JW_E_IO, "the home folder %.300s %s, so settings cannot be stored", k->home,
                      jw_why_no_folder(k->home));
}

/* ---- which files ---- */

/* The shell from the user database, if the home is the same there; else that of this process. */
static const char *login_shell(struct applier *k)
{
    struct jw_login_user user;
    const char *shell = jw_env(k->a, "SHELL");
    bool known = jw_login_user(k->a, &user) && *user.shell;

    if (known && k->home && strcmp(user.home, k->home) == 0)
        return user.shell;
    return shell && *shell ? shell : known ? user.shell : NULL;
}

static size_t find_files(struct applier *k, struct env_file out[ENV_FILES_MAX], struct jw_notes *notes)
{
    const struct env_where w = { .system = k->o->system,
                                 .sysroot = jw_session_sysroot(k->session),
                                 .home = k->home,
                                 .zdotdir = jw_env(k->a, "ZDOTDIR"),
                                 .shell = login_shell(k) };

    return env_files_find(&w, k->a, out, notes);
}

/* ---- what an earlier run wrote ---- */

static bool read_settings(struct applier *k, const char *path, struct jw_bytes text)
{
    struct jw_env_set set = { 0 };
    struct env_block b;

    if (!env_block_find(text, &b, k->err))
        return jw_wrap(k->err, "%.300s", path);
    if (!b.to)
        return true;
    if (!jw_env_file_systemd((struct jw_bytes){ text.p + b.lines_from, b.lines_to - b.lines_from }, path,
                             k->a, &set, k->err))
        return false;
    for (size_t i = 0; i < set.n; i++)
        env_keep_before(k, set.v[i].name, set.v[i].value);
    return true;
}

/* The file of environment.d has all settings. */
bool env_read_before(struct applier *k)
{
    struct env_file files[ENV_FILES_MAX];
    struct jw_notes ignored_notes = { 0 };
    struct jw_err ignored = { 0 };
    struct jw_buf text = JW_BUF_IN(k->a, JW_MAX_CONF);
    bool found = false, ok = true;

    if (find_files(k, files, &ignored_notes) && jw_file_slurp(files[0].path, &text, &found, &ignored)
        && found)
        ok = read_settings(k, files[0].path, jw_buf_bytes(&text));
    return ok;
}

/* ---- apply ---- */

/* NULL: a form cannot hold one of the values. */
static const char *lines_of(struct applier *k, enum jw_env_form form)
{
    struct jw_buf lines = JW_BUF_IN(k->a, JW_MAX_LINE * JW_ENV_VARIABLES);
    const char *text = NULL;
    bool ok = true;

    for (size_t i = 0; ok && i < k->out->n_settings; i++)
        ok = jw_env_put(form, k->out->settings[i].name, k->out->settings[i].value, &lines, k->err);
    if (ok)
        text = jw_buf_cstr(&lines);
    return text;
}

static bool is_same(const struct env_change *c)
{
    return c->was.exists && c->after.n == c->was.text.n
           && (!c->was.text.n || memcmp(c->after.p, c->was.text.p, c->was.text.n) == 0);
}

static bool plan_file(struct applier *k, struct env_change *c)
{
    const char *path = c->file->path, *lines = lines_of(k, c->file->form);
    struct env_block b;

    if (!lines || !jw_textfile_read(path, k->a, &c->was, k->err))
        return false;
    c->was.for_all = k->o->system;

    struct jw_bytes text = jw_buf_bytes(&c->was.text);

    if (!env_block_find(text, &b, k->err) || !env_block_put(text, c->was.exists, lines, &c->after, k->err))
        return jw_wrap(k->err, "%.300s", path);
    return env_add_step(k, (struct jw_env_step){ JW_ENV_FILE, path, lines,
                                                 is_same(c)       ? JW_ENV_SAME
                                                 : !c->was.exists ? JW_ENV_CREATED
                                                 : b.to           ? JW_ENV_CHANGED
                                                                  : JW_ENV_ADDED,
                                                 NULL });
}

bool env_plan(struct applier *k)
{
    struct env_file *files = jw_arena_alloc(k->a, ENV_FILES_MAX * sizeof *files);
    size_t n = find_files(k, files, &k->out->notes);

    k->plan = jw_arena_alloc(k->a, sizeof *k->plan);
    *k->plan = (struct env_plan){ 0 };
    for (size_t i = 0; i < n; i++) {
        struct env_change *c = &k->plan->v[k->plan->n];

        if (!files[i].wanted)
            continue;
        *c = (struct env_change){ .file = &files[i], .after = JW_BUF(JW_MAX_CONF * 2) };
        k->plan->n++;
        if (!plan_file(k, c))
            return false;
    }
    return true;
}

bool env_write(struct applier *k)
{
    for (size_t i = 0; i < k->plan->n; i++) {
        struct env_change *c = &k->plan->v[i];

        if (is_same(c))
            continue;
        k->out->begun = true;
        if (!jw_textfile_write(&c->was, jw_buf_bytes(&c->after), k->err))
            return false;
    }
    return true;
}

void env_free(struct applier *k)
{
    for (size_t i = 0; k->plan && i < k->plan->n; i++) {
        jw_textfile_free(&k->plan->v[i].was);
        jw_buf_free(&k->plan->v[i].after);
    }
}

/* ---- undo ---- */

static bool take_block(struct applier *k, const struct jw_textfile *was, const struct env_block *b,
                       struct jw_buf *after)
{
    struct jw_env_step step = { .kind = JW_ENV_FILE, .path = was->path, .change = JW_ENV_RESTORED };

    step.text = jw_arena_text(k->a, (const char *)was->text.p + b->lines_from, b->lines_to - b->lines_from);
    if (!env_block_take(jw_buf_bytes(&was->text), b, after, k->err))
        return false;
    if (after->n == 0 && !b->joint) /* an empty file that was there before has the joint */
        step.change = JW_ENV_REMOVED;
    return (k->o->dry_run
            || (step.change == JW_ENV_REMOVED ? jw_textfile_remove(was, k->err)
                                              : jw_textfile_write(was, jw_buf_bytes(after), k->err)))
           && env_add_step(k, step);
}

/* True without a step: the file is missing, or has no block. */
static bool take_from(struct applier *k, const char *path, bool *ours)
{
    struct jw_buf text = JW_BUF_IN(k->a, JW_MAX_CONF), after = JW_BUF_IN(k->a, JW_MAX_CONF);
    struct jw_textfile was = { 0 };
    struct jw_err ignored = { 0 };
    struct env_block b = { 0 };
    bool found = false, ok = true;

    *ours = jw_file_slurp(path, &text, &found, &ignored) && found
            && (!env_block_find(jw_buf_bytes(&text), &b, &ignored) || b.to);
    if (*ours)
        ok = jw_textfile_read(path, k->a, &was, k->err)
             && (env_block_find(jw_buf_bytes(&was.text), &b, k->err) || jw_wrap(k->err, "%.300s", path))
             && (!b.to || take_block(k, &was, &b, &after));
    jw_textfile_free(&was);
    return ok;
}

/* Empty folders above a file in the home. */
static bool drop_folders(struct applier *k, const char *path)
{
    for (path = jw_path_dir(k->a, path); strlen(path) > strlen(k->home); path = jw_path_dir(k->a, path))
        if (!jw_textfile_drop_folder(path, k->err))
            return false;
    return true;
}

/* The profile first, which was written last. */
bool env_remove(struct applier *k)
{
    struct env_file files[ENV_FILES_MAX];
    struct jw_notes ignored = { 0 };

    for (size_t n = find_files(k, files, &ignored); n-- > 0;) {
        const struct env_file *f = &files[n];
        bool ours;

        if (!take_from(k, f->path, &ours))
            return false;
        if (k->o->dry_run || !f->is_jitwarms)
            continue;
        ours = jw_out_sweep_of(f->path) || ours; /* left by a run that was killed */
        if (ours && !k->o->system && !drop_folders(k, f->path))
            return false;
    }
    return true;
}
