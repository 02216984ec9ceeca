#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/process/spawn_windows.h"
#include "os/process/winargv.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double seconds_of(FILETIME t)
{
    return (double)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) / 1e7;
}

bool jw_process_cpu(unsigned long pid, double *seconds)
{
    FILETIME made, ended, kernel, user;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    bool ok = process && GetProcessTimes(process, &made, &ended, &kernel, &user);

    if (ok)
        *seconds = seconds_of(kernel) + seconds_of(user);
    if (process)
        (void)CloseHandle(process);
    return ok;
}

enum {
    STEP = 16384,
    PIPE_SIZE = 1 << 20, /* because the process is polled every NAP_MS */
    NAP_MS = 5
};

#ifndef IO_REPARSE_TAG_APPEXECLINK
#define IO_REPARSE_TAG_APPEXECLINK 0x8000001b
#endif

/* NULL if there is none, never INVALID_HANDLE_VALUE. */
struct child {
    HANDLE in, out, err; /* this process's copies of its standard streams */
    HANDLE read;         /* the other end of `out` */
    HANDLE job, process;
};

static void close_child(struct child *c)
{
    jw_spawn_drop(&c->in);
    jw_spawn_drop(&c->out);
    jw_spawn_drop(&c->err);
    jw_spawn_drop(&c->read);
    jw_spawn_drop(&c->process);
    jw_spawn_drop(&c->job); /* closing the job kills its processes */
}

/* Written before the child starts: the pipe is large enough for it. */
static bool fill_pipe(HANDLE *in, struct jw_bytes input, struct jw_err *err)
{
    HANDLE to = NULL;
    DWORD n = 0;

    if (input.n > JW_PROCESS_INPUT)
        return jw_fail(err, JW_E_LIMIT, "its input has more than %d bytes", JW_PROCESS_INPUT);
    bool ok = (CreatePipe(in, &to, NULL, PIPE_SIZE) && WriteFile(to, input.p, (DWORD)input.n, &n, NULL)
               && n == input.n && SetHandleInformation(*in, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT))
              || jw_sys_fail(err, (long)GetLastError());

    jw_spawn_drop(&to);
    return ok;
}

static bool make_streams(struct child *c, struct jw_bytes input, struct jw_err *err)
{
    if (input.n && !fill_pipe(&c->in, input, err))
        return false;
    c->in = c->in ? c->in : jw_spawn_null(GENERIC_READ);
    c->err = jw_spawn_null(GENERIC_WRITE);
    if (!c->in || !c->err || !CreatePipe(&c->read, &c->out, NULL, PIPE_SIZE)
        || !SetHandleInformation(c->out, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT))
        return jw_sys_fail(err, (long)GetLastError());
    return true;
}

static bool create_program(struct child *c, const struct jw_spawn *what, struct jw_err *err)
{
    struct jw_spawn b = *what;

    memcpy(b.streams, (const HANDLE[]){ c->in, c->out, c->err }, sizeof b.streams);
    memcpy(b.inherited, b.streams, sizeof b.inherited);
    return jw_spawn_create(&b, c->job, &c->process, err);
}

static bool start_program(struct child *c, const struct jw_process_options *o, struct jw_err *err)
{
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);
    wchar_t *exe = NULL;
    struct jw_spawn b = { 0 };
    bool ok = jw_winargv_line(&line, o->argv, err) && jw_win_path(o->exe, false, &exe, err)
              && jw_utf16_from(jw_buf_cstr(&line), &b.line, err)
              && jw_spawn_environment(o->edits, o->n_edits, o->bare, &b.environment, err)
              && make_streams(c, o->input, err)
              && jw_spawn_job(&c->job, JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, err);

    b.exe = exe;
    ok = ok && create_program(c, &b, err);
    jw_spawn_drop(&c->in);
    jw_spawn_drop(&c->out);
    jw_spawn_drop(&c->err);
    jw_free(exe);
    jw_free(b.line);
    jw_free(b.environment);
    jw_buf_free(&line);
    return ok;
}

/* Reads what is in the pipe now. A broken pipe means the end. */
static bool drain(struct child *c, uint64_t deadline, struct jw_buf *out, struct jw_err *err)
{
    uint8_t step[STEP];
    DWORD there = 0, n = 0;

    while (c->read && jw_time_monotonic_ns() < deadline) {
        if (!PeekNamedPipe(c->read, NULL, 0, NULL, &there, NULL)) {
            jw_spawn_drop(&c->read);
            return true;
        }
        if (!there)
            return true;
        if (!ReadFile(c->read, step, there < STEP ? there : STEP, &n, NULL))
            return jw_sys_fail(err, (long)GetLastError());
        jw_buf_add(out, step, n);
        if (!jw_buf_ok(out, err))
            return jw_wrap(err, "its output");
    }
    return true;
}

static bool collect_output(struct child *c, const struct jw_process_options *o, struct jw_buf *out,
                           struct jw_err *err)
{
    uint64_t deadline = jw_time_after_ms(o->timeout_ms);

    for (;;) {
        /* This order sees all output that was written before the end. */
        bool gone = WaitForSingleObject(c->process, NAP_MS) == WAIT_OBJECT_0;

        if (!drain(c, deadline, out, err))
            return false;
        if (gone)
            return true;
        if (!jw_not_interrupted(o->interrupted, err))
            return false;
        if (jw_time_monotonic_ns() >= deadline)
            return jw_fail(err, JW_E_IO, "ran longer than %u ms and was ended", o->timeout_ms);
        if (o->look)
            o->look(o->ctx);
    }
}

/* An exception's code (0xC0000005) corresponds to a signal. */
static bool check_end(const struct child *c, int *exit_code, struct jw_err *err)
{
    DWORD code = 0;

    if (!GetExitCodeProcess(c->process, &code))
        return jw_sys_fail(err, (long)GetLastError());
    if (code >= 0xc0000000)
        return jw_fail(err, JW_E_IO, "was ended by exception 0x%08lx", (unsigned long)code);
    *exit_code = (int)code;
    return true;
}

static bool is_exe(const char *path)
{
    size_t n = strlen(path);

    return n > 4 && _stricmp(path + n - 4, ".exe") == 0;
}

bool jw_process_run(const struct jw_process_options *o, struct jw_buf *out, int *exit_code,
                    struct jw_err *err)
{
    struct child c = { 0 };

    *exit_code = -1;
    if (jw_sys_fault(err))
        return false;
    if (!jw_winpath_absolute(o->exe))
        return jw_fail(err, JW_E_USAGE, "is not an absolute path");
    if (!is_exe(o->exe))
        return jw_fail(err, JW_E_IO, "is not an .exe");

    bool ok = start_program(&c, o, err) && collect_output(&c, o, out, err) && check_end(&c, exit_code, err);

    if (c.job)
        (void)TerminateJobObject(c.job, 1);
    /* Waits until Windows has closed its files. */
    if (c.process)
        (void)WaitForSingleObject(c.process, INFINITE);
    close_child(&c);
    return ok;
}

/* The aliases in WindowsApps open the Microsoft Store instead of the program. They are reparse points. */
static bool runnable(const char *path)
{
    struct jw_err ignored;
    WIN32_FIND_DATAW data;
    wchar_t *wide = NULL;

    if (strpbrk(path, "*?") || !jw_win_path(path, false, &wide, &ignored))
        return false;

    HANDLE h = FindFirstFileW(wide, &data);

    jw_free(wide);
    if (h == INVALID_HANDLE_VALUE)
        return false;
    (void)FindClose(h);
    if (data.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        return false;
    return !(data.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
           || data.dwReserved0 != IO_REPARSE_TAG_APPEXECLINK;
}

/* Appends `name` to one entry of PATH, without its quotes, in `path`. */
static bool candidate(struct jw_buf *path, const char *entry, size_t n, const char *name)
{
    if (n >= 2 && entry[0] == '"' && entry[n - 1] == '"') {
        entry++;
        n -= 2;
    }
    jw_buf_clear(path);
    jw_buf_add(path, entry, n);
    jw_buf_text(path, "\\");
    jw_buf_text(path, name);
    if (!is_exe(name))
        jw_buf_text(path, ".exe");

    const char *text = jw_buf_cstr(path);

    return jw_winpath_absolute(text) && runnable(text);
}

bool jw_process_find(const char *name, struct jw_buf *path, bool *found, struct jw_err *err)
{
    struct jw_buf list = JW_BUF(JW_MAX_PATH);
    bool ok = true;

    *found = false;
    if (jw_sys_fault(err))
        return false;
    if (!*name || strpbrk(name, "/\\:*?"))
        return jw_fail(err, JW_E_USAGE, "\"%s\" is not the name of a program", name);
    if (jw_win_env("PATH", &list))
        for (const char *at = jw_buf_cstr(&list); *at && ok && !*found;) {
            size_t n = strcspn(at, ";");

            *found = n && candidate(path, at, n, name);
            ok = jw_buf_ok(path, err);
            at += n + (at[n] == ';');
        }
    ok = ok && jw_buf_ok(&list, err);
    if (!*found)
        jw_buf_clear(path);
    jw_buf_free(&list);
    return ok;
}

bool jw_process_self(struct jw_buf *path, struct jw_err *err)
{
    enum { ROOM = 32768 };

    if (jw_sys_fault(err))
        return false;

    wchar_t *wide = jw_alloc(ROOM * sizeof *wide);

    DWORD n = GetModuleFileNameW(NULL, wide, ROOM);
    bool ok = n && n < ROOM;

    if (ok)
        jw_utf16_to(path, wide);
    else
        (void)jw_sys_fail(err, (long)GetLastError());
    jw_free(wide);
    return ok && jw_buf_ok(path, err);
}

unsigned long jw_process_id(void)
{
    return GetCurrentProcessId();
}

bool jw_process_elevated(void)
{
    TOKEN_ELEVATION elevation = { 0 };
    DWORD n = 0;
    HANDLE token;

    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;

    bool ok = GetTokenInformation(token, TokenElevation, &elevation, sizeof elevation, &n);

    (void)CloseHandle(token);
    return ok && elevation.TokenIsElevated;
}

void jw_process_shield(void) {}
