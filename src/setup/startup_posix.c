/* Units of systemd's user manager: a service, the path unit that starts it after an update of the driver, and a timer; and the link
 * that enables the timer. */
#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "setup/parts.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SERVICE "jitwarm-startup.service"
#define TIMER "jitwarm-startup.timer"
#define LINK "timers.target.wants/" TIMER

enum { COMMAND_MS = 20000 };

static const char *in_system(const struct jw_startup *s, const char *name)
{
    const char *root = jw_session_sysroot(s->run->session);

    return jw_path_join(s->run->a, *root ? root : "/", name);
}

/* The folder of units; NULL: this user has none. */
static const char *units_of(const struct jw_startup *s)
{
    const char *config = jw_env_config_user(s->run->a);

    return s->everybody ? in_system(s, "etc/systemd/user")
           : config     ? jw_path_join(s->run->a, config, "systemd/user")
                        : NULL;
}

/* systemctl, where this user's manager is running, by the socket that it makes before it starts anything; else NULL. */
static const char *systemctl_of(const struct jw_startup *s)
{
    const char *runtime = jw_env(s->run->a, "XDG_RUNTIME_DIR");
    const char *socket =
        runtime && *runtime == '/' ? jw_path_join(s->run->a, runtime, "systemd/private") : NULL;
    struct jw_buf path = JW_BUF_IN(s->run->a, JW_MAX_PATH);
    struct jw_err ignored;
    struct stat st;
    bool found = false;

    if (!socket || stat(socket, &st) != 0 || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
        return NULL;
    return jw_process_find("systemctl", &path, &found, &ignored) && found ? jw_buf_cstr(&path) : NULL;
}

/* ---- may it be installed? ---- */

/* Only root may change this program and the folders above it. */
static bool check_program(const struct jw_startup *s, struct jw_err *err)
{
    struct jw_arena *a = s->run->a;
    const char *exe = s->exe, *at = NULL;
    struct jw_tree held = JW_TREE_CLOSED;
    struct jw_trust folder, file = { 0 };
    bool ok = jw_trust_check_path(jw_path_dir(a, exe), a, &held, &at, &folder, err)
              && (at || jw_trust_read(exe, a, &file, err));

    jw_tree_close(&held);
    at = file.owner || file.writers ? exe : at;
    return ok
           && (!at
               || jw_fail(err, JW_E_IO,
                          "every user would run %.120s, and others than root may change %.120s; install "
                          "jitwarm where only root writes, as a package does",
                          exe, at));
}

bool startup_may_install(struct jw_startup *s, struct jw_err *err)
{
    /* sd_booted(3) is this very question. */
    if (!jw_is_folder(in_system(s, "run/systemd/system")))
        return jw_run_end(s->run, JW_END_STOPPED,
                          "this machine does not run systemd: have what starts programs after a login run "
                          "jitwarm prime --background%s",
                          s->sources.n ? "; its source = REF and trust = KEY are lines of jitwarm.conf" : "");
    return !s->everybody || *jw_session_sysroot(s->run->session) || check_program(s, err);
}

/* ---- what is there ---- */

bool startup_find(struct jw_startup *s, bool texts, struct jw_err *err)
{
    struct jw_arena *a = s->run->a;
    const char *units = units_of(s), *text = NULL;
    const char *top = s->everybody ? units : jw_env_config_user(a);

    if (!units)
        return !texts || jw_fail(err, JW_E_IO, "this user has no folder for systemd units (is HOME unset?)");
    if (s->everybody)
        (void)umask(022); /* everybody may read them */
    for (unsigned i = 0; i < JW_UNITS; i++) {
        if (texts && !(text = jw_startup_unit((enum jw_unit)i, s, a, err)))
            return false;
        jw_step_look(&s->steps, JW_STEP_FILE, jw_path_join(a, units, jw_unit_names[i]), top, text, a);
    }
    /* It enables the rest, so it comes last. */
    jw_step_look(&s->steps, JW_STEP_LINK, jw_path_join(a, units, LINK), top, texts ? "../" TIMER : NULL, a);
    return true;
}

/* ---- ask and tell systemd ---- */

/* The exit code of systemctl; -1: it could not be run. */
static int ask(struct jw_startup *s, const char *systemctl, const char *verb, const char *unit)
{
    const char *const argv[] = { systemctl, "--user", verb, unit, NULL };
    struct jw_buf out = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    struct jw_err ignored;
    int code = 0;

    return jw_process_capture(systemctl, argv, COMMAND_MS, &out, &code, &ignored) ? code : -1;
}

static void run_command(struct jw_startup *s, const char *systemctl, const char *verb, const char *unit)
{
    int code = ask(s, systemctl, verb, unit);

    if (code && !s->run->ended)
        (void)jw_run_end(s->run, JW_END_PARTLY, "systemctl --user %s%s%s: exit code %d", verb,
                         unit ? " " : "", unit ? unit : "", code);
}

bool startup_tell(struct jw_startup *s, bool put, struct jw_err *err)
{
    const char *systemctl = s->everybody ? NULL : systemctl_of(s);

    (void)err;
    if (!systemctl)
        return true;
    if (!put)
        run_command(s, systemctl, "stop", TIMER);
    run_command(s, systemctl, "daemon-reload", NULL);
    if (put)
        run_command(s, systemctl, "restart", TIMER); /* at once, if 45 seconds since login are over */
    return true;
}

const char *startup_ask(struct jw_startup *s)
{
    const char *systemctl = systemctl_of(s);

    s->log = "journalctl --user -u " SERVICE;
    if (!systemctl)
        return NULL; /* this user's manager does not run, and nothing is known */
    if (ask(s, systemctl, "is-active", TIMER) > 0)
        return "its timer is not active: run systemctl --user start " TIMER;
    return ask(s, systemctl, "is-failed", SERVICE) == 0 ? "its last run failed" : NULL;
}
