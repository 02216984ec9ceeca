/* Units of systemd's user manager: a service, the path unit that starts it after an update of the driver, and a timer; and the link
 * that enables the timer. */
#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/listing.h"
#include "machine/textfile.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "session/session.h"
#include "setup/startup_system.h"
#include "setup/step_system.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINK_TEXT "../jitwarm-startup.timer"

enum { COMMAND_MS = 20000 };

static const char *in_system(const struct startup *s, const char *name)
{
    const char *root = jw_session_sysroot(s->run->session);

    return jw_path_join(s->run->a, *root ? root : "/", name);
}

/* The folder of units; NULL: this user has none. */
static const char *units_of(const struct startup *s)
{
    const char *config = jw_env_config_user(s->run->a);

    return s->o->everybody ? in_system(s, "etc/systemd/user")
           : config        ? jw_path_join(s->run->a, config, "systemd/user")
                           : NULL;
}

/* systemctl, where this user's manager is running, by the socket that it makes before it starts anything; else NULL. */
static const char *systemctl_of(const struct startup *s)
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

static bool others_may_write(const struct stat *st)
{
    return st->st_uid != 0 || st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != 0);
}

/* Only root may change this program and the folders above it. */
static bool check_program(const struct startup *s, struct jw_err *err)
{
    const char *exe = s->spec.exe, *at = exe;

    for (struct stat st;; at = jw_path_dir(s->run->a, at)) {
        if (stat(at, &st) != 0)
            return jw_fail(err, JW_E_IO, "%.250s: %s", at, strerror(errno));
        if (others_may_write(&st))
            return jw_fail(err, JW_E_IO,
                           "every user would run %.120s, and others than root may change %.120s; install "
                           "jitwarm where only root writes, "
                           "as a package does",
                           exe, at);
        if (strcmp(at, "/") == 0)
            return true;
    }
}

static bool may_change(const struct startup *s, struct jw_err *err)
{
    return !s->o->everybody || s->o->dry_run || *jw_session_sysroot(s->run->session) || geteuid() == 0
           || jw_fail(err, JW_E_IO, "--system changes files of every user: run it as root, with sudo");
}

bool startup_may_install(struct startup *s, struct jw_err *err)
{
    /* sd_booted(3) is this very question. */
    if (!jw_is_folder(in_system(s, "run/systemd/system")))
        return jw_run_end(s->run, JW_END_STOPPED,
                          "this machine does not run systemd: have what starts programs after a login run "
                          "jitwarm prime --background%s",
                          s->o->sources.n ? "; its source = REF and trust = KEY are lines of jitwarm.conf"
                                          : "");
    return may_change(s, err)
           && (!s->o->everybody || *jw_session_sysroot(s->run->session) || check_program(s, err));
}

/* ---- what is there ---- */

static void look_at_link(struct jw_step *step, struct jw_arena *a)
{
    char text[PATH_MAX];
    ssize_t n = readlink(step->path, text, sizeof text - 1);

    if (n < 0 && (errno == ENOENT || errno == ENOTDIR))
        return;
    step->found = step->same =
        n > 0 && strcmp(jw_path_base(jw_arena_text(a, text, (size_t)n)), jw_unit_names[JW_UNIT_TIMER]) == 0;
    if (!step->found)
        step->why = jw_arena_printf(a, "%s is not jitwarm's; it is not changed", step->path);
}

static void find_program(struct startup *s, const char *path)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_err ignored;
    bool found;

    if (jw_file_slurp(path, &text, &found, &ignored) && found)
        s->out->program = jw_startup_program(jw_buf_cstr(&text), s->run->a);
    jw_buf_free(&text);
}

bool startup_find(struct startup *s, bool texts, struct jw_err *err)
{
    const char *units = units_of(s);
    struct jw_arena *a = s->run->a;

    if (!units)
        return !texts || jw_fail(err, JW_E_IO, "this user has no folder for systemd units (is HOME unset?)");
    for (unsigned i = 0; i < JW_UNITS; i++) {
        struct jw_step *step =
            jw_step_add(&s->out->steps, JW_STEP_FILE, jw_path_join(a, units, jw_unit_names[i]), a);

        if (texts && !(step->text = jw_startup_unit((enum jw_unit)i, &s->spec, a, err)))
            return false;
        jw_step_look(step, JW_UNIT_MARK, a);
        if (i == JW_UNIT_SERVICE && step->found)
            find_program(s, step->path);
    }
    /* It enables the rest, so it comes last. */
    look_at_link(
        jw_step_add(&s->out->steps, JW_STEP_LINK,
                    jw_path_join(a, units,
                                 jw_arena_printf(a, "timers.target.wants/%s", jw_unit_names[JW_UNIT_TIMER])),
                    a),
        a);
    return true;
}

/* ---- change it ---- */

static void run_command(struct startup *s, const char *systemctl, const char *verb, const char *unit)
{
    const char *const argv[] = { systemctl, "--user", verb, unit, NULL };
    const char *line = JW_COMMAND(s->run->a, false, "systemctl", "--user", verb, unit);
    struct jw_step *step = jw_step_add(&s->out->steps, JW_STEP_COMMAND, line, s->run->a);
    struct jw_buf out = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    struct jw_err why = { 0 };
    int code = 0;
    bool ran = jw_process_capture(systemctl, argv, COMMAND_MS, &out, &code, &why);

    step->done = ran && code == 0;
    if (!step->done)
        step->why = ran ? jw_arena_printf(s->run->a, "%s: exit code %d", line, code)
                        : jw_arena_printf(s->run->a, "%s: %s", line, why.msg);
    if (step->why && !s->run->ended)
        jw_run_end(s->run, JW_END_PARTLY, "%s", step->why);
}

static bool put_link(const struct startup *s, struct jw_step *step, struct jw_err *err)
{
    const char *folder = jw_path_dir(s->run->a, step->path);

    if (!jw_textfile_make_folder(folder, s->o->everybody, err))
        return jw_wrap(err, "%.250s", folder);
    step->done = symlink(LINK_TEXT, step->path) == 0;
    return step->done || jw_fail(err, JW_E_IO, "%.250s: %s", step->path, strerror(errno));
}

bool startup_put(struct startup *s, struct jw_err *err)
{
    const char *systemctl = s->o->everybody ? NULL : systemctl_of(s);
    size_t n = s->out->steps.n;

    for (size_t i = 0; i < n; i++) {
        struct jw_step *step = &s->out->steps.v[i];
        bool ok = step->same                    ? true
                  : step->kind == JW_STEP_LINES ? startup_enrol_change(s, step, true, err)
                  : step->kind == JW_STEP_LINK  ? put_link(s, step, err)
                                                : jw_step_write(step, s->o->everybody, s->run->a, err);

        if (!ok)
            return false;
    }
    if (systemctl) {
        run_command(s, systemctl, "daemon-reload", NULL);
        run_command(s, systemctl, "restart",
                    jw_unit_names[JW_UNIT_TIMER]); /* at once, if 45 seconds since login are over */
    }
    return true;
}

static bool take_step(struct startup *s, struct jw_step *step, const char *top, struct jw_err *err)
{
    if (!step->found)
        return true;
    if (step->kind == JW_STEP_LINES)
        return startup_enrol_change(s, step, false, err);
    if (step->kind == JW_STEP_FILE)
        return jw_step_remove(step, top, s->run->a, err);
    if (unlink(step->path) != 0 && errno != ENOENT)
        return jw_fail(err, JW_E_IO, "%.250s: %s", step->path, strerror(errno));
    step->done = true;
    return true;
}

/* The link first, so that a remove that is cut short leaves nothing that starts. Folders that are empty then go, but those of the
 * system. */
bool startup_take(struct startup *s, struct jw_err *err)
{
    const char *systemctl = s->o->everybody ? NULL : systemctl_of(s), *units = units_of(s);
    const char *top =
        units && !s->o->everybody ? jw_path_dir(s->run->a, jw_path_dir(s->run->a, units)) : units;

    if (!may_change(s, err))
        return false;
    for (size_t i = s->out->steps.n; i-- > 0;)
        if (!take_step(s, &s->out->steps.v[i], top, err))
            return false;
    if (units)
        jw_step_drop_folders(jw_path_join(s->run->a, units, "timers.target.wants"), top, s->run->a);
    if (systemctl) {
        run_command(s, systemctl, "stop", jw_unit_names[JW_UNIT_TIMER]);
        run_command(s, systemctl, "daemon-reload", NULL);
    }
    return true;
}

/* ---- status ---- */

/* The text behind "NAME=" in what systemctl show prints; NULL: none. */
static const char *property(struct jw_arena *a, const char *shown, const char *name)
{
    const char *at = strstr(shown, name);

    at = at ? at + strlen(name) : "";
    return *at && *at != '\n' ? jw_arena_text(a, at, strcspn(at, "\n")) : NULL;
}

const char *startup_ask(struct startup *s)
{
    const char *systemctl = systemctl_of(s), *exit;
    const char *const active[] = { systemctl, "--user", "is-active", jw_unit_names[JW_UNIT_TIMER], NULL };
    const char *const show[] = { systemctl,
                                 "--user",
                                 "show",
                                 "--property=ExecMainExitTimestamp,ExecMainStatus",
                                 jw_unit_names[JW_UNIT_SERVICE],
                                 NULL };
    struct jw_buf out = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    struct jw_err ignored;
    int code = 0;

    s->out->log = "journalctl --user -u jitwarm-startup.service";
    if (!systemctl)
        return NULL; /* this user's manager does not run, and nothing is known */
    if (jw_process_capture(systemctl, active, COMMAND_MS, &out, &code, &ignored) && code)
        return "its timer is not active: run systemctl --user start jitwarm-startup.timer";
    jw_buf_clear(&out);
    if (jw_process_capture(systemctl, show, COMMAND_MS, &out, &code, &ignored) && !code) {
        exit = property(s->run->a, jw_buf_cstr(&out), "ExecMainStatus=");
        s->out->last = property(s->run->a, jw_buf_cstr(&out), "ExecMainExitTimestamp=");
        s->out->last_exit = exit ? strtoul(exit, NULL, 10) : 0;
    }
    return NULL;
}
