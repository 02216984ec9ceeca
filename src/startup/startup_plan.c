#include "startup/startup_work.h"

#include "base/limits.h"
#include "base/path.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

#define ALL_UNITS "/etc/systemd/user"
#define WANTS "timers.target.wants"

const char *jw_startup_with_name(enum jw_startup_with w)
{
    static const char *const names[] = { "none", "systemd", "task" };

    return names[w];
}

const char *jw_startup_act_name(enum jw_startup_act a)
{
    static const char *const names[] = { "file", "link", "folder", "task", "command" };

    return names[a];
}

const char *jw_startup_found_name(enum jw_startup_found f)
{
    static const char *const names[] = { "nothing", "same", "older", "edited", "others" };

    return names[f];
}

bool startup_choose(const struct startup *s, enum jw_startup_with *with, struct jw_err *err)
{
    *with = s->o->with;
    if (*with != JW_STARTUP_AUTO)
        return true;
    if (jw_os_is_windows())
        *with = JW_STARTUP_TASK;
    else if (s->host.systemd || *s->root)
        *with = JW_STARTUP_SYSTEMD;
    else
        return jw_fail(
            err, JW_E_IO,
            "this machine does not run systemd. Add this command to %s   (in a container: use jitwarm run -- "
            "COMMAND "
            "as its entrypoint; --with systemd only writes the files)",
            s->o->everybody
                ? "each user's login: jitwarm prime --if-stale --background --quiet --profile everybody"
                : "your login: jitwarm prime --if-stale --background --quiet");
    return true;
}

/* ---- places ---- */

static struct jw_startup_step *add(struct startup *s, enum jw_startup_act act, const char *path,
                                   struct jw_err *err)
{
    struct jw_startup_step *step =
        jw_list_add(s->a, &s->out->steps, &s->out->n_steps, sizeof *step, STARTUP_MOST_STEPS, err);

    if (!path || !step)
        return NULL;
    step->act = act;
    step->path = path;
    return step;
}

/* In an image, links are resolved inside the image. */
static bool find_folders(struct startup *s, const char **folder, const char **wants, struct jw_err *err)
{
    if (*s->root)
        return jw_real_in_root(s->root, ALL_UNITS + 1, s->a, folder, err)
               && jw_real_in_root(s->root, ALL_UNITS "/" WANTS + 1, s->a, wants, err);
    *folder = s->o->everybody ? ALL_UNITS : s->host.units;
    if (!*folder)
        return jw_fail(err, JW_E_IO, "this user has no folder for systemd units (is HOME unset?)");
    *wants = jw_path_join(s->a, *folder, WANTS);
    return true;
}

static bool plan_systemd(struct startup *s, struct jw_err *err)
{
    const char *folder, *wants;
    struct jw_startup_step *step;

    if (!find_folders(s, &folder, &wants, err))
        return false;
    step = add(s, JW_STARTUP_FILE, jw_path_join(s->a, folder, JW_STARTUP_SERVICE), err);
    if (!wants || !step)
        return true;
    step->folders_for = folder;
    if (!(step = add(s, JW_STARTUP_FILE, jw_path_join(s->a, folder, JW_STARTUP_TIMER), err)))
        return false;
    step->folders_for = wants;
    if (!(step = add(s, JW_STARTUP_LINK, jw_path_join(s->a, wants, JW_STARTUP_TIMER), err)))
        return false;
    step->text = "../" JW_STARTUP_TIMER;
    return true;
}

static bool plan_task(struct startup *s, struct jw_err *err)
{
    struct jw_buf name = JW_BUF(JW_MAX_PATH);
    bool ok = jw_startup_task_name(&s->spec, &name, err)
              && add(s, JW_STARTUP_JOB, jw_arena_str(s->a, jw_buf_cstr(&name)), err);

    jw_buf_free(&name);
    return ok;
}

bool startup_plan_places(struct startup *s, enum jw_startup_with with, struct jw_err *err)
{
    return with == JW_STARTUP_SYSTEMD ? plan_systemd(s, err) : plan_task(s, err);
}

/* ---- commands ---- */

static bool add_command(struct startup *s, const char *verb, const char *unit, struct jw_err *err)
{
    const char **words = jw_arena_alloc(s->a, 6 * sizeof *words);
    char *line = jw_arena_alloc(s->a, 128);
    struct jw_startup_step *step = add(s, JW_STARTUP_COMMAND, line, err);
    size_t n = 0;

    if (!step)
        return true;
    words[n++] = s->host.systemctl;
    words[n++] = "--user";
    words[n++] = verb;
    if (unit)
        words[n++] = unit;
    (void)snprintf(line, 128, "systemctl --user %s%s%s", verb, unit ? " " : "", unit ? unit : "");
    step->argv = words;
    return true;
}

/* A restarted timer starts at once if 45 seconds since login are over. */
bool startup_plan_commands(struct startup *s, bool install, struct jw_err *err)
{
    if (s->out->with != JW_STARTUP_SYSTEMD || !s->host.systemctl || s->o->everybody)
        return true;
    if (install)
        return add_command(s, "daemon-reload", NULL, err) && add_command(s, "restart", JW_STARTUP_TIMER, err);
    return add_command(s, "stop", JW_STARTUP_TIMER, err) && add_command(s, "daemon-reload", NULL, err);
}

/* ---- texts ---- */

static bool ends(const char *path, const char *name)
{
    return strcmp(jw_path_base(path), name) == 0;
}

static bool make_text(struct startup *s, const struct jw_startup_step *step, unsigned folders,
                      struct jw_buf *b, struct jw_err *err)
{
    if (step->act == JW_STARTUP_JOB)
        return jw_startup_task(&s->spec, b, err);
    if (ends(step->path, JW_STARTUP_SERVICE))
        return jw_startup_service(&s->spec, folders, b, err);
    return jw_startup_timer(&s->spec, folders, b, err);
}

const char *startup_text(struct startup *s, const struct jw_startup_step *step, unsigned folders,
                         struct jw_err *err)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);
    const char *text = NULL;

    if (make_text(s, step, folders, &b, err))
        text = jw_arena_str(s->a, jw_buf_cstr(&b));
    jw_buf_free(&b);
    return text;
}
