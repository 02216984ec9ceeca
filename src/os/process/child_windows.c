#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "os/files/winpath.h"
#include "os/machine/time.h"
#include "os/process/child.h"
#include "os/process/spawn_windows.h"
#include "os/process/winargv.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <psapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_AT_ONCE = 1 << 20 };

static bool inherited(const char *text, intptr_t *handle, struct jw_err *err)
{
    uint64_t n;

    if (!jw_text_u64(text, &n) || !n || GetFileType((HANDLE)(uintptr_t)n) != FILE_TYPE_PIPE)
        return jw_fail(err, JW_E_USAGE, "\"%.20s\" is no pipe to a parent", text);
    /* Processes that a driver starts must not inherit it. */
    (void)SetHandleInformation((HANDLE)(uintptr_t)n, HANDLE_FLAG_INHERIT, 0);
    *handle = (intptr_t)n;
    return true;
}

bool jw_parent_open(struct jw_parent *p, const char *in, const char *out, struct jw_err *err)
{
    /* No error dialog of Windows, because crashes are expected. */
    (void)SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    return inherited(in, &p->in, err) && inherited(out, &p->out, err);
}

bool jw_parent_read(struct jw_parent *p, void *dst, size_t n, bool *gone, struct jw_err *err)
{
    uint8_t *at = dst;
    size_t left = n;

    *gone = false;
    while (left) {
        DWORD r = 0;
        bool ok = ReadFile((HANDLE)p->in, at, left < MAX_AT_ONCE ? (DWORD)left : MAX_AT_ONCE, &r, NULL);

        if (!ok && GetLastError() != ERROR_BROKEN_PIPE)
            return jw_sys_fail(err, (long)GetLastError());
        if (!ok || !r) {
            *gone = left == n;
            return *gone || jw_fail(err, JW_E_IO, "the parent ended in the middle of a record");
        }
        at += r;
        left -= r;
    }
    return true;
}

bool jw_parent_write(struct jw_parent *p, const void *src, size_t n, struct jw_err *err)
{
    return jw_sys_write(p->out, src, n, err);
}

enum {
    PIPE_SIZE =
        1 << 20, /* larger than a record: a send never blocks on a child that has read the earlier ones */
    NAP_MS = 2   /* poll interval: an anonymous pipe cannot be waited for */
};

/* NULL if there is none, never INVALID_HANDLE_VALUE. */
struct jw_child {
    HANDLE to, from, job, process;
};

struct ends {
    HANDLE in, out, null;
};

/* ---- its start ---- */

static bool make_ends(struct jw_child *c, struct ends *e, struct jw_err *err)
{
    e->null = jw_spawn_null(GENERIC_READ | GENERIC_WRITE);
    if (!e->null || !CreatePipe(&e->in, &c->to, NULL, PIPE_SIZE)
        || !CreatePipe(&c->from, &e->out, NULL, PIPE_SIZE)
        || !SetHandleInformation(e->in, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT)
        || !SetHandleInformation(e->out, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT))
        return jw_sys_fail(err, (long)GetLastError());
    return true;
}

static bool make_line(const struct jw_child_options *o, const struct ends *e, wchar_t **line,
                      struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_COMMAND);
    const char **argv = jw_alloc((o->n_args + 4) * sizeof *argv);
    char number[2][24];

    (void)snprintf(number[0], sizeof number[0], "%llu", (unsigned long long)(uintptr_t)e->in);
    (void)snprintf(number[1], sizeof number[1], "%llu", (unsigned long long)(uintptr_t)e->out);
    argv[0] = o->exe;
    for (size_t i = 0; i < o->n_args; i++)
        argv[1 + i] = o->args[i];
    argv[1 + o->n_args] = number[0];
    argv[2 + o->n_args] = number[1];
    bool ok = jw_winargv_line(&text, argv, err) && jw_utf16_from(jw_buf_cstr(&text), line, err);
    jw_free(argv);
    jw_buf_free(&text);
    return ok;
}

struct spawn {
    wchar_t *exe, *line, *environment;
    struct ends ends;
};

static bool create_child(struct jw_child *c, const struct spawn *b, struct jw_err *err)
{
    const struct ends *e = &b->ends;
    struct jw_spawn how = { .exe = b->exe,
                            .line = b->line,
                            .environment = b->environment,
                            .streams = { e->null, e->null, e->null },
                            .inherited = { e->null, e->in, e->out } };

    return jw_spawn_create(&how, c->job, &c->process, err);
}

bool jw_child_start(struct jw_child **out, const struct jw_child_options *o, struct jw_err *err)
{
    struct spawn b = { 0 };

    *out = NULL;
    if (jw_sys_fault(err))
        return false;
    if (!jw_winpath_absolute(o->exe))
        return jw_fail(err, JW_E_USAGE, "is not an absolute path");

    struct jw_child *c = jw_alloc(sizeof *c);

    bool ok = make_ends(c, &b.ends, err) && make_line(o, &b.ends, &b.line, err)
              && jw_win_path(o->exe, false, &b.exe, err)
              && jw_spawn_environment(o->edits, o->n_edits, false, &b.environment, err)
              && jw_spawn_job(&c->job, JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, err)
              && create_child(c, &b, err);

    jw_spawn_drop(&b.ends.null);
    jw_spawn_drop(&b.ends.in);
    jw_spawn_drop(&b.ends.out);
    jw_free(b.exe);
    jw_free(b.line);
    jw_free(b.environment);
    if (ok)
        *out = c;
    else
        jw_child_free(c);
    return ok;
}

/* ---- talk ---- */

bool jw_child_send(struct jw_child *c, const void *p, size_t n, unsigned timeout_ms, struct jw_err *err)
{
    (void)timeout_ms; /* see PIPE_SIZE */
    return !jw_sys_fault(err) && jw_sys_write((intptr_t)c->to, p, n, err);
}

bool jw_child_read(struct jw_child *c, void *dst, size_t n, unsigned timeout_ms, enum jw_child_read *what,
                   size_t *got, struct jw_err *err)
{
    uint64_t end = jw_time_after_ms(timeout_ms);
    DWORD there = 0, r = 0;

    *got = 0;
    *what = JW_CHILD_SILENT;
    if (jw_sys_fault(err))
        return false;
    while (PeekNamedPipe(c->from, NULL, 0, NULL, &there, NULL)) {
        if (there) {
            if (!ReadFile(c->from, dst, there < n ? there : (DWORD)n, &r, NULL))
                return jw_sys_fail(err, (long)GetLastError());
            *what = JW_CHILD_DATA;
            *got = r;
            return true;
        }
        if (jw_time_monotonic_ns() >= end)
            return true;
        (void)WaitForSingleObject(c->process, NAP_MS);
    }
    *what = JW_CHILD_CLOSED; /* a broken pipe means end of input */
    return true;
}

/* ---- what it holds ---- */

uint64_t jw_child_memory(const struct jw_child *c)
{
    PROCESS_MEMORY_COUNTERS held = { .cb = sizeof held };

    return c->process && K32GetProcessMemoryInfo(c->process, &held, sizeof held) ? held.WorkingSetSize : 0;
}

unsigned long jw_child_id(const struct jw_child *c)
{
    return c->process ? GetProcessId(c->process) : 0;
}

/* ---- its end ---- */

static struct jw_child_end end_from(DWORD code)
{
    static const struct {
        DWORD code;
        const char *name;
    } known[] = {
        { EXCEPTION_ACCESS_VIOLATION, "access violation" },
        { EXCEPTION_STACK_OVERFLOW, "stack overflow" },
        { EXCEPTION_ILLEGAL_INSTRUCTION, "illegal instruction" },
        { EXCEPTION_INT_DIVIDE_BY_ZERO, "division by zero" },
        { 0xc0000374, "heap corruption" },
        { 0xc0000409, "stack buffer overrun" },
    };

    if (code < 0xc0000000)
        return (struct jw_child_end){ .code = code };
    for (size_t i = 0; i < JW_COUNT(known); i++)
        if (known[i].code == code)
            return (struct jw_child_end){ true, code, known[i].name, false };
    return (struct jw_child_end){ true, code, NULL, false };
}

void jw_child_finish(struct jw_child *c, unsigned grace_ms, struct jw_child_end *end, bool *killed)
{
    DWORD code = 0;

    *end = (struct jw_child_end){ 0 };
    jw_spawn_drop(&c->to);
    if (!c->process)
        return;

    bool gone = WaitForSingleObject(c->process, grace_ms) == WAIT_OBJECT_0;

    if (killed)
        *killed = !gone;
    if (c->job)
        (void)TerminateJobObject(c->job, 1);
    /* Waits until Windows has closed its files. */
    (void)WaitForSingleObject(c->process, INFINITE);
    if (GetExitCodeProcess(c->process, &code))
        *end = end_from(code);
    jw_spawn_drop(&c->process);
}

void jw_child_free(struct jw_child *c)
{
    struct jw_child_end end;

    if (!c)
        return;
    jw_child_finish(c, 0, &end, NULL);
    jw_spawn_drop(&c->from);
    jw_spawn_drop(&c->job); /* closing the job kills its processes */
    jw_free(c);
}

bool jw_detach(const char *exe, const char *const argv[], const char *user, struct jw_err *err)
{
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);
    wchar_t *wide_exe = NULL, *wide = NULL;
    STARTUPINFOW how = { .cb = sizeof how };
    PROCESS_INFORMATION made;
    bool ok;

    if (jw_sys_fault(err))
        return false;
    if (user)
        return jw_fail(err, JW_E_USAGE, "Windows starts nothing as another user without a password");
    ok = jw_winargv_line(&line, argv, err) && jw_utf16_from(jw_buf_cstr(&line), &wide, err)
         && jw_win_path(exe, false, &wide_exe, err);
    if (ok
        && !CreateProcessW(wide_exe, wide, NULL, NULL, FALSE, DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
                           NULL, NULL, &how, &made))
        ok = jw_sys_fail(err, (long)GetLastError());
    else if (ok) {
        (void)CloseHandle(made.hThread);
        (void)CloseHandle(made.hProcess);
    }
    jw_free(wide_exe);
    jw_free(wide);
    jw_buf_free(&line);
    return ok || jw_wrap(err, "%s", exe);
}
