#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "session/session.h"
#include "setup/startup_system.h"

static bool begin(struct startup *s, struct jw_err *err)
{
    struct jw_buf self = JW_BUF_IN(s->run->a, JW_MAX_PATH);

    *s->out = (struct jw_startup_report){ .run = s->run, .everybody = s->o->everybody };
    jw_run_begin(s->run);
    s->spec = (struct jw_startup_spec){ .version = JITWARM_VERSION,
                                        .exe = s->run->session->exe,
                                        .as_root = s->o->as_root,
                                        .everybody = s->o->everybody };
    if (s->spec.exe)
        return true;
    if (!jw_process_self(&self, err))
        return false;
    s->spec.exe = jw_buf_cstr(&self);
    return true;
}

static const char *conf_folder(const struct startup *s)
{
    struct jw_arena *a = s->run->a;

    return !s->o->everybody
               ? jw_env_config_user(a)
               : jw_arena_printf(a, "%s%s", jw_session_sysroot(s->run->session), jw_env_config_system(a));
}

/* Root's runs would fill root's cache, which other users' programs do not use. */
static bool check_user(const struct startup *s, struct jw_err *err)
{
    return s->o->everybody || s->o->as_root || jw_os_is_windows() || !jw_process_elevated()
           || jw_fail(err, JW_E_USAGE,
                      "as root it would prime root's cache: run it as the user whose programs are slow, or "
                      "with --system for every user");
}

static bool may_change(const struct startup *s, struct jw_err *err)
{
    return !s->o->everybody || s->o->dry_run || *jw_session_sysroot(s->run->session) || jw_process_elevated()
           || jw_fail(err, JW_E_IO,
                      "--system changes what every user has: run it as root (sudo) or as administrator");
}

static bool change(struct startup *s, struct jw_step *step, bool put, struct jw_err *err)
{
    if (step->kind == JW_STEP_TASK || (put ? step->same : !step->found))
        return true;
    return put ? jw_step_write(step, s->run->a, err) : jw_step_remove(step, s->run->a, err);
}

/* What a killed run left beside the files; removing, also the folders that it made. */
static void sweep_steps(struct startup *s, bool put)
{
    for (size_t i = 0; i < s->out->steps.n && !s->o->dry_run; i++) {
        const struct jw_step *step = &s->out->steps.v[i];
        const char *folder = jw_path_dir(s->run->a, step->path);

        if (step->kind == JW_STEP_TASK)
            continue;
        jw_out_sweep(folder);
        if (!put)
            jw_step_drop_folders(folder, step->top, s->run->a);
    }
}

/* Removes in the other order, so that one that is cut short leaves nothing that starts. */
static bool change_all(struct startup *s, bool put, struct jw_err *err)
{
    size_t n = s->out->steps.n;

    for (size_t i = 0; i < n; i++)
        if (!change(s, &s->out->steps.v[put ? i : n - 1 - i], put, err))
            return false;
    return startup_tell(s, put, err);
}

bool jw_startup_install(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                        struct jw_err *err)
{
    struct startup s = { .o = o, .run = run, .out = out };

    if (!begin(&s, err) || !check_user(&s, err))
        return false;
    if (!jw_path_absolute(s.spec.exe))
        return jw_fail(err, JW_E_IO, "%.250s is not an absolute path", s.spec.exe);
    if (!may_change(&s, err) || !startup_may_install(&s, err))
        return false;
    if (run->ended)
        return true;
    if (!startup_enrol_find(&s, conf_folder(&s), true, err) || !startup_find(&s, true, err))
        return false;
    out->command = jw_command_text(run->a, jw_startup_command(&s.spec, run->a), jw_os_is_windows());
    for (size_t i = 0; i < out->steps.n; i++)
        if (out->steps.v[i].why)
            return jw_fail(err, JW_E_IO, "%s", out->steps.v[i].why);
    out->installed = !o->dry_run;
    sweep_steps(&s, true);
    if (jw_steps_same(&out->steps))
        return jw_run_end(run, JW_END_NOTHING, "%s", "");
    return o->dry_run || change_all(&s, true, err);
}

bool jw_startup_remove(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err)
{
    struct startup s = { .o = o, .run = run, .out = out };

    if (!begin(&s, err) || !startup_enrol_find(&s, conf_folder(&s), false, err)
        || !startup_find(&s, false, err))
        return false;
    sweep_steps(&s, false);
    if (jw_steps_found(&out->steps))
        return o->dry_run || (may_change(&s, err) && change_all(&s, false, err));
    return jw_run_end(run, JW_END_NOTHING, "%s", "");
}

static const char *install_line(const struct startup *s)
{
    return !s->o->everybody     ? "jitwarm startup install"
           : jw_os_is_windows() ? "jitwarm startup install --system (as administrator)"
                                : "sudo jitwarm startup install --system";
}

/* What is wrong with it; NULL: nothing is seen. */
static const char *problem_of(struct startup *s)
{
    for (size_t i = 0; i < s->out->steps.n; i++) {
        const struct jw_step *step = &s->out->steps.v[i];

        if (step->why)
            return step->why;
        if (!step->found)
            return jw_arena_printf(s->run->a, "%s is missing: run %s", step->path, install_line(s));
    }
    return startup_ask(s);
}

bool jw_startup_status(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err)
{
    struct jw_startup_options of = *o;
    struct startup s = { .o = &of, .run = run, .out = out };
    const char *why;

    if (!begin(&s, err) || !startup_find(&s, false, err))
        return false;
    if (!jw_steps_found(&out->steps) && !of.everybody) {
        of.everybody = true;
        if (!begin(&s, err) || !startup_find(&s, false, err))
            return false;
    }
    out->installed = jw_steps_found(&out->steps);
    if (!out->installed) {
        of.everybody = o->everybody;
        return jw_run_end(run, JW_END_PARTLY, "it is not installed: %s", install_line(&s));
    }
    why = problem_of(&s);
    return !why || jw_run_end(run, JW_END_PARTLY, "%s", why);
}
