/* Units of systemd's user manager: a service, the path unit that starts it after an update of the
 * driver, and a timer; and the link that enables the timer. */
#include "base/limits.h"
#include "base/path.h"
#include "machine/paths.h"
#include "machine/trust.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "setup/parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SERVICE "jitwarm-startup.service"
#define TIMER "jitwarm-startup.timer"
#define LINK "timers.target.wants/" TIMER

static const struct {
    const char *name, *file;
} units[] = {{SERVICE, jw_startup_service_file},
             {"jitwarm-startup.path", jw_startup_path_file},
             {TIMER, jw_startup_timer_file}};

enum { COMMAND_MS = 20000 };

static const char *in_system(const struct jw_startup *s, const char *name)
{
    const char *root = jw_session_sysroot(s->run->session);

    return jw_path_join(s->run->a, *root ? root : "/", name);
}

static const char *units_of(const struct jw_startup *s)
{
    const char *config = jw_env_config_user(s->run->a);

    if (s->everybody)
        return in_system(s, "etc/systemd/user");
    return config ? jw_path_join(s->run->a, config, "systemd/user") : NULL;
}

/* Asks for the socket that this user's manager makes before it starts anything. */
static bool find_manager(const struct jw_startup *s, struct stat *socket)
{
    const char *runtime = jw_env(s->run->a, "XDG_RUNTIME_DIR");

    return runtime && stat(jw_path_join(s->run->a, runtime, "systemd/private"), socket) == 0
           && socket->st_uid == geteuid();
}

/* Only root may change this program and the folders above it. */
static bool check_program(const struct jw_startup *s, struct jw_err *err)
{
    struct jw_arena *a = s->run->a;
    const char *exe = s->exe;
    const char *at = NULL;
    struct jw_folder held = JW_FOLDER_CLOSED;
    struct jw_trust folder, file = {0};
    bool ok = jw_trust_check_path(jw_path_dir(a, exe), a, &held, &at, &folder, err)
              && (at || jw_trust_read(exe, a, &file, err));

    jw_folder_close(&held);
    at = (file.owner && file.uid) || file.writers ? exe : at;
    return ok
           && (!at
               || jw_fail(
                   err, JW_E_IO,
                   "every user would run %.120s, and others than root may change %.120s; install "
                   "jitwarm where only root writes, as a package does",
                   exe, at));
}

bool startup_may_install(struct jw_startup *s, struct jw_err *err)
{
    /* sd_booted(3) is this very question. */
    if (!jw_is_folder(in_system(s, "run/systemd/system")))
        return jw_run_end(s->run, JW_END_STOPPED, "this machine does not run systemd");
    return !s->everybody || *jw_session_sysroot(s->run->session) || check_program(s, err);
}

bool startup_find(struct jw_startup *s, bool texts, struct jw_err *err)
{
    struct jw_arena *a = s->run->a;
    const char *folder = units_of(s);
    const char *text = NULL;
    const char *top = s->everybody ? folder : jw_env_config_user(a);

    if (!folder)
        return !texts
               || jw_fail(err, JW_E_IO,
                          "this user has no folder for systemd units (is HOME unset?)");
    if (s->everybody && texts)
        (void)umask(022); /* all users may read the files that follow */
    for (size_t i = 0; i < JW_COUNT(units); i++) {
        if (texts && !(text = jw_startup_text(units[i].file, s, a, err)))
            return false;
        jw_step_look(&s->steps, JW_STEP_FILE, jw_path_join(a, folder, units[i].name), top, text, a);
    }
    /* The link enables the others, so it is the last step. */
    jw_step_look(&s->steps, JW_STEP_LINK, jw_path_join(a, folder, LINK), top,
                 texts ? "../" TIMER : NULL, a);
    return true;
}

static int systemctl(struct jw_startup *s, const char *verb, const char *unit, struct jw_buf *out)
{
    const char *const argv[] = {"systemctl", "--user", verb, unit, NULL};
    const char *path = jw_process_path(argv[0], s->run->a);
    int code = 0;

    return path && jw_process_capture(path, argv, COMMAND_MS, out, &code, JW_IGNORED) ? code : -1;
}

static void systemctl_or_end(struct jw_startup *s, const char *verb, const char *unit)
{
    struct jw_buf out = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    int code = systemctl(s, verb, unit, &out);

    if (code && !s->run->ended)
        (void)jw_run_end(s->run, JW_END_PARTLY, "systemctl --user %s%s%s: exit code %d", verb,
                         unit ? " " : "", unit ? unit : "", code);
}

bool startup_apply(struct jw_startup *s, bool put, struct jw_err *err)
{
    struct stat socket;

    (void)err;
    if (s->everybody || !find_manager(s, &socket))
        return true;
    if (!put)
        systemctl_or_end(s, "stop", "jitwarm-startup.*"); /* what runs now, too */
    systemctl_or_end(s, "daemon-reload", NULL);
    if (put)
        systemctl_or_end(s, "restart", TIMER); /* at once, if 45 seconds since login are over */
    return true;
}

/* Says why the last run failed; NULL: it did not. */
static const char *failure_of_run(struct jw_startup *s)
{
    static const char name[] = "\nExecMainStatus=";
    struct jw_buf out = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    const char *shown = systemctl(s, "show", SERVICE, &out) == 0 ? jw_buf_cstr(&out) : "";
    const char *value = strstr(shown, name);

    if (!value || !strstr(shown, "\nActiveState=failed\n"))
        return NULL;
    long status = strtol(value + strlen(name), NULL, 10);
    if (status >= 200) { /* one of systemd's own */
        s->line = s->log;
        return jw_arena_printf(s->run->a, "systemd could not start its last run (status %ld)",
                               status);
    }
    s->line = "jitwarm prime";
    return jw_arena_printf(s->run->a, "its last run failed (status %ld)", status);
}

const char *startup_task_problem(struct jw_startup *s)
{
    struct jw_buf out = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    struct stat socket, link;

    s->log = "journalctl --user -u " SERVICE;
    if (!find_manager(s, &socket))
        return NULL; /* nothing is known */
    bool begins_later = s->everybody && lstat(s->steps.v[s->steps.n - 1].path, &link) == 0
                        && link.st_mtime >= socket.st_mtime; /* with the next login */
    if (!begins_later && systemctl(s, "is-active", TIMER, &out) > 0) {
        s->line = "systemctl --user start " TIMER;
        return "its timer is not active";
    }
    return failure_of_run(s);
}
