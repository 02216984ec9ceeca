/* A task of the Task Scheduler. */
#include "setup/startup/startup_parts.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/sys_windows.h"
#include "setup/startup/scheduler_windows.h"

#include <sddl.h>
#include <shlobj.h>
#include <string.h>

struct startup_system {
    const char *user;     /* SID */
    const char *programs; /* folders that only administrators may change, each ended by \n */
    struct startup_task task;
};

/* ---- what is here ---- */

static bool find_user(struct jw_arena *a, const char **sid, struct jw_err *err)
{
    union jw_win_user user;
    wchar_t *text = NULL;
    bool ok = jw_win_user(&user, err)
              && (ConvertSidToStringSidW(user.token.User.Sid, &text)
                  || jw_fail(err, JW_E_IO, "Windows does not name this user (error %lu)", GetLastError()))
              && startup_text_of(text, a, sid, err);

    if (text)
        LocalFree(text);
    return ok;
}

static void find_programs(struct jw_arena *a, const char **out)
{
    const KNOWNFOLDERID *const ids[] = { &FOLDERID_ProgramFiles, &FOLDERID_ProgramFilesX64,
                                         &FOLDERID_ProgramFilesX86 };
    struct jw_buf b = JW_BUF_IN(a, JW_MAX_PATH);

    for (size_t i = 0; i < JW_COUNT(ids); i++) {
        wchar_t *path = NULL;

        if (SUCCEEDED(SHGetKnownFolderPath(ids[i], 0, NULL, &path))) {
            jw_utf16_to(&b, (const uint16_t *)path);
            jw_buf_text(&b, "\n");
        }
        CoTaskMemFree(path);
    }
    *out = jw_buf_cstr(&b);
}

bool startup_look_around(struct startup *s, struct jw_err *err)
{
    s->system = jw_arena_alloc(s->run->a, sizeof *s->system);
    *s->system = (struct startup_system){ 0 };
    if (!find_user(s->run->a, &s->system->user, err))
        return false;
    find_programs(s->run->a, &s->system->programs);
    s->spec.user = s->system->user;
    return true;
}

bool startup_may_install(struct startup *s, struct jw_err *err)
{
    return !s->o->everybody || jw_startup_in_programs(s->spec.exe, s->system->programs)
           || jw_fail(
               err, JW_E_IO,
               "every user would run %.150s, which its owner may change; install jitwarm under Program "
               "Files, where only administrators write",
               s->spec.exe);
}

/* ---- what is there ---- */

static const char *task_text(struct startup *s, struct jw_err *err)
{
    struct jw_buf b = JW_BUF_IN(s->run->a, JW_MAX_TEXT_FILE);

    return jw_startup_task(&s->spec, &b, err) ? jw_buf_cstr(&b) : NULL;
}

static const char *task_name(struct startup *s, struct jw_err *err)
{
    struct jw_buf b = JW_BUF_IN(s->run->a, JW_MAX_PATH);
    const char *name = jw_startup_task_name(&s->spec, &b, err) ? jw_buf_cstr(&b) : NULL;

    return name;
}

/* Windows rewrites definitions, so install always registers it again. */
bool startup_find(struct startup *s, enum startup_purpose purpose, struct jw_err *err)
{
    const char *name = task_name(s, err), *program = NULL;
    struct startup_task *task = &s->system->task;
    struct jw_startup_step *step;

    s->out->steps = NULL;
    s->out->n_steps = 0;
    s->out->program = NULL;
    step = name ? startup_add_step(s, JW_STARTUP_TASK, name, err) : NULL;
    if (!step || !startup_task_look(name, s->run->a, task, err))
        return false;
    step->found = task->found && (!task->xml || jw_startup_task_is_ours(task->xml, s->run->a, &program));
    s->out->program = program;
    if (task->found && !step->found)
        step->why = jw_arena_printf(
            s->run->a, "%.250s is a task that was not registered by jitwarm; it was not changed", name);
    if (purpose != FOR_INSTALL)
        return true;
    if (step->why)
        return jw_fail(err, JW_E_IO, "%s", step->why);
    step->text = task_text(s, err);
    return step->text != NULL;
}

bool startup_put(struct startup *s, struct jw_err *err)
{
    struct jw_startup_step *step = &s->out->steps[0];

    step->done = startup_task_put(step->path, step->text, s->o->everybody, err);
    return step->done;
}

bool startup_take(struct startup *s, struct jw_err *err)
{
    struct jw_startup_step *step = &s->out->steps[0];

    step->done = startup_task_remove(step->path, err);
    return step->done;
}

bool startup_ask(struct startup *s, struct jw_err *err)
{
    const struct startup_task *task = &s->system->task;

    (void)err;
    s->out->ran = task->last != NULL;
    s->out->last = task->last;
    s->out->last_exit = task->result;
    if (!task->enabled)
        startup_problem(s, "the task is disabled: run jitwarm startup install");
    return true;
}
