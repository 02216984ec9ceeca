/* Reports whether startup works: its files, what starts it, and its last run. */
#include "startup/startup_work.h"

#include "base/limits.h"
#include "os/files/file.h"
#include "os/process/process.h"

enum { ASK_MS = 10000, BUSY = 7, LATER_S = 120 };

static void end_status(struct startup *s, enum jw_end e, const char *why)
{
    jw_run_end(s->run, e, "%s", why ? why : "");
}

/* ---- files ---- */

static const char *place_problem(const struct startup *s)
{
    for (size_t i = 0; i < s->out->n_steps; i++)
        switch (s->out->steps[i].found) {
        case JW_FOUND_OTHERS: return s->out->steps[i].why;
        case JW_FOUND_NOTHING:
            return jw_arena_printf(s->run->a, "%s: run %s",
                                   s->out->steps[i].act == JW_STARTUP_LINK
                                       ? "it is installed, but not enabled"
                                       : "a file is missing",
                                   startup_install(s));
        default: break;
        }
    return NULL;
}

static bool program_problem(struct startup *s)
{
    struct jw_file_info info = { .kind = JW_FILE_NONE };
    struct jw_err ignored;

    if (!s->out->program || *s->root
        || (jw_file_stat(s->out->program, &info, &ignored) && info.kind == JW_FILE_REGULAR))
        return false;
    jw_run_end(s->run, JW_END_PARTLY, "its program %.200s does not exist: run jitwarm startup install",
               s->out->program);
    return true;
}

/* ---- timer and task ---- */

/* True also if systemd cannot be asked. */
static bool timer_waits(struct startup *s)
{
    const char *const argv[] = { s->host.systemctl, "--user", "is-active", JW_STARTUP_TIMER, NULL };
    struct jw_buf out = JW_BUF(JW_MAX_LINE);
    struct jw_err ignored;
    int code = 0;
    bool asked = s->out->with == JW_STARTUP_SYSTEMD && s->host.systemctl && !*s->root
                 && jw_process_capture(argv[0], argv, ASK_MS, &out, &code, &ignored);

    jw_buf_free(&out);
    return !asked || code == 0;
}

static bool ask_task(struct startup *s, struct jw_startup_task *task, struct jw_err *err)
{
    *task = (struct jw_startup_task){ 0 };
    if (s->out->with != JW_STARTUP_TASK)
        return true;
    return jw_startup_task_look(s->out->steps[0].path, s->run->a, task, err);
}

/* Windows started it, but it ended before it wrote its log. */
static bool task_problem(struct startup *s, const struct jw_startup_task *task)
{
    if (task->found && !task->enabled) {
        end_status(s, JW_END_PARTLY, "the task is disabled: run jitwarm startup install");
        return true;
    }
    if (!task->ran || task->running || !task->result
        || (s->out->ran && task->last_run <= s->out->last.when + LATER_S))
        return false;
    jw_run_end(s->run, JW_END_PARTLY,
               "Windows started it, but it ended with 0x%08lx and left nothing in its log",
               (unsigned long)task->result);
    return true;
}

/* ---- the last run ---- */

static void read_log(struct startup *s)
{
    struct jw_err why = { 0 };

    if (!s->out->log || jw_startup_log_read(s->run->a, &s->out->last, &s->out->ran, &why))
        return;
    s->log_problem = jw_arena_printf(s->run->a, "its log cannot be read: %.280s", why.msg);
}

static void judge_run(struct startup *s)
{
    struct jw_startup_run *last = &s->out->last;
    struct jw_err ignored;
    bool alive = false;

    if (s->log_problem) {
        end_status(s, JW_END_PARTLY, s->log_problem);
        return;
    }
    if (!s->out->ran) {
        end_status(s, JW_END_NOTHING, NULL);
        return;
    }
    if (last->began && !(jw_peer_alive(last->pid, last->start, &alive, &ignored) && alive)) {
        last->began = false;
        last->end = "cut-off";
        last->what = "it was killed; the next run continues";
    }
    s->out->working = last->began || !last->exit || last->exit == BUSY;
    end_status(s, s->out->working ? JW_END_DONE : JW_END_PARTLY, s->out->working ? NULL : last->what);
}

static bool judge_installed(struct startup *s, struct jw_err *err)
{
    struct jw_startup_task task;
    const char *problem = place_problem(s);

    s->out->installed = true;
    s->out->enabled = !problem;
    read_log(s);
    if (!ask_task(s, &task, err))
        return false;
    if (problem) {
        end_status(s, JW_END_PARTLY, problem);
        return true;
    }
    if (program_problem(s))
        return true;
    if (!timer_waits(s)) {
        end_status(s, JW_END_PARTLY, "its timer is not active: run systemctl --user start " JW_STARTUP_TIMER);
        return true;
    }
    if (!task_problem(s, &task))
        judge_run(s);
    return true;
}

bool startup_status(struct startup *s, struct jw_err *err)
{
    if (s->out->with != JW_STARTUP_AUTO)
        return judge_installed(s, err);
    read_log(s);
    for (size_t i = 0; i < s->out->n_steps; i++)
        if (s->out->steps[i].found == JW_FOUND_OTHERS) {
            end_status(s, JW_END_PARTLY, s->out->steps[i].why);
            return true;
        }
    startup_not_installed(s);
    return true;
}
