/* Runs a command on this console and these standard streams. */
#include "base/compiler.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "jitwarm/err.h"
#include "os/files/winpath.h"
#include "os/machine/interrupt.h"
#include "os/process/exec.h"
#include "os/process/foreground.h"
#include "os/process/process.h"
#include "os/process/spawn_windows.h"
#include "os/process/winargv.h"
#include "os/sys.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

/* The command gets Ctrl-C, too, because it shares the console. After the console is closed, Windows ends this process
 * when the handler returns or after some seconds; the handler waits for the command's exit code until then. */
static BOOL WINAPI stand_by(DWORD event)
{
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
    return TRUE;
}

static bool find_command(const char *name, struct jw_buf *path, int *exit_code, struct jw_err *err)
{
    struct jw_err why = { 0 };
    bool found = true;

    if (jw_text_ends(name, ".bat") || jw_text_ends(name, ".cmd"))
        return jw_fail(err, JW_E_IO, "%s: is a batch file; run cmd /c %s", name, name);
    if (strpbrk(name, "/\\:")) {
        jw_buf_text(path, name);
        if (!strchr(jw_path_base(name), '.'))
            jw_buf_text(path, ".exe");
    } else if (!jw_process_find(name, path, &found, &why)) {
        *err = why;
        return jw_wrap(err, "%s", name);
    }
    if (found)
        return jw_buf_ok(path, err);
    *exit_code = JW_EXEC_NOT_FOUND;
    return jw_fail(err, JW_E_IO, "%s: not found", name);
}

static HANDLE stream(DWORD which)
{
    HANDLE h = GetStdHandle(which);

    if (h && h != INVALID_HANDLE_VALUE)
        (void)SetHandleInformation(h, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    return h;
}

static bool start_command(const wchar_t *exe, wchar_t *line, wchar_t *environment, bool output_to_errors,
                          HANDLE job, HANDLE *process, struct jw_err *err)
{
    STARTUPINFOW how = { .cb = sizeof how,
                         .dwFlags = STARTF_USESTDHANDLES,
                         .hStdInput = stream(STD_INPUT_HANDLE),
                         .hStdOutput = stream(output_to_errors ? STD_ERROR_HANDLE : STD_OUTPUT_HANDLE),
                         .hStdError = stream(STD_ERROR_HANDLE) };
    PROCESS_INFORMATION made;

    if (!CreateProcessW(exe, line, NULL, NULL, TRUE, CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT,
                        environment, NULL, &how, &made))
        return jw_sys_fail(err, (long)GetLastError());
    return jw_spawn_resume(&made, job, process, err);
}

static bool await_command(HANDLE process, int *exit_code, struct jw_err *err)
{
    DWORD code = 0;

    if (WaitForSingleObject(process, INFINITE) != WAIT_OBJECT_0 || !GetExitCodeProcess(process, &code))
        return jw_sys_fail(err, (long)GetLastError());
    *exit_code = (int)code;
    return true;
}

static bool run_found(const char *path, const struct jw_foreground *o, wchar_t *environment, int *exit_code,
                      struct jw_err *err)
{
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);
    wchar_t *exe = NULL, *wide = NULL;
    HANDLE job = NULL, process = NULL;
    bool ok = jw_winargv_line(&line, o->argv, err) && jw_utf16_from(jw_buf_cstr(&line), &wide, err)
              && jw_win_path(path, false, &exe, err)
              /* The job holds only the command itself: its children survive this process. */
              && jw_spawn_job(&job, JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK, err);

    if (ok) {
        (void)SetConsoleCtrlHandler(stand_by, TRUE);
        ok = start_command(exe, wide, environment, o->output_to_errors, job, &process, err);
        if (!ok && jw_sys_is_not_found(err->os))
            *exit_code = JW_EXEC_NOT_FOUND;
        if (ok && o->look)
            o->look(o->ctx);
        ok = ok && await_command(process, exit_code, err);
        (void)SetConsoleCtrlHandler(stand_by, FALSE);
    }
    jw_spawn_drop(&process);
    jw_spawn_drop(&job);
    jw_free(exe);
    jw_free(wide);
    jw_buf_free(&line);
    return ok || jw_wrap(err, "%s", o->argv[0]);
}

/* Finds argv[0], in PATH if it has no separator. `environment` NULL: this process's. False: `*exit_code` is the shell's
 * code for the failure. */
static bool run_command(const struct jw_foreground *o, wchar_t *environment, int *exit_code,
                        struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool ok = find_command(o->argv[0], &path, exit_code, err)
              && run_found(jw_buf_cstr(&path), o, environment, exit_code, err);

    jw_buf_free(&path);
    return ok;
}

bool jw_exec(const char *const argv[], const struct jw_child_edit *edits, size_t n, int *exit_code,
             struct jw_err *err)
{
    wchar_t *environment = NULL;

    *exit_code = JW_EXEC_REFUSED;
    if (jw_sys_fault(err))
        return false;
    (void)fflush(NULL);
    if (jw_interrupt_forget()) {
        *exit_code = JW_EXEC_INTERRUPTED;
        return jw_fail(err, JW_E_INTERRUPTED, "%s: interrupted before it was started", argv[0]);
    }
    bool ok = jw_spawn_environment(edits, n, false, &environment, err)
              && run_command(&(struct jw_foreground){ .argv = argv }, environment, exit_code, err);

    jw_free(environment);
    return ok;
}

bool jw_foreground_run(const struct jw_foreground *o, struct jw_foreground_end *out, struct jw_err *err)
{
    wchar_t *environment = NULL;

    *out = (struct jw_foreground_end){ .code = JW_EXEC_REFUSED };
    if (jw_sys_fault(err))
        return false;
    if (!jw_not_interrupted(o->interrupted, err))
        return false;
    (void)fflush(NULL);

    bool ok = jw_spawn_environment(o->edits, o->n_edits, false, &environment, err)
              && run_command(o, environment, &out->code, err);

    jw_free(environment);
    return ok;
}

void jw_die_by_signal(int sig)
{
    (void)sig;
}
