#include "session/session.h"
#include "setup/startup/startup_conf.h"
#include "setup/startup/startup_parts.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <stdarg.h>

enum { MAX_STEPS = 12, BUSY = 7 };

/* Variables that change what a run does. systemd's user manager does not have those that only a shell's file sets. */
static const char *const pinned[] = {
    "CUDA_CACHE_PATH", "CUDA_CACHE_MAXSIZE", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
    "JITWARM_DRIVER",  "JITWARM_STATE",      "JITWARM_STORE",
};

const char *const jw_startup_kind_names[] = { "file", "link", "task", "lines", "command" };

struct jw_startup_step *startup_add_step(struct startup *s, enum jw_startup_kind kind, const char *path,
                                         struct jw_err *err)
{
    struct jw_startup_step *step =
        jw_list_add(s->run->a, &s->out->steps, &s->out->n_steps, sizeof *step, MAX_STEPS, err);

    if (step)
        *step = (struct jw_startup_step){ .kind = kind, .path = path };
    return step;
}

void startup_problem(struct startup *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    jw_run_end(s->run, JW_END_PARTLY, "%s", jw_arena_say(s->run->a, fmt, args));
    va_end(args);
}

/* ---- begin ---- */

static bool find_self(struct startup *s, struct jw_err *err)
{
    struct jw_buf self = JW_BUF_IN(s->run->a, JW_MAX_PATH);
    bool ok = true;

    s->spec.exe = s->run->session->exe;
    if (!s->spec.exe) {
        ok = jw_process_self(&self, err);
        s->spec.exe = ok ? jw_buf_cstr(&self) : NULL;
    }
    return ok;
}

static bool begin_startup(struct startup *s, struct jw_err *err)
{
    *s->out = (struct jw_startup_report){ .run = s->run, .everybody = s->o->everybody };
    jw_run_begin(s->run);
    s->spec = (struct jw_startup_spec){ .version = JITWARM_VERSION,
                                        .as_root = s->o->as_root,
                                        .everybody = s->o->everybody };
    return find_self(s, err) && startup_look_around(s, err);
}

static void say_command(struct startup *s)
{
    const char *const *words = jw_startup_command(&s->spec, s->run->a);

    s->out->program = s->spec.exe;
    s->out->command = jw_command_text(s->run->a, words, jw_os_is_windows());
}

/* ---- install ---- */

static void pin(struct startup *s)
{
    struct jw_child_edit *set = jw_arena_alloc(s->run->a, JW_COUNT(pinned) * sizeof *set);

    for (size_t i = 0; !s->o->everybody && !jw_os_is_windows() && i < JW_COUNT(pinned); i++) {
        const char *value = jw_env(s->run->a, pinned[i]);

        if (!value || !*value)
            continue;
        set[s->spec.n_set++] = (struct jw_child_edit){ pinned[i], value };
        jw_note(&s->run->notes, s->run->a, "the unit sets %s=%.200s, as in this shell", pinned[i], value);
    }
    s->spec.set = set;
}

/* Root's runs would fill root's cache, which other users' programs do not use. */
static bool check_user(struct startup *s, struct jw_err *err)
{
    if (s->o->everybody || s->o->as_root || jw_os_is_windows() || !jw_process_elevated())
        return true;
    return jw_fail(err, JW_E_USAGE,
                   "as root it would prime root's cache. Run it as the user whose programs are slow, or use "
                   "--system for every user, or --as-root");
}

static bool all_same(const struct startup *s)
{
    for (size_t i = 0; i < s->out->n_steps; i++)
        if (!s->out->steps[i].same)
            return false;
    return true;
}

bool jw_startup_install(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                        struct jw_err *err)
{
    struct startup s = { .o = o, .run = run, .out = out };

    if (!begin_startup(&s, err) || !check_user(&s, err))
        return false;
    if (!jw_path_absolute(s.spec.exe))
        return jw_fail(err, JW_E_IO, "%.250s is not an absolute path", s.spec.exe);
    pin(&s);
    if (!startup_may_install(&s, err))
        return false;
    if (run->ended)
        return true;
    if (!startup_find(&s, FOR_INSTALL, err) || !startup_conf_find(&s, FOR_INSTALL, err))
        return false;
    say_command(&s);
    if (all_same(&s)) {
        jw_run_end(run, JW_END_NOTHING, "%s", "");
        return true;
    }
    return o->dry_run || (startup_conf_put(&s, err) && startup_put(&s, err));
}

/* ---- what is installed ---- */

static bool any_found(const struct startup *s)
{
    for (size_t i = 0; i < s->out->n_steps; i++)
        if (s->out->steps[i].found)
            return true;
    return false;
}

bool jw_startup_remove(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err)
{
    struct startup s = { .o = o, .run = run, .out = out };

    if (!begin_startup(&s, err) || !startup_find(&s, FOR_REMOVE, err)
        || !startup_conf_find(&s, FOR_REMOVE, err))
        return false;
    if (any_found(&s))
        return o->dry_run || (startup_take(&s, err) && startup_conf_take(&s, err));
    out->n_steps = 0;
    jw_run_end(run, JW_END_NOTHING, "%s", "");
    return true;
}

/* Lines in jitwarm.conf alone are no installation. */
static bool look_at_all(struct startup *s, struct jw_err *err)
{
    return startup_find(s, FOR_STATUS, err) && (!any_found(s) || startup_conf_find(s, FOR_STATUS, err));
}

/* An installation for all users counts for this user, too. `all` must outlive `s`. */
static bool find_for_this_user(struct startup *s, struct jw_startup_options *all, struct jw_err *err)
{
    if (!begin_startup(s, err) || !look_at_all(s, err))
        return false;
    if (any_found(s) || s->o->everybody)
        return true;
    *all = *s->o;
    all->everybody = true;
    s->o = all;
    if (!begin_startup(s, err) || !look_at_all(s, err))
        return false;
    s->out->everybody = any_found(s);
    return true;
}

/* ---- status ---- */

static const char *install_command(const struct startup *s)
{
    return s->out->everybody ? "sudo jitwarm startup install --system" : "jitwarm startup install";
}

/* The command, or why install refuses on this machine, and what is done instead. */
static const char *how_to_install(const struct startup *s)
{
    struct jw_run run = jw_session_run(s->run->session);
    struct startup asked = *s;
    struct jw_err ignored;

    asked.run = &run;
    return startup_may_install(&asked, &ignored) && run.ended ? run.why : install_command(s);
}

/* False: something is missing, and the run has ended. */
static bool is_whole(struct startup *s)
{
    for (size_t i = 0; i < s->out->n_steps; i++) {
        const struct jw_startup_step *step = &s->out->steps[i];

        if (step->why)
            startup_problem(s, "%s", step->why);
        else if (!step->found)
            startup_problem(s, "%s: run %s",
                            step->kind == JW_STARTUP_LINK ? "it is installed, but not enabled"
                                                          : "a file is missing",
                            install_command(s));
        if (s->run->ended)
            return false;
    }
    if (s->out->program && !jw_is_file(s->out->program))
        startup_problem(s, "its program %.200s does not exist: run %s", s->out->program, install_command(s));
    return !s->run->ended;
}

static void check_last_run(struct startup *s)
{
    if (!s->out->ran)
        jw_run_end(s->run, JW_END_NOTHING, "%s", "");
    else if (s->out->last_exit && s->out->last_exit != BUSY)
        startup_problem(s, "its last run ended with %lu", s->out->last_exit);
}

bool jw_startup_status(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err)
{
    struct jw_startup_options all;
    struct startup s = { .o = o, .run = run, .out = out };

    if (!find_for_this_user(&s, &all, err))
        return false;
    out->installed = any_found(&s);
    if (!out->installed) {
        out->everybody = o->everybody;
        startup_problem(&s, "it is not installed: %s", how_to_install(&s));
        out->n_steps = 0;
        return true;
    }
    if (!is_whole(&s))
        return true;
    if (!startup_ask(&s, err))
        return false;
    if (!run->ended)
        check_last_run(&s);
    return true;
}

bool jw_startup_is_installed(struct jw_session *session)
{
    const struct jw_startup_options defaults = { 0 };
    struct jw_startup_options all;
    struct jw_startup_report r = { 0 };
    struct jw_run run = jw_session_run(session);
    struct startup s = { .o = &defaults, .run = &run, .out = &r };
    struct jw_err ignored;
    bool known = find_for_this_user(&s, &all, &ignored) && r.n_steps;

    for (size_t i = 0; known && i < r.n_steps; i++)
        known = r.steps[i].found;
    return known;
}

bool jw_startup_is_possible(struct jw_session *session)
{
    const struct jw_startup_options defaults = { 0 };
    struct jw_startup_report r = { 0 };
    struct jw_run run = jw_session_run(session);
    struct startup s = { .o = &defaults, .run = &run, .out = &r };
    struct jw_err ignored;

    return begin_startup(&s, &ignored) && startup_may_install(&s, &ignored) && !run.ended;
}
