/* systemd's user manager: a service, its timer, the path unit that comes and goes with that, and the link that
 * enables the timer. */
#include "session/session.h"
#include "setup/startup/startup_conf.h"
#include "setup/startup/startup_parts.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "machine/textfile.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALL_UNITS "etc/systemd/user"

#define ENABLED "timers.target.wants/" JW_STARTUP_TIMER
#define LINK_TEXT "../" JW_STARTUP_TIMER

enum { COMMAND_MS = 20000 };

struct startup_system {
    const char *sysroot;   /* "" but in tests */
    const char *systemctl; /* absolute, if this user's manager is running; else NULL */
    const char *units;     /* folder of units, or NULL */
};

/* ---- what is here ---- */

/* The socket of this user's manager, which it makes before it starts anything. */
static bool manager_answers(struct jw_arena *a)
{
    const char *runtime = jw_env(a, "XDG_RUNTIME_DIR");
    const char *socket = runtime && *runtime == '/' ? jw_path_join(a, runtime, "systemd/private") : NULL;
    struct stat st;

    return socket && stat(socket, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid();
}

static bool find_systemctl(struct startup *s, struct jw_err *err)
{
    struct jw_buf path = JW_BUF_IN(s->run->a, JW_MAX_PATH);
    bool found, ok = jw_process_find("systemctl", &path, &found, err);

    if (ok && found)
        s->system->systemctl = jw_buf_cstr(&path);
    return ok;
}

static const char *in_system(struct startup *s, const char *name)
{
    return jw_path_join(s->run->a, *s->system->sysroot ? s->system->sysroot : "/", name);
}

bool startup_look_around(struct startup *s, struct jw_err *err)
{
    const char *config = jw_env_config_user(s->run->a);

    s->system = jw_arena_alloc(s->run->a, sizeof *s->system);
    *s->system = (struct startup_system){ .sysroot = jw_session_sysroot(s->run->session) };
    s->system->units = s->o->everybody ? in_system(s, ALL_UNITS)
                       : config        ? jw_path_join(s->run->a, config, "systemd/user")
                                       : NULL;
    return !manager_answers(s->run->a) || find_systemctl(s, err);
}

/* ---- may it be installed? ---- */

static bool others_may_write(const struct stat *st)
{
    return st->st_uid != 0 || st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != 0);
}

/* Only root may change this program and the folders above it. */
static bool check_program(struct startup *s, struct jw_err *err)
{
    const char *exe = s->spec.exe, *at = exe;

    for (struct stat st;; at = jw_path_dir(s->run->a, at)) {
        if (stat(at, &st) != 0)
            return jw_fail(err, JW_E_IO, "%.250s: %s", at, strerror(errno));
        if (others_may_write(&st))
            break;
        if (strcmp(at, "/") == 0)
            return true;
    }
    return jw_fail(
        err, JW_E_IO,
        "every user would run %.120s, and others than root may change %s%.120s; install jitwarm where "
        "only root writes, as a package does",
        exe, strcmp(at, exe) == 0 ? "" : "the folder ", strcmp(at, exe) == 0 ? "it" : at);
}

static bool may_change_all(struct startup *s, struct jw_err *err)
{
    return !s->o->everybody || s->o->dry_run || *s->system->sysroot || geteuid() == 0
           || jw_fail(err, JW_E_IO, "--system changes files of every user: run it as root, with sudo");
}

bool startup_may_install(struct startup *s, struct jw_err *err)
{
    /* sd_booted(3) is this very question. */
    if (!jw_is_folder(in_system(s, "run/systemd/system")))
        return jw_run_end(
            s->run, JW_END_STOPPED,
            "this machine does not run systemd. Have what starts programs after a login run: jitwarm "
            "prime --if-stale --background%s%s",
            s->o->sources.n ? "; its source = REF and trust = KEY are lines of " : "",
            s->o->sources.n ? s->o->everybody ? "/etc/jitwarm/jitwarm.conf" : "~/.config/jitwarm/jitwarm.conf"
                            : "");
    if (!s->system->units)
        return jw_fail(err, JW_E_IO, "this user has no folder for systemd units (is HOME unset?)");
    return may_change_all(s, err) && (!s->o->everybody || *s->system->sysroot || check_program(s, err));
}

/* ---- what is there ---- */

static const char *text_of(struct startup *s, const char *path, struct jw_err *err)
{
    struct jw_buf b = JW_BUF_IN(s->run->a, JW_MAX_TEXT_FILE);
    const char *text = NULL;

    if (jw_text_ends(path, JW_STARTUP_SERVICE) ? jw_startup_service(&s->spec, &b, err)
        : jw_text_ends(path, JW_STARTUP_TIMER) ? jw_startup_timer(&s->spec, &b, err)
                                               : jw_startup_path(&s->spec, &b, err))
        text = jw_buf_cstr(&b);
    return text;
}

static const char *not_ours(struct startup *s, const char *path)
{
    return jw_arena_printf(s->run->a, "%.250s was not written by jitwarm; it was not changed", path);
}

static void compare_unit(struct startup *s, struct jw_startup_step *step, struct jw_bytes file)
{
    const char *program;

    step->found = jw_startup_unit_is_ours(file, s->run->a, &program);
    if (!step->found)
        step->why = not_ours(s, step->path);
    if (program)
        s->out->program = program;
    step->same =
        step->found && step->text && strlen(step->text) == file.n && memcmp(step->text, file.p, file.n) == 0;
}

static bool is_link(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static bool read_unit(struct startup *s, struct jw_startup_step *step, enum startup_purpose purpose,
                      struct jw_textfile *file, struct jw_err *err)
{
    if (purpose == FOR_INSTALL)
        return jw_textfile_read(step->path, s->run->a, file, err);
    file->text = JW_BUF(JW_MAX_TEXT_FILE);
    if (is_link(step->path)) { /* masked */
        step->why = not_ours(s, step->path);
        return true;
    }
    return jw_file_slurp(step->path, &file->text, &file->exists, err) || jw_wrap(err, "%.250s", step->path);
}

static bool find_unit(struct startup *s, const char *name, enum startup_purpose purpose, struct jw_err *err)
{
    const char *path = jw_path_join(s->run->a, s->system->units, name);
    struct jw_startup_step *step = startup_add_step(s, JW_STARTUP_FILE, path, err);
    struct jw_textfile file = { 0 };
    struct jw_err why = { 0 };
    bool ok;

    if (!step || (purpose == FOR_INSTALL && !(step->text = text_of(s, path, err))))
        return false;
    if (purpose != FOR_STATUS && !s->o->dry_run)
        (void)jw_out_sweep_of(path);
    ok = read_unit(s, step, purpose, &file, &why);
    if (ok && file.exists)
        compare_unit(s, step, jw_buf_bytes(&file.text));
    jw_textfile_free(&file);
    if (!ok && purpose == FOR_STATUS)
        step->why = jw_arena_str(s->run->a, why.msg);
    else if (!ok)
        *err = why;
    if (purpose == FOR_INSTALL && step->why)
        return jw_fail(err, JW_E_IO, "%s", step->why);
    return ok || purpose == FOR_STATUS;
}

static bool find_link(struct startup *s, enum startup_purpose purpose, struct jw_err *err)
{
    const char *path = jw_path_join(s->run->a, s->system->units, ENABLED), *to;
    struct jw_startup_step *step = startup_add_step(s, JW_STARTUP_LINK, path, err);
    char text[PATH_MAX];
    ssize_t n;

    if (!step)
        return false;
    step->text = purpose == FOR_INSTALL ? LINK_TEXT : NULL;
    n = readlink(path, text, sizeof text - 1);
    if (n < 0 && errno != EINVAL)
        return errno == ENOENT || errno == ENOTDIR
               || jw_fail(err, JW_E_IO, "%.250s: %s", path, strerror(errno));
    to = jw_arena_text(s->run->a, text, n > 0 ? (size_t)n : 0);
    /* systemctl enable makes absolute links */
    step->found = step->same = strcmp(jw_path_base(to), JW_STARTUP_TIMER) == 0;
    if (!step->found)
        step->why = not_ours(s, path);
    return step->found || purpose != FOR_INSTALL || jw_fail(err, JW_E_IO, "%s", step->why);
}

bool startup_find(struct startup *s, enum startup_purpose purpose, struct jw_err *err)
{
    s->out->steps = NULL;
    s->out->n_steps = 0;
    s->out->program = NULL;
    if (!s->system->units)
        return true;
    return find_unit(s, JW_STARTUP_SERVICE, purpose, err) && find_unit(s, JW_STARTUP_PATH, purpose, err)
           && find_unit(s, JW_STARTUP_TIMER, purpose, err) && find_link(s, purpose, err);
}

/* ---- commands ---- */

static bool run_command(struct startup *s, const char *verb, const char *unit, struct jw_err *err)
{
    const char *const argv[] = { s->system->systemctl, "--user", verb, unit, NULL };
    const char *line = JW_COMMAND(s->run->a, false, "systemctl", "--user", verb, unit);
    struct jw_startup_step *step = startup_add_step(s, JW_STARTUP_COMMAND, line, err);
    struct jw_buf out = JW_BUF_IN(s->run->a, JW_MAX_STATE);
    struct jw_err why = { 0 };
    int code = 0;
    bool ran = step && jw_process_capture(argv[0], argv, COMMAND_MS, &out, &code, &why);

    if (!step)
        return false;
    step->done = ran && code == 0;
    if (!ran)
        step->why = jw_arena_printf(s->run->a, "%s: %s", line, why.msg);
    else if (code)
        step->why = jw_arena_printf(s->run->a, "%s: exit code %d", line, code);
    if (step->why && !s->run->ended)
        startup_problem(s, "%s", step->why);
    return true;
}

/* ---- install ---- */

static bool put_unit(struct startup *s, const struct jw_startup_step *step, struct jw_err *err)
{
    struct jw_textfile was;
    bool ok = jw_textfile_read(step->path, s->run->a, &was, err);

    was.for_all = s->o->everybody;
    ok =
        ok
        && jw_textfile_write(&was, (struct jw_bytes){ (const uint8_t *)step->text, strlen(step->text) }, err);
    jw_textfile_free(&was);
    return ok;
}

static bool put_link(struct startup *s, const struct jw_startup_step *step, struct jw_err *err)
{
    const char *folder = jw_path_dir(s->run->a, step->path);

    if (!jw_textfile_make_folder(folder, s->o->everybody, err))
        return jw_wrap(err, "%.250s", folder);
    return symlink(step->text, step->path) == 0
           || jw_fail(err, JW_E_IO, "%.250s: %s", step->path, strerror(errno));
}

/* The link, which enables it, comes last. A restarted timer starts at once if 45 seconds since login are over. */
bool startup_put(struct startup *s, struct jw_err *err)
{
    for (size_t i = 0; i < s->out->n_steps; i++) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (step->same || step->kind == JW_STARTUP_LINES)
            continue;
        if (!(step->kind == JW_STARTUP_LINK ? put_link(s, step, err) : put_unit(s, step, err)))
            return false;
        step->done = true;
    }
    return !s->system->systemctl || s->o->everybody
           || (run_command(s, "daemon-reload", NULL, err)
               && run_command(s, "restart", JW_STARTUP_TIMER, err));
}

/* ---- remove ---- */

static bool take_unit(struct startup *s, const struct jw_startup_step *step, struct jw_err *err)
{
    struct jw_textfile was;
    bool ok = jw_textfile_read(step->path, s->run->a, &was, err) && jw_textfile_remove(&was, err);

    jw_textfile_free(&was);
    return ok;
}

static bool take_link(const struct jw_startup_step *step, struct jw_err *err)
{
    return unlink(step->path) == 0 || errno == ENOENT
           || jw_fail(err, JW_E_IO, "%.250s: %s", step->path, strerror(errno));
}

/* Removes folders that are empty now; with --everybody, only the one that install makes. */
static bool drop_folders(struct startup *s, struct jw_err *err)
{
    const char *folder = jw_path_join(s->run->a, s->system->units, "timers.target.wants");
    unsigned n = s->o->everybody ? 1 : 4; /* up to ~/.config */

    for (; n; n--, folder = jw_path_dir(s->run->a, folder))
        if (!jw_textfile_drop_folder(folder, err))
            return false;
    return true;
}

/* The link first, so that a remove that is cut short leaves nothing that starts. */
bool startup_take(struct startup *s, struct jw_err *err)
{
    if (!may_change_all(s, err))
        return false;
    for (size_t i = s->out->n_steps; i-- > 0;) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (!step->found || step->kind == JW_STARTUP_LINES)
            continue;
        if (!(step->kind == JW_STARTUP_LINK ? take_link(step, err) : take_unit(s, step, err)))
            return false;
        step->done = true;
    }
    if (!drop_folders(s, err))
        return false;
    return !s->system->systemctl || s->o->everybody
           || (run_command(s, "stop", JW_STARTUP_TIMER, err) && run_command(s, "daemon-reload", NULL, err));
}

/* ---- jitwarm.conf ---- */

const char *startup_conf_folder(struct startup *s)
{
    return s->o->everybody ? in_system(s, "etc") : jw_env_config_user(s->run->a);
}

bool startup_conf_write(struct startup *s, const char *path, struct jw_bytes text, struct jw_err *err)
{
    struct jw_textfile was;
    bool ok = jw_textfile_read(path, s->run->a, &was, err);

    was.for_all = s->o->everybody;
    ok = ok && (text.n ? jw_textfile_write(&was, text, err) : jw_textfile_remove(&was, err));
    jw_textfile_free(&was);
    return ok;
}

/* ---- status ---- */

/* The text behind "NAME=" in what systemctl show prints; NULL: none. */
static const char *property(struct startup *s, const char *shown, const char *name)
{
    const char *at = strstr(shown, name);

    at = at ? at + strlen(name) : "";
    return *at && *at != '\n' ? jw_arena_text(s->run->a, at, strcspn(at, "\n")) : NULL;
}

static void read_last_run(struct startup *s, const char *shown)
{
    const char *exit = property(s, shown, "ExecMainStatus=");

    s->out->last = property(s, shown, "ExecMainExitTimestamp=");
    s->out->ran = s->out->last != NULL;
    s->out->last_exit = exit ? strtoul(exit, NULL, 10) : 0;
}

/* Nothing is known where this user's manager does not run. */
bool startup_ask(struct startup *s, struct jw_err *err)
{
    const char *const active[] = { s->system->systemctl, "--user", "is-active", JW_STARTUP_TIMER, NULL };
    const char *const show[] = {
        s->system->systemctl, "--user", "show", "--property=ExecMainExitTimestamp,ExecMainStatus",
        JW_STARTUP_SERVICE,   NULL
    };
    struct jw_buf out = JW_BUF_IN(s->run->a, JW_MAX_STATE);
    struct jw_err ignored;
    int code = 0;

    (void)err;
    s->out->log = "journalctl --user -u " JW_STARTUP_SERVICE;
    if (!s->system->systemctl)
        return true;
    if (jw_process_capture(active[0], active, COMMAND_MS, &out, &code, &ignored) && code)
        startup_problem(s, "its timer is not active: run systemctl --user start " JW_STARTUP_TIMER);
    jw_buf_clear(&out);
    if (jw_process_capture(show[0], show, COMMAND_MS, &out, &code, &ignored) && !code)
        read_last_run(s, jw_buf_cstr(&out));
    return true;
}
