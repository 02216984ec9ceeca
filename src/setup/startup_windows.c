/* A task of the Task Scheduler, by schtasks: its exit codes and the definition itself are read,
 * never its words, which are in the system's language. */
#include "base/buf.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "memory/state_folder.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/files/winpath.h"
#include "os/process/process.h"
#include "os/sys_windows.h"
#include "setup/parts.h"

#include <sddl.h>
#include <string.h>

enum { COMMAND_MS = 30000 };

#define SOURCE "<Source>jitwarm</Source>"

static bool find_sid(struct jw_startup *s, struct jw_err *err)
{
    union jw_win_user user;
    char *text = NULL;

    if (s->everybody)
        return true;
    if (!jw_win_user(&user, err))
        return false;
    if (!ConvertSidToStringSidA(user.token.User.Sid, &text))
        return jw_fail(err, JW_E_IO, "Windows does not name this user (error %lu)", GetLastError());
    s->user = jw_arena_str(s->run->a, text);
    LocalFree(text);
    return true;
}

/* Only administrators may change what is there. */
bool startup_may_install(struct jw_startup *s, struct jw_err *err)
{
    const char *programs = jw_env(s->run->a, "ProgramFiles");
    size_t n = programs ? strlen(programs) : 0;

    bool inside =
        n && jw_text_starts_nocase(s->exe, programs) && s->exe[n] == '\\' && !strstr(s->exe, "..");

    return !s->everybody || inside
           || jw_fail(err, JW_E_IO,
                      "every user would run %.150s, which its owner may change; install jitwarm "
                      "under Program Files, where only administrators write",
                      s->exe);
}

/* `last` NULL: the command has fewer words. False: schtasks cannot be run. */
static bool schtasks(struct jw_startup *s, const char *verb, const char *more, const char *last,
                     struct jw_buf *out, int *code, struct jw_err *err)
{
    struct jw_arena *a = s->run->a;
    char folder[MAX_PATH] = "";

    (void)GetSystemDirectoryA(folder, MAX_PATH);

    const char *const argv[] = {jw_path_join(a, folder, "schtasks.exe"),
                                verb,
                                "/tn",
                                jw_startup_task_name(s, a),
                                more,
                                last,
                                last ? "/f" : NULL,
                                NULL};

    return jw_process_capture(argv[0], argv, COMMAND_MS, out, code, err)
           || jw_wrap(err, "%.200s", argv[0]);
}

bool startup_find(struct jw_startup *s, bool texts, struct jw_err *err)
{
    struct jw_arena *a = s->run->a;
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_CONF);
    struct jw_step *step;
    int code = 0;

    if (!find_sid(s, err) || !schtasks(s, "/query", "/xml", NULL, &out, &code, err))
        return false;
    step = jw_step_add(&s->steps, JW_STEP_TASK, jw_startup_task_name(s, a), a);
    if (!code && out.n) {
        step->found = jw_find(jw_buf_bytes(&out), JW_BYTES(SOURCE)) < out.n;
        if (!step->found)
            step->why = jw_arena_printf(
                a, "%s is a task that jitwarm did not register; it is not changed", step->path);
    }
    if (texts) /* Windows rewrites definitions, so install always registers it again */
        step->text = jw_startup_text(
            s->everybody ? jw_startup_system_task_file : jw_startup_user_task_file, s, a, err);
    return !texts || step->text;
}

static bool change_task(struct jw_startup *s, const char *verb, const char *more, const char *file,
                        struct jw_err *err)
{
    struct jw_step *step = &s->steps.v[s->steps.n - 1];
    struct jw_buf out = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    int code = 0;

    if (!schtasks(s, verb, more, file, &out, &code, err))
        return false;
    step->done = code == 0;
    return step->done
           || jw_fail(err, JW_E_IO, "schtasks %s %.150s: exit code %d%s", verb, step->path, code,
                      s->everybody ? " (--system needs an administrator)" : "");
}

/* Gives the definition to schtasks in a UTF-16 file, the form that the scheduler itself writes. */
static bool register_task(struct jw_startup *s, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    uint16_t *wide = NULL;
    char *dir = NULL;
    bool ok = jw_utf16_from(s->steps.v[s->steps.n - 1].text, &wide, err)
              && jw_state_scratch(s->run->a, &dir, err);

    if (ok) {
        const char *file = jw_path_join(s->run->a, dir, "task.xml");

        jw_buf_add(&text, "\xff\xfe", 2);
        jw_buf_add(&text, wide, wcslen((wchar_t *)wide) * 2);
        ok = jw_buf_ok(&text, err) && jw_file_put(file, JW_OUT_NEW, jw_buf_bytes(&text), err)
             && change_task(s, "/create", "/xml", file, err);
    }
    jw_free(wide);
    jw_scratch_remove(dir);
    return ok;
}

bool startup_apply(struct jw_startup *s, bool put, struct jw_err *err)
{
    return put ? register_task(s, err)
               : !s->steps.v[s->steps.n - 1].found || change_task(s, "/delete", "/f", NULL, err);
}

const char *startup_task_problem(struct jw_startup *s)
{
    s->log = JW_COMMAND(s->run->a, true, "schtasks", "/query", "/v", "/fo", "list", "/tn",
                        s->steps.v[0].path);
    return NULL;
}
