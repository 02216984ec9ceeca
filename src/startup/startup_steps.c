/* The steps of an installation: plans them, finds existing files, and writes or removes these. */
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/append.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "startup/startup_work.h"

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

static struct jw_startup_step *add_step(struct startup *s, enum jw_startup_act act, const char *path,
                                        struct jw_err *err)
{
    struct jw_startup_step *step =
        jw_list_add(s->run->a, &s->out->steps, &s->out->n_steps, sizeof *step, STARTUP_MOST_STEPS, err);

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
        return jw_real_in_root(s->root, ALL_UNITS + 1, s->run->a, folder, err)
               && jw_real_in_root(s->root, ALL_UNITS "/" WANTS + 1, s->run->a, wants, err);
    *folder = s->o->everybody ? ALL_UNITS : s->host.units;
    if (!*folder)
        return jw_fail(err, JW_E_IO, "this user has no folder for systemd units (is HOME unset?)");
    *wants = jw_path_join(s->run->a, *folder, WANTS);
    return true;
}

static bool plan_systemd(struct startup *s, struct jw_err *err)
{
    const char *folder, *wants;
    struct jw_startup_step *step;

    if (!find_folders(s, &folder, &wants, err))
        return false;
    step = add_step(s, JW_STARTUP_FILE, jw_path_join(s->run->a, folder, JW_STARTUP_SERVICE), err);
    if (!wants || !step)
        return true;
    step->folders_for = folder;
    if (!(step = add_step(s, JW_STARTUP_FILE, jw_path_join(s->run->a, folder, JW_STARTUP_TIMER), err)))
        return false;
    step->folders_for = wants;
    if (!(step = add_step(s, JW_STARTUP_LINK, jw_path_join(s->run->a, wants, JW_STARTUP_TIMER), err)))
        return false;
    step->text = "../" JW_STARTUP_TIMER;
    return true;
}

static bool plan_task(struct startup *s, struct jw_err *err)
{
    struct jw_buf name = JW_BUF(JW_MAX_PATH);
    bool ok = jw_startup_task_name(&s->spec, &name, err)
              && add_step(s, JW_STARTUP_JOB, jw_arena_str(s->run->a, jw_buf_cstr(&name)), err);

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
    const char **words = jw_arena_alloc(s->run->a, 6 * sizeof *words);
    const char *line =
        jw_arena_printf(s->run->a, "systemctl --user %s%s%s", verb, unit ? " " : "", unit ? unit : "");
    struct jw_startup_step *step = add_step(s, JW_STARTUP_COMMAND, line, err);
    size_t n = 0;

    if (!step)
        return true;
    words[n++] = s->host.systemctl;
    words[n++] = "--user";
    words[n++] = verb;
    if (unit)
        words[n++] = unit;
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

static bool has_name(const char *path, const char *name)
{
    return strcmp(jw_path_base(path), name) == 0;
}

static bool make_text(struct startup *s, const struct jw_startup_step *step, unsigned folders,
                      struct jw_buf *b, struct jw_err *err)
{
    if (step->act == JW_STARTUP_JOB)
        return jw_startup_task(&s->spec, b, err);
    if (has_name(step->path, JW_STARTUP_SERVICE))
        return jw_startup_service(&s->spec, folders, b, err);
    return jw_startup_timer(&s->spec, folders, b, err);
}

/* The content of a file or a task. NULL: see err. */
static const char *step_text(struct startup *s, const struct jw_startup_step *step, unsigned folders,
                             struct jw_err *err)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);
    const char *text = NULL;

    if (make_text(s, step, folders, &b, err))
        text = jw_arena_str(s->run->a, jw_buf_cstr(&b));
    jw_buf_free(&b);
    return text;
}

static bool refuse_file(struct startup *s, struct jw_startup_step *step, const char *what)
{
    step->found = JW_FOUND_OTHERS;
    step->why = jw_arena_printf(s->run->a, "%.250s %s; it was not changed", step->path, what);
    return true;
}

/* Counts missing folders, up to one that exists or that an earlier step creates. */
static bool count_missing(struct startup *s, const struct jw_startup_step *step, unsigned *n,
                          struct jw_err *err)
{
    const char *folder = step->folders_for, *own = jw_path_dir(s->run->a, step->path);
    struct jw_file_info info;

    for (*n = 0;; (*n)++) {
        if (*n && strcmp(step->folders_for, own) != 0 && strcmp(folder, own) == 0)
            return true;
        if (!jw_file_stat(folder, &info, err))
            return jw_wrap(err, "%.250s", folder);
        if (info.kind != JW_FILE_NONE)
            return true;
        folder = jw_path_dir(s->run->a, folder);
    }
}

static bool judge_unit(struct startup *s, struct jw_startup_step *step, struct jw_bytes file, bool compare,
                       struct jw_err *err)
{
    struct jw_startup_mark mark;

    jw_startup_read_mark(file, s->run->a, &mark);
    if (!mark.ours)
        return refuse_file(s, step, "was not written by jitwarm");
    step->folders = mark.folders;
    step->found = mark.intact ? JW_FOUND_OLDER : JW_FOUND_EDITED;
    if (mark.program)
        s->out->program = mark.program;
    if (compare) {
        step->text = step_text(s, step, step->folders, err);
        if (!step->text)
            return false;
        if (strlen(step->text) == file.n && memcmp(step->text, file.p, file.n) == 0)
            step->found = JW_FOUND_SAME;
        return true;
    }
    if (mark.intact)
        step->found = JW_FOUND_SAME;
    step->text = jw_arena_text(s->run->a, (const char *)file.p, file.n);
    return true;
}

static bool look_file(struct startup *s, struct jw_startup_step *step, bool compare, struct jw_err *err)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_file_info info;
    const char *to;
    bool found, ok;

    if (!jw_startup_read_link(step->path, s->run->a, &to, err))
        return false;
    if (to)
        return refuse_file(s, step,
                           strcmp(to, "/dev/null") == 0 ? "is masked (a link to /dev/null)" : "is a link");
    if (!jw_file_stat(step->path, &info, err))
        return jw_wrap(err, "%.250s", step->path);
    if (info.kind == JW_FILE_DIR)
        return refuse_file(s, step, "is a folder");
    ok = jw_file_slurp(step->path, &b, &found, err) || jw_wrap(err, "%.250s", step->path);
    if (ok && found)
        ok = judge_unit(s, step, jw_buf_bytes(&b), compare, err);
    else if (ok && compare) {
        step->found = JW_FOUND_NOTHING;
        ok = count_missing(s, step, &step->folders, err)
             && (step->text = step_text(s, step, step->folders, err)) != NULL;
    }
    jw_buf_free(&b);
    return ok;
}

static bool look_link(struct startup *s, struct jw_startup_step *step, struct jw_err *err)
{
    struct jw_file_info info;
    const char *to;

    if (!jw_startup_read_link(step->path, s->run->a, &to, err))
        return false;
    if (to && strcmp(to, step->text) == 0) {
        step->found = JW_FOUND_SAME;
        return true;
    }
    if (to) /* systemctl enable makes absolute links */
        return strcmp(jw_path_base(to), JW_STARTUP_TIMER) == 0
                   ? (step->found = JW_FOUND_OLDER, true)
                   : refuse_file(s, step, "is a link to another file");
    if (!jw_file_stat(step->path, &info, err))
        return jw_wrap(err, "%.250s", step->path);
    return info.kind == JW_FILE_NONE || refuse_file(s, step, "is not a link");
}

/* Windows rewrites definitions, so install always registers it again. */
static bool look_task(struct startup *s, struct jw_startup_step *step, bool compare, struct jw_err *err)
{
    struct jw_startup_task task;
    struct jw_startup_mark mark = { .ours = true };

    if (!jw_startup_task_look(step->path, s->run->a, &task, err))
        return false;
    if (task.found) {
        if (task.xml)
            jw_startup_read_task(task.xml, s->run->a, &mark);
        if (!mark.ours)
            return refuse_file(s, step, "is a task that was not registered by jitwarm");
        step->found = compare ? JW_FOUND_OLDER : JW_FOUND_SAME;
        if (mark.program)
            s->out->program = mark.program;
    }
    return !compare || (step->text = step_text(s, step, 0, err)) != NULL;
}

bool startup_look(struct startup *s, bool compare, struct jw_err *err)
{
    for (size_t i = 0; i < s->out->n_steps; i++) {
        struct jw_startup_step *step = &s->out->steps[i];
        bool ok = true;

        switch (step->act) {
        case JW_STARTUP_FILE: ok = look_file(s, step, compare, err); break;
        case JW_STARTUP_LINK: ok = look_link(s, step, err); break;
        case JW_STARTUP_JOB: ok = look_task(s, step, compare, err); break;
        default: break;
        }
        if (!ok)
            return false;
    }
    return true;
}

enum { COMMAND_MS = 20000 };

/* ---- temporary files ---- */

static bool is_left(const char *name)
{
    return jw_text_starts(name, ".jitwarm-startup.") && jw_text_ends(name, ".tmp") && strstr(name, ".jw-");
}

/* Ignores errors. */
static void sweep_folder(struct startup *s, const char *folder)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err ignored;
    bool more = true;

    if (!jw_dir_open(&dir, folder, &ignored))
        return;
    while (jw_dir_next(dir, &e, &more, &ignored) && more) {
        const char *path = is_left(e.name) ? jw_path_join(s->run->a, folder, e.name) : NULL;

        if (path)
            (void)!jw_append_remove(path, &ignored);
    }
    jw_dir_close(dir);
}

void startup_sweep(struct startup *s)
{
    for (size_t i = 0; i < s->out->n_steps; i++) {
        const struct jw_startup_step *step = &s->out->steps[i];
        const char *folder = step->act == JW_STARTUP_FILE || step->act == JW_STARTUP_LINK
                                 ? jw_path_dir(s->run->a, step->path)
                                 : NULL;

        if (folder)
            sweep_folder(s, folder);
    }
}

/* ---- install ---- */

/* Removes empty folders that install created, lowest first. */
static bool remove_folders(struct startup *s, const char *folder, unsigned n, struct jw_err *err)
{
    for (; n && folder; n--, folder = jw_path_dir(s->run->a, folder))
        if (!jw_startup_remove_folder(folder, err))
            return false;
    return true;
}

static bool make_unit_folders(struct startup *s, const struct jw_startup_step *step, struct jw_err *err)
{
    const char *folder = step->folders_for;

    if (!folder)
        return true;
    if (!jw_make_dirs(folder, err))
        return jw_wrap(err, "%.250s", folder);
    for (unsigned n = step->folders; s->o->everybody && n && folder;
         n--, folder = jw_path_dir(s->run->a, folder))
        if (!jw_startup_for_all(folder, true, err))
            return false;
    return true;
}

static bool write_unit(struct startup *s, const struct jw_startup_step *step, struct jw_err *err)
{
    struct jw_out out = { 0 };
    bool ok = jw_out_open(&out, step->path, true, err)
              && jw_out_write(&out, step->text, strlen(step->text), err) && jw_out_commit(&out, err);

    jw_out_close(&out);
    if (!ok)
        return jw_wrap(err, "%.250s", step->path);
    return !s->o->everybody || jw_startup_for_all(step->path, false, err);
}

static bool put_step(struct startup *s, struct jw_startup_step *step, struct jw_err *err)
{
    switch (step->act) {
    case JW_STARTUP_FILE: return make_unit_folders(s, step, err) && write_unit(s, step, err);
    case JW_STARTUP_LINK: return jw_startup_make_link(step->path, step->text, err);
    default: return jw_startup_task_put(step->path, step->text, s->o->everybody, err);
    }
}

/* Removes new files. One that cannot be removed is harmless: without its link no unit starts. */
static void take_back(struct startup *s, size_t n)
{
    struct jw_err ignored;

    while (n--) {
        struct jw_startup_step *step = &s->out->steps[n];

        if (step->act == JW_STARTUP_COMMAND || step->found != JW_FOUND_NOTHING)
            continue;
        if (step->act == JW_STARTUP_LINK)
            (void)!jw_startup_remove_link(step->path, &ignored);
        else if (step->act == JW_STARTUP_FILE) {
            (void)!jw_append_remove(step->path, &ignored);
            (void)!remove_folders(s, step->folders_for, step->folders, &ignored);
        }
        step->done = false;
    }
}

bool startup_put(struct startup *s, struct jw_err *err)
{
    startup_sweep(s);
    for (size_t i = 0; i < s->out->n_steps; i++) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (step->act == JW_STARTUP_COMMAND || step->found == JW_FOUND_SAME)
            continue;
        if (!put_step(s, step, err)) {
            take_back(s, i + 1);
            return false;
        }
        step->done = true;
    }
    return true;
}

/* ---- remove ---- */

/* The file notes how many folders were created. If these cannot be removed, writes the file again for the next try. */
static bool take_unit(struct startup *s, struct jw_startup_step *step, struct jw_err *err)
{
    struct jw_err ignored;

    if (!jw_append_remove(step->path, err))
        return jw_wrap(err, "%.250s", step->path);
    if (remove_folders(s, step->folders_for, step->folders, err))
        return true;
    if (make_unit_folders(s, step, &ignored))
        (void)!write_unit(s, step, &ignored);
    return false;
}

static bool take_step(struct startup *s, struct jw_startup_step *step, struct jw_err *err)
{
    switch (step->act) {
    case JW_STARTUP_LINK: return jw_startup_remove_link(step->path, err);
    case JW_STARTUP_FILE: return take_unit(s, step, err);
    default: return jw_startup_task_remove(step->path, err);
    }
}

/* Removes the link first, so that an interrupted remove leaves nothing that starts. */
bool startup_take(struct startup *s, struct jw_err *err)
{
    startup_sweep(s); /* or a folder would not be empty */
    for (size_t i = s->out->n_steps; i-- > 0;) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (step->act == JW_STARTUP_COMMAND || step->found == JW_FOUND_NOTHING)
            continue;
        if (!take_step(s, step, err))
            return false;
        step->done = true;
    }
    return true;
}

/* ---- commands ---- */

static void run_command(struct startup *s, struct jw_startup_step *step)
{
    struct jw_buf out = JW_BUF(JW_MAX_STATE);
    struct jw_err why = { 0 };
    int code = 0;
    bool ok = jw_process_capture(step->argv[0], step->argv, COMMAND_MS, &out, &code, &why);

    step->done = ok && code == 0;
    if (!ok)
        step->why = jw_arena_printf(s->run->a, "%s: %s", step->path, why.msg);
    else if (code)
        step->why = jw_arena_printf(s->run->a, "%s: exit code %d", step->path, code);
    jw_buf_free(&out);
}

const char *startup_command(struct startup *s)
{
    const char *why = NULL;

    for (size_t i = 0; i < s->out->n_steps; i++) {
        struct jw_startup_step *step = &s->out->steps[i];

        if (step->act != JW_STARTUP_COMMAND)
            continue;
        run_command(s, step);
        if (!why)
            why = step->why;
    }
    return why;
}
