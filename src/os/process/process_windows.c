#include "os/process/process.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/work.h"
#include "os/files/file.h"
#include "os/files/winpath.h"
#include "os/machine/interrupt.h"
#include "os/machine/time.h"
#include "os/process/winargv.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <io.h>
#include <psapi.h>
#include <shlobj.h>
#include <stdio.h>
#include <string.h>

enum {
    /* larger than a record: a send never blocks on a child that has read the earlier ones */
    PIPE_SIZE = 1 << 20,
    NAP_MS = 2 /* poll interval: an anonymous pipe cannot be waited for */
};

/* NULL if there is none, never INVALID_HANDLE_VALUE. */
struct jw_process {
    HANDLE to, from, job, process;
};

static void drop(HANDLE *h)
{
    if (*h)
        (void)CloseHandle(*h);
    *h = NULL;
}

/* ---- its environment ---- */

static int by_variable(const void *a, const void *b)
{
    return _stricmp(*(const char *const *)a, *(const char *const *)b);
}

/* "=D:=D:\\folder", the current folder of each drive. */
static void add_drive_folders(struct jw_buf *block, const wchar_t *inherited)
{
    for (const wchar_t *at = inherited; *at; at += wcslen(at) + 1)
        if (*at == L'=')
            jw_buf_add(block, at, (wcslen(at) + 1) * sizeof *at);
}

/* The block is "A=1\0B=2\0\0", sorted by name without regard to case. First come "=D:=D:\\folder",
 * the current folder of each drive: cmd and the C library keep them among the variables. */
static bool make_environment(const struct jw_command *c, struct jw_buf *block, struct jw_err *err)
{
    struct jw_arena a = {0};
    wchar_t *inherited = GetEnvironmentStringsW();
    const char **list = NULL;
    size_t n = 0;
    bool ok = jw_child_environment(c, &a, &list, err);

    while (ok && list[n])
        n++;
    if (inherited)
        add_drive_folders(block, inherited);
    (void)FreeEnvironmentStringsW(inherited);
    jw_sort(list, n, sizeof *list, by_variable);
    for (size_t i = 0; i < n; i++) {
        wchar_t *wide = NULL;

        if (!ok)
            break;
        ok = jw_utf16_from(list[i], &wide, err);
        jw_buf_add(block, wide, ok ? (wcslen(wide) + 1) * sizeof *wide : 0);
        jw_free(wide);
    }
    jw_buf_fill(block, 0, n ? sizeof(wchar_t) : 2 * sizeof(wchar_t));
    jw_arena_free(&a);
    return ok && jw_buf_ok(block, err);
}

/* ---- its start ---- */

enum kind { HIDDEN, FOREGROUND, DETACHED, KINDS };

/* What CreateProcessW is given. */
struct birth {
    enum kind kind;
    wchar_t *exe, *line;
    struct jw_buf environment;
    HANDLE streams[3];
    LPPROC_THREAD_ATTRIBUTE_LIST list; /* NULL: it inherits all that can be inherited */
};

/* A job kills its processes when it is closed. That of a foreground command holds only the command
 * itself: its children survive this process. */
static bool make_job(enum kind kind, HANDLE *job, struct jw_err *err)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};

    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
        | (kind == HIDDEN ? JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
                          : JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK);
    *job = CreateJobObjectW(NULL, NULL);
    return (*job
            && SetInformationJobObject(*job, JobObjectExtendedLimitInformation, &limits,
                                       sizeof limits))
           || jw_win_fail(err);
}

/* The process starts suspended, and can start nothing outside the job. */
static bool create(struct jw_process *p, struct birth *b, struct jw_err *err)
{
    static const DWORD flags[] = {[HIDDEN] = CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT,
                                  [FOREGROUND] = 0,
                                  [DETACHED] = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP};
    JW_ROW_FOR_EACH(flags, KINDS, 3);
    bool detached = b->kind == DETACHED;
    STARTUPINFOEXW start = {.StartupInfo = {.cb = sizeof start.StartupInfo,
                                            .hStdInput = b->streams[0],
                                            .hStdOutput = b->streams[1],
                                            .hStdError = b->streams[2]},
                            .lpAttributeList = b->list};
    PROCESS_INFORMATION made;

    if (b->list)
        start.StartupInfo.cb = sizeof start;
    if (!detached)
        start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    jw_work_add(JW_WORK_PROCESSES, 1);
    if (!CreateProcessW(b->exe, b->line, NULL, NULL, !detached,
                        flags[b->kind] | CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT,
                        b->environment.p, NULL, &start.StartupInfo, &made))
        return jw_win_fail(err);
    bool ok = (!p->job || AssignProcessToJobObject(p->job, made.hProcess))
              && ResumeThread(made.hThread) != (DWORD)-1;

    if (!ok) {
        (void)jw_win_fail(err);
        (void)TerminateProcess(made.hProcess, 1);
    }
    (void)CloseHandle(made.hThread);
    p->process = made.hProcess;
    return ok;
}

/* The process inherits its three streams alone. */
static bool create_hidden(struct jw_process *p, struct birth *b, struct jw_err *err)
{
    SIZE_T size = 0;

    (void)InitializeProcThreadAttributeList(NULL, 1, 0, &size);

    LPPROC_THREAD_ATTRIBUTE_LIST list = jw_alloc(size);

    bool made = InitializeProcThreadAttributeList(list, 1, 0, &size);
    bool ok = (made
               && UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, b->streams,
                                            sizeof b->streams, NULL, NULL))
              || jw_win_fail(err);

    b->list = list;
    ok = ok && create(p, b, err);
    if (made)
        DeleteProcThreadAttributeList(list);
    jw_free(list);
    return ok;
}

/* CreateProcessW would start a shell for a batch file. */
static bool is_batch(const char *exe)
{
    size_t n = strlen(exe);

    return n > 4 && (_stricmp(exe + n - 4, ".bat") == 0 || _stricmp(exe + n - 4, ".cmd") == 0);
}

static bool spawn(struct jw_process *p, const struct jw_command *c, const char *exe, enum kind kind,
                  const HANDLE streams[3], struct jw_err *err)
{
    struct birth b = {.kind = kind, .environment = JW_BUF(JW_MAX_ARENA)};
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);
    bool ok;

    if (is_batch(exe))
        return jw_fail(err, JW_E_IO, "is a batch file; run cmd /c %s", c->argv[0]);
    memcpy(b.streams, streams, sizeof b.streams);
    ok = jw_winargv_line(&line, c->argv, err) && jw_utf16_from(jw_buf_cstr(&line), &b.line, err)
         && jw_win_path(exe, false, &b.exe, err) && make_environment(c, &b.environment, err);
    if (ok && kind != DETACHED)
        ok = make_job(kind, &p->job, err);
    if (ok)
        ok = kind == HIDDEN ? create_hidden(p, &b, err) : create(p, &b, err);
    jw_free(b.exe);
    jw_free(b.line);
    jw_buf_free(&b.environment);
    jw_buf_free(&line);
    return ok;
}

static HANDLE inheritable(HANDLE h)
{
    if (h && h != INVALID_HANDLE_VALUE)
        (void)SetHandleInformation(h, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    return h;
}

/* Input that is given is in the pipe before it starts: the pipe is large enough. */
static bool make_streams(struct jw_process *p, const struct jw_command *c, HANDLE streams[3],
                         struct jw_err *err)
{
    DWORD n = 0;
    HANDLE null = CreateFileW(L"NUL", GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                              OPEN_EXISTING, 0, NULL);

    streams[2] = null == INVALID_HANDLE_VALUE ? NULL : inheritable(null);
    bool ok = streams[2] && CreatePipe(&streams[0], &p->to, NULL, PIPE_SIZE)
              && CreatePipe(&p->from, &streams[1], NULL, PIPE_SIZE);

    if (ok && c->input.n)
        ok = WriteFile(p->to, c->input.p, (DWORD)c->input.n, &n, NULL);
    if (!ok)
        return jw_win_fail(err);
    (void)inheritable(streams[0]);
    (void)inheritable(streams[1]);
    if (c->prints)
        drop(&p->to);
    return true;
}

bool jw_process_begin(struct jw_process **p, const struct jw_command *c, struct jw_err *err)
{
    HANDLE streams[3] = {NULL};

    *p = jw_alloc(sizeof **p);
    bool ok = make_streams(*p, c, streams, err) && spawn(*p, c, c->exe, HIDDEN, streams, err);

    for (int i = 0; i < 3; i++)
        drop(&streams[i]);
    return ok;
}

bool jw_process_detach(const struct jw_command *c, struct jw_err *err)
{
    struct jw_process p = {0};

    if (jw_sys_fault(err))
        return false;
    if (c->user)
        return jw_fail(err, JW_E_USAGE,
                       "Windows starts nothing as another user without a password");
    bool ok = spawn(&p, c, c->exe, DETACHED, (const HANDLE[3]){NULL}, err);

    drop(&p.process);
    return ok || jw_wrap(err, "%s", c->exe);
}

/* ---- talk ---- */

bool jw_process_send(struct jw_process *p, const void *bytes, size_t n, unsigned timeout_ms,
                     struct jw_err *err)
{
    (void)timeout_ms; /* see PIPE_SIZE */
    return !jw_sys_fault(err) && jw_sys_write_all((intptr_t)p->to, JW_SYS_NEXT, bytes, n, err);
}

bool jw_process_read(struct jw_process *p, void *dst, size_t n, unsigned timeout_ms,
                     enum jw_process_read *what, size_t *got, struct jw_err *err)
{
    uint64_t end = jw_time_after_ms(timeout_ms);
    DWORD there = 0;

    *got = 0;
    *what = JW_PROCESS_SILENT;
    if (jw_sys_fault(err))
        return false;
    while (PeekNamedPipe(p->from, NULL, 0, NULL, &there, NULL)) {
        if (there) {
            *what = JW_PROCESS_DATA;
            return jw_sys_read((intptr_t)p->from, JW_SYS_NEXT, dst, n, got, err);
        }
        if (jw_time_monotonic_ns() >= end)
            return true;
        (void)WaitForSingleObject(p->process, NAP_MS);
    }
    *what = JW_PROCESS_CLOSED; /* a broken pipe means end of input */
    return true;
}

/* Takes a standard stream's pipe for the talk alone: libraries print to the stream or handle. */
static HANDLE take_stream(FILE *stream, const char *mode, DWORD which)
{
    HANDLE self = GetCurrentProcess();
    HANDLE h = GetStdHandle(which);
    HANDLE taken = NULL;

    if (GetFileType(h) != FILE_TYPE_PIPE
        || !DuplicateHandle(self, h, self, &taken, 0, FALSE, DUPLICATE_SAME_ACCESS))
        return NULL;
    if (freopen("NUL", mode, stream))
        (void)SetStdHandle(which, (HANDLE)_get_osfhandle(_fileno(stream)));
    return taken;
}

bool jw_parent_open(struct jw_parent *p, struct jw_err *err)
{
    bool pipes = GetFileType(GetStdHandle(STD_INPUT_HANDLE)) == FILE_TYPE_PIPE;
    HANDLE in = pipes ? take_stream(stdin, "r", STD_INPUT_HANDLE) : NULL;
    HANDLE out = in ? take_stream(stdout, "w", STD_OUTPUT_HANDLE) : NULL;

    /* No error dialog of Windows, because crashes are expected. */
    (void)SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    *p = (struct jw_parent){(intptr_t)in, (intptr_t)out};
    return out
           || jw_fail(err, JW_E_USAGE,
                      "standard input is no pipe to a parent: jitwarm starts this for itself");
}

uint64_t jw_process_memory(const struct jw_process *p)
{
    PROCESS_MEMORY_COUNTERS held = {.cb = sizeof held};

    return p->process && K32GetProcessMemoryInfo(p->process, &held, sizeof held)
               ? held.WorkingSetSize
               : 0;
}

/* ---- its end ---- */

static void describe_end(HANDLE process, struct jw_process_end *end)
{
    DWORD code = 0;

    (void)GetExitCodeProcess(process, &code);
    end->code = (int)code;
    end->crashed = code >= 0xc0000000;
    (void)snprintf(end->how, sizeof end->how, end->crashed ? "exception 0x%08lx" : "exit %lu",
                   (unsigned long)code);
}

bool jw_process_ended(const struct jw_process *p)
{
    return !p->process || WaitForSingleObject(p->process, 0) == WAIT_OBJECT_0;
}

void jw_process_finish(struct jw_process *p, unsigned grace_ms, struct jw_process_end *end)
{
    *end = (struct jw_process_end){0};
    drop(&p->to);
    if (!p->process)
        return;
    end->killed = WaitForSingleObject(p->process, grace_ms) != WAIT_OBJECT_0;
    if (p->job)
        (void)TerminateJobObject(p->job, 1);
    /* Waits until Windows has closed its files. */
    (void)WaitForSingleObject(p->process, INFINITE);
    describe_end(p->process, end);
    drop(&p->process);
}

void jw_process_free(struct jw_process *p)
{
    struct jw_process_end end;

    if (!p)
        return;
    jw_process_finish(p, 0, &end);
    drop(&p->from);
    drop(&p->job);
    jw_free(p);
}

/* ---- the user's command, on this console ---- */

/* The command gets Ctrl-C, too, because it shares the console. After the console is closed, Windows
 * ends this process when the handler returns or after some seconds; the handler waits for the
 * command's exit code until then. */
static BOOL WINAPI stand_by(DWORD event)
{
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
    return TRUE;
}

static bool run_found(const struct jw_command *c, const char *exe, struct jw_process_end *out,
                      struct jw_err *err)
{
    const DWORD output = c->output_to_errors ? STD_ERROR_HANDLE : STD_OUTPUT_HANDLE;
    const HANDLE streams[] = {inheritable(GetStdHandle(STD_INPUT_HANDLE)),
                              inheritable(GetStdHandle(output)),
                              inheritable(GetStdHandle(STD_ERROR_HANDLE))};
    struct jw_process p = {0};
    bool ok;

    (void)SetConsoleCtrlHandler(stand_by, TRUE);
    ok = spawn(&p, c, exe, FOREGROUND, streams, err);
    if (ok) {
        (void)WaitForSingleObject(p.process, INFINITE);
        describe_end(p.process, out);
    } else if (jw_sys_is_not_found(err->os))
        out->code = JW_EXEC_NOT_FOUND;
    (void)SetConsoleCtrlHandler(stand_by, FALSE);
    drop(&p.process);
    drop(&p.job);
    return ok;
}

bool jw_process_foreground(const struct jw_command *c, struct jw_process_end *out,
                           struct jw_err *err)
{
    struct jw_arena a = {0};
    const char *name = c->argv[0];
    const char *path = name;
    bool ok;

    *out = (struct jw_process_end){.code = JW_EXEC_REFUSED};
    if (jw_sys_fault(err) || !jw_not_interrupted(c->interrupted, err))
        return false;
    (void)fflush(NULL);
    if (!strpbrk(name, "/\\:") && !is_batch(name))
        path = jw_process_path(name, &a);
    else if (!strchr(jw_path_base(name), '.'))
        path = jw_arena_printf(&a, "%s.exe", name);
    if (!path)
        out->code = JW_EXEC_NOT_FOUND;
    ok = path ? run_found(c, path, out, err) : jw_fail(err, JW_E_IO, "not found");
    jw_arena_free(&a);
    ok = ok || jw_wrap(err, "%s", name);
    return ok;
}

bool jw_process_exec(const struct jw_command *c, int *exit_code, struct jw_err *err)
{
    struct jw_process_end end = {.code = JW_ENDED_BY_CTRL_C};
    bool ok = !jw_interrupt_forget() ? jw_process_foreground(c, &end, err)
                                     : jw_fail(err, JW_E_INTERRUPTED,
                                               "%s: interrupted before it was started", c->argv[0]);

    *exit_code = end.code;
    return ok;
}

/* ---- what is known of processes ---- */

bool jw_process_self(struct jw_buf *path, struct jw_err *err)
{
    return !jw_sys_fault(err) && jw_win_module(NULL, path, err);
}

bool jw_process_alive(unsigned long pid)
{
    HANDLE process =
        OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, (DWORD)pid);

    if (!process)
        return GetLastError() != ERROR_INVALID_PARAMETER;
    bool alive = WaitForSingleObject(process, 0) == WAIT_TIMEOUT;

    (void)CloseHandle(process);
    return alive;
}

/* Always the same: the state folder and process numbers are those of the machine. */
uint32_t jw_boot_id(void) { return 0; }

bool jw_process_elevated(void) { return IsUserAnAdmin(); }

void jw_process_shield(void) {}
