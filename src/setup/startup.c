#include "base/limits.h"
#include "machine/login.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "setup/parts.h"

static bool begin(struct jw_run *run, struct jw_startup *s, struct jw_err *err)
{
    struct jw_buf self = JW_BUF_IN(run->a, JW_MAX_PATH);
    bool known = run->session->exe;
    bool ok = known || jw_process_self(&self, err);

    s->run = run;
    s->exe = known ? run->session->exe : jw_buf_cstr(&self);
    return ok;
}

/* Root's runs would fill root's cache, which other users' programs do not use. */
static bool check_user(const struct jw_startup *s, struct jw_err *err)
{
    if (s->everybody)
        return true;
    if (!s->as_root && !jw_os_is_windows() && jw_process_elevated())
        return jw_fail(err, JW_E_USAGE,
                       "as root it would prime root's cache: run it as the user whose programs are "
                       "slow, or with --system for every user");
    return jw_login_check_home(s->run->a, err);
}

static bool may_change(const struct jw_startup *s, struct jw_err *err)
{
    return !s->everybody || s->dry_run || *jw_session_sysroot(s->run->session)
           || jw_process_elevated()
           || jw_fail(
               err, JW_E_IO,
               "--system changes what every user has: run it as root (sudo) or as administrator");
}

static const char *line_of(const struct jw_startup *s, const char *verb, bool everybody)
{
    bool sudo = everybody && !jw_process_elevated() && !jw_os_is_windows();

    return jw_arena_printf(s->run->a, "%sjitwarm startup %s%s", sudo ? "sudo " : "", verb,
                           everybody ? " --system" : "");
}

static const char *problem_of(const struct jw_startup *s)
{
    for (size_t i = 0; i < s->steps.n; i++) {
        const struct jw_step *step = &s->steps.v[i];

        if (step->why)
            return step->why;
        if (!step->found)
            return jw_arena_printf(s->run->a, "%s is missing: run %s", step->path,
                                   line_of(s, "install", s->everybody));
    }
    return NULL;
}

bool jw_startup_install(struct jw_run *run, struct jw_startup *s, struct jw_err *err)
{
    struct jw_startup all = {.everybody = true, .run = run};

    if (!begin(run, s, err) || !startup_find_enrolment(s, true, err)
        || !startup_may_install(s, err))
        return false;
    if (run->ended
        && !s->steps.n) /* for no user at all: this is said before for whom it would be */
        return true;
    if (!check_user(s, err) || !may_change(s, err))
        return false;
    if (run->ended) /* primes take from there without a task, too */
        return jw_steps_write(&s->steps, s->dry_run, run->a, err);
    /* Does the --system unit serve this user already? It does not serve root: see the condition of
     * the service. */
    if (!s->everybody && !s->as_root && !startup_find(&all, false, err))
        return false;
    bool covered = all.steps.n && !problem_of(&all);
    if ((!covered && !startup_find(s, true, err))
        || !jw_steps_write(&s->steps, s->dry_run, run->a, err))
        return false;
    s->installed = !s->dry_run;
    s->everybody |= covered;
    if (jw_steps_same(&s->steps))
        return jw_run_done(run, JW_END_NOTHING);
    return covered || s->dry_run || startup_apply(s, true, err);
}

bool jw_startup_remove(struct jw_run *run, struct jw_startup *s, struct jw_err *err)
{
    struct jw_startup all = {.everybody = true, .run = run};

    /* The program is not asked for: a machine without /proc does not show it. */
    (void)!begin(run, s, JW_IGNORED);
    if (!startup_find_enrolment(s, false, err) || !startup_find(s, false, err)
        || !startup_find_enrolment(&all, false, err) || !startup_find(&all, false, err))
        return false;
    if (jw_steps_found(&s->steps) && !may_change(s, err))
        return false;
    if (!jw_steps_remove(&s->steps, s->dry_run, run->a))
        jw_run_end(run, JW_END_PARTLY, "not all of it");
    if (jw_steps_found(&s->steps))
        return s->dry_run || startup_apply(s, false, err);
    s->line = jw_steps_found(&all.steps) ? line_of(s, "remove", true) : NULL;
    return jw_run_done(run, JW_END_NOTHING);
}

/* Says how it would be installed. */
static bool end_missing(struct jw_startup *s)
{
    struct jw_err no = {0};

    s->everybody |= !check_user(s, &no);
    if (startup_may_install(s, &no) && !s->run->ended)
        s->line = line_of(s, "install", s->everybody);
    return s->run->ended
           || jw_run_end(s->run, JW_END_PARTLY, "%s", s->line ? "it is not installed" : no.msg);
}

bool jw_startup_status(struct jw_run *run, struct jw_startup *s, struct jw_err *err)
{
    bool asked = s->everybody;
    const char *why;

    if (!begin(run, s, err) || !startup_find(s, false, err))
        return false;
    if (!jw_steps_found(&s->steps) && !asked) {
        s->everybody = true;
        s->steps.n = 0;
        if (!startup_find(s, false, err))
            return false;
    }
    s->installed = jw_steps_found(&s->steps);
    s->everybody = s->installed ? s->everybody : asked;
    if (!s->installed)
        return end_missing(s);
    why = problem_of(s);
    why = why ? why : startup_task_problem(s);
    return !why || jw_run_end(run, JW_END_PARTLY, "%s", why);
}
