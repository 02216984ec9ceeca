/* A task of the Task Scheduler, by schtasks: its exit codes and the definition itself are read, never its words, which are in the
 * system's language. */
#include "base/buf.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/files/winpath.h"
#include "os/process/process.h"
#include "os/sys_windows.h"
#include "setup/startup_system.h"

#include <sddl.h>
#include <shlobj.h>
#include <string.h>

enum { COMMAND_MS = 30000 };

#define SOURCE "<Source>jitwarm</Source>"

static const char *utf8_of(const wchar_t *wide, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_PATH);

    jw_utf16_to(&text, (const uint16_t *)wide);
    return jw_buf_cstr(&text);
}

static bool find_sid(struct startup *s, struct jw_err *err)
{
    union jw_win_user user;
    wchar_t *text = NULL;

    if (s->spec.user || s->o->everybody)
        return true;
    if (!jw_win_user(&user, err))
        return false;
    if (!ConvertSidToStringSidW(user.token.User.Sid, &text))
        return jw_fail(err, JW_E_IO, "Windows does not name this user (error %lu)", GetLastError());
    s->spec.user = utf8_of(text, s->run->a);
    LocalFree(text);
    return true;
}

/* Folders that only administrators may change, each ended by \n. */
static const char *program_folders(struct jw_arena *a)
{
    const KNOWNFOLDERID *const ids[] = { &FOLDERID_ProgramFiles, &FOLDERID_ProgramFilesX64,
                                         &FOLDERID_ProgramFilesX86 };
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_PATH);

    for (size_t i = 0; i < JW_COUNT(ids); i++) {
        wchar_t *path = NULL;

        if (SUCCEEDED(SHGetKnownFolderPath(ids[i], 0, NULL, &path)))
            jw_buf_printf(&out, "%s\n", utf8_of(path, a));
        CoTaskMemFree(path);
    }
    return jw_buf_cstr(&out);
}

bool startup_may_install(struct startup *s, struct jw_err *err)
{
    return !s->o->everybody || jw_startup_in_programs(s->spec.exe, program_folders(s->run->a))
           || jw_fail(err, JW_E_IO,
                      "every user would run %.150s, which its owner may change; install jitwarm under "
                      "Program Files, where only "
                      "administrators write",
                      s->spec.exe);
}

/* Runs schtasks with these words. False: it cannot be run. */
static bool schtasks(struct startup *s, const char *const *words, struct jw_buf *out, int *code,
                     struct jw_err *err)
{
    const char *argv[12] = { jw_arena_printf(s->run->a, "%s\\schtasks.exe", "C:\\Windows\\System32") };
    wchar_t folder[MAX_PATH];

    if (GetSystemDirectoryW(folder, MAX_PATH))
        argv[0] = jw_arena_printf(s->run->a, "%s\\schtasks.exe", utf8_of(folder, s->run->a));
    for (size_t i = 0; words[i] && i < JW_COUNT(argv) - 2; i++)
        argv[i + 1] = words[i];
    return jw_process_capture(argv[0], argv, COMMAND_MS, out, code, err) || jw_wrap(err, "%.200s", argv[0]);
}

bool startup_find(struct startup *s, bool texts, struct jw_err *err)
{
    struct jw_arena *a = s->run->a;
    struct jw_buf out = JW_BUF(JW_MAX_CONF);
    int code = 0;

    if (!find_sid(s, err))
        return false;

    const char *name = jw_startup_task_name(&s->spec, a);
    const char *const query[] = { "/query", "/tn", name, "/xml", NULL };
    struct jw_step *step = jw_step_add(&s->out->steps, JW_STEP_TASK, name, a);
    bool ok = schtasks(s, query, &out, &code, err);

    if (ok && !code && out.n) {
        step->found = jw_find(jw_buf_bytes(&out), JW_BYTES(SOURCE)) < out.n;
        if (!step->found)
            step->why =
                jw_arena_printf(a, "%s is a task that jitwarm did not register; it is not changed", name);
    }
    jw_buf_free(&out);
    /* Windows rewrites definitions, so install always registers it again. */
    return ok && (!texts || (step->text = jw_startup_task(&s->spec, a, err)) != NULL);
}

static bool run_for(struct startup *s, struct jw_step *step, const char *const *words, struct jw_err *err)
{
    struct jw_buf out = JW_BUF(JW_MAX_CONF);
    int code = 0;
    bool ok = schtasks(s, words, &out, &code, err);

    jw_buf_free(&out);
    if (!ok)
        return false;
    step->done = code == 0;
    return step->done
           || jw_fail(err, JW_E_IO, "schtasks %s %.150s: exit code %d%s", words[0], step->path, code,
                      s->o->everybody ? " (--system needs an administrator)" : "");
}

/* The definition goes through a file of UTF-16, as the scheduler itself writes them. */
static bool register_task(struct startup *s, struct jw_step *step, struct jw_err *err)
{
    wchar_t folder[MAX_PATH + 1] = L"";
    uint16_t *wide = NULL;
    char *dir = NULL;

    if (!GetTempPathW(MAX_PATH, folder) || !jw_utf16_from(step->text, &wide, err))
        return jw_fail(err, JW_E_IO, "there is no folder for temporary files");

    bool ok = jw_scratch_make(utf8_of(folder, s->run->a), "jitwarm-task", s->run->a, &dir, err);
    const char *file = ok ? jw_path_join(s->run->a, dir, "task.xml") : "";
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    const char *const create[] = { "/create", "/tn", step->path, "/xml", file, "/f", NULL };

    jw_buf_add(&text, "\xff\xfe", 2);
    jw_buf_add(&text, wide, wcslen((wchar_t *)wide) * 2);
    ok = ok && jw_buf_ok(&text, err) && jw_file_put(file, JW_OUT_NEW, jw_buf_bytes(&text), err)
         && run_for(s, step, create, err);
    jw_buf_free(&text);
    jw_free(wide);
    jw_scratch_remove(dir);
    return ok;
}

bool startup_tell(struct startup *s, bool put, struct jw_err *err)
{
    struct jw_step *step = &s->out->steps.v[s->out->steps.n - 1];
    const char *const remove[] = { "/delete", "/tn", step->path, "/f", NULL };

    return put ? register_task(s, step, err) : !step->found || run_for(s, step, remove, err);
}

const char *startup_ask(struct startup *s)
{
    s->out->log = JW_COMMAND(s->run->a, true, "schtasks", "/query", "/v", "/fo", "list", "/tn",
                             s->out->steps.v[0].path);
    return NULL;
}
