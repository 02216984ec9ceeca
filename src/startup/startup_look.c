#include "startup/startup_work.h"

#include "base/limits.h"
#include "base/path.h"
#include "os/files/file.h"

#include <string.h>

static bool refuse(struct startup *s, struct jw_startup_step *step, const char *what)
{
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&b, "%.250s %s; it was not changed", step->path, what);
    step->found = JW_FOUND_OTHERS;
    step->why = jw_arena_str(s->a, jw_buf_cstr(&b));
    jw_buf_free(&b);
    return true;
}

/* Counts missing folders, up to one that exists or that an earlier step creates. */
static bool count_missing(struct startup *s, const struct jw_startup_step *step, unsigned *n,
                          struct jw_err *err)
{
    const char *folder = step->folders_for, *own = jw_path_dir(s->a, step->path);
    struct jw_file_info info;

    for (*n = 0;; (*n)++) {
        if (*n && strcmp(step->folders_for, own) != 0 && strcmp(folder, own) == 0)
            return true;
        if (!jw_file_stat(folder, &info, err))
            return jw_wrap(err, "%.250s", folder);
        if (info.kind != JW_FILE_NONE)
            return true;
        folder = jw_path_dir(s->a, folder);
    }
}

static bool judge_file(struct startup *s, struct jw_startup_step *step, struct jw_bytes file, bool compare,
                       struct jw_err *err)
{
    struct jw_startup_mark mark;

    jw_startup_read_mark(file, s->a, &mark);
    if (!mark.ours)
        return refuse(s, step, "was not written by jitwarm");
    step->folders = mark.folders;
    step->found = mark.intact ? JW_FOUND_OLDER : JW_FOUND_EDITED;
    if (mark.program)
        s->out->program = mark.program;
    if (compare) {
        step->text = startup_text(s, step, step->folders, err);
        if (!step->text)
            return false;
        if (strlen(step->text) == file.n && memcmp(step->text, file.p, file.n) == 0)
            step->found = JW_FOUND_SAME;
        return true;
    }
    if (mark.intact)
        step->found = JW_FOUND_SAME;
    step->text = jw_arena_text(s->a, (const char *)file.p, file.n);
    return true;
}

static bool look_file(struct startup *s, struct jw_startup_step *step, bool compare, struct jw_err *err)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_file_info info;
    const char *to;
    bool found, ok;

    if (!jw_startup_read_link(step->path, s->a, &to, err))
        return false;
    if (to)
        return refuse(s, step,
                      strcmp(to, "/dev/null") == 0 ? "is masked (a link to /dev/null)" : "is a link");
    if (!jw_file_stat(step->path, &info, err))
        return jw_wrap(err, "%.250s", step->path);
    if (info.kind == JW_FILE_DIR)
        return refuse(s, step, "is a folder");
    ok = jw_file_slurp(step->path, &b, &found, err) || jw_wrap(err, "%.250s", step->path);
    if (ok && found)
        ok = judge_file(s, step, jw_buf_bytes(&b), compare, err);
    else if (ok && compare) {
        step->found = JW_FOUND_NOTHING;
        ok = count_missing(s, step, &step->folders, err)
             && (step->text = startup_text(s, step, step->folders, err)) != NULL;
    }
    jw_buf_free(&b);
    return ok;
}

static bool look_link(struct startup *s, struct jw_startup_step *step, struct jw_err *err)
{
    struct jw_file_info info;
    const char *to;

    if (!jw_startup_read_link(step->path, s->a, &to, err))
        return false;
    if (to && strcmp(to, step->text) == 0) {
        step->found = JW_FOUND_SAME;
        return true;
    }
    if (to) /* systemctl enable makes absolute links */
        return strcmp(jw_path_base(to), JW_STARTUP_TIMER) == 0 ? (step->found = JW_FOUND_OLDER, true)
                                                               : refuse(s, step, "is a link to another file");
    if (!jw_file_stat(step->path, &info, err))
        return jw_wrap(err, "%.250s", step->path);
    return info.kind == JW_FILE_NONE || refuse(s, step, "is not a link");
}

/* Windows rewrites definitions, so install always registers it again. */
static bool look_task(struct startup *s, struct jw_startup_step *step, bool compare, struct jw_err *err)
{
    struct jw_startup_task task;
    struct jw_startup_mark mark = { .ours = true };

    if (!jw_startup_task_look(step->path, s->a, &task, err))
        return false;
    if (task.found) {
        if (task.xml)
            jw_startup_read_task(task.xml, s->a, &mark);
        if (!mark.ours)
            return refuse(s, step, "is a task that was not registered by jitwarm");
        step->found = compare ? JW_FOUND_OLDER : JW_FOUND_SAME;
        if (mark.program)
            s->out->program = mark.program;
    }
    return !compare || (step->text = startup_text(s, step, 0, err)) != NULL;
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
