#include "base/limits.h"
#include "base/path.h"
#include "fleet/format/ref.h"
#include "machine/login.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "pack/keys/keys.h"
#include "setup/parts.h"

#include <string.h>

static bool add_source(struct jw_buf *out, const char *text, struct jw_arena *a, struct jw_err *err)
{
    struct jw_ref ref = {0};

    if (!jw_ref_parse(text, a, &ref, err))
        return jw_wrap(err, "--source");
    if (ref.path && !jw_path_absolute(text))
        return jw_fail(err, JW_E_USAGE, "--source: %.200s is not an absolute path", text);
    if (strpbrk(text, "#\n\r"))
        return jw_fail(err, JW_E_USAGE, "--source: %.200s cannot stand in jitwarm's settings",
                       text);
    jw_buf_printf(out, "source = %s\n", text);
    return true;
}

/* Writes the key itself, not the name of its file: a user who can write to a share cannot exchange
 * it later. */
static bool add_keys(struct jw_buf *out, const struct jw_startup *s, struct jw_err *err)
{
    const struct jw_config *conf = jw_session_config(s->run->session);
    struct jw_trusted_keys keys = {0};
    char line[JW_MINISIGN_LINE + 1];

    for (size_t i = 0; i < s->trust.n; i++) {
        if (!jw_keys_load((struct jw_texts){&s->trust.v[i], 1}, NULL, s->run->a, &keys, err))
            return jw_wrap(err, err->code == JW_E_TRUST
                                    ? "--trust (its text, RW..., may stand for the file)"
                                    : "--trust");
        jw_minisign_show_public(line, &keys.v[0].key); /* given ones are first */
        jw_buf_printf(out, "trust = %s\n", line);
    }
    return s->trust.n
           || (jw_keys_load((struct jw_texts){0}, conf, s->run->a, &keys, err) && keys.n > 0)
           || jw_fail(err, JW_E_USAGE,
                      "--source needs --trust KEY: no key is trusted here, so nothing of a source "
                      "would be taken");
}

static const char *lines_of(const struct jw_startup *s, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    bool ok = true;

    jw_buf_printf(&text, "# Written by jitwarm " JITWARM_VERSION
                         ": jitwarm startup install. jitwarm startup remove takes it away.\n");
    for (size_t i = 0; ok && i < s->sources.n; i++)
        ok = add_source(&text, s->sources.v[i], s->run->a, err);
    return ok && add_keys(&text, s, err) && jw_buf_ok(&text, err) ? jw_buf_cstr(&text) : NULL;
}

/* Adds the step of jitwarm/startup.conf, the lines of --source and --trust beside jitwarm.conf, if
 * that is to be written or removed. */
static bool find_enrolment(struct jw_startup *s, bool texts, struct jw_err *err)
{
    struct jw_arena *a = s->run->a;
    bool enrols = s->sources.n || s->trust.n;
    const char *config = s->everybody ? jw_env_config_system(a) : jw_env_config_user(a);
    const char *root = s->everybody ? jw_session_sysroot(s->run->session) : "";
    const char *folder = config ? jw_arena_printf(a, "%s%s", root, config) : NULL;
    const char *text = texts && enrols ? lines_of(s, err) : NULL;

    if (texts && enrols && !text)
        return false;
    if (!folder)
        return !enrols || jw_fail(err, JW_E_IO, "this user has no folder for settings");
    if (!texts || enrols) /* an earlier enrolment stays */
        jw_step_look(&s->steps, JW_STEP_FILE, jw_path_join(a, folder, "jitwarm/startup.conf"),
                     folder, text, a);
    return true;
}

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

    if (!begin(run, s, err) || !find_enrolment(s, true, err) || !startup_may_install(s, err))
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
    if (!find_enrolment(s, false, err) || !startup_find(s, false, err)
        || !find_enrolment(&all, false, err) || !startup_find(&all, false, err))
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
