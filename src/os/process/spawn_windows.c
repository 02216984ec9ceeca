#include "os/process/spawn_windows.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/work.h"
#include "os/files/winpath.h"
#include "os/sys.h"

#include <string.h>

static int by_variable(const void *a, const void *b)
{
    return _wcsicmp(*(wchar_t *const *)a, *(wchar_t *const *)b);
}

/* Copies "=D:=D:\\folder", the current folder of each drive: cmd and the C library keep them among the variables.
 * Returns their units; `to` NULL only counts. */
static size_t copy_drives(const wchar_t *block, wchar_t *to)
{
    size_t n = 0;

    for (; block && *block; block += wcslen(block) + 1) {
        size_t units = wcslen(block) + 1;

        if (*block != L'=')
            continue;
        if (to)
            memcpy(to + n, block, units * sizeof *to);
        n += units;
    }
    return n;
}

/* The block is "A=1\0B=2\0\0", sorted by name without regard to case. */
bool jw_spawn_environment(const struct jw_child_edit *edits, size_t n, bool bare, wchar_t **out,
                          struct jw_err *err)
{
    struct jw_arena a = { 0 };
    const char **list = NULL;
    wchar_t **wide = NULL, *inherited = bare ? NULL : GetEnvironmentStringsW();
    size_t count = 0, made = 0, room = 2;
    bool ok = jw_child_environment(edits, n, bare, &a, &list, err);

    while (ok && list[count])
        count++;
    wide = jw_arena_alloc(&a, count * sizeof *wide);
    for (; ok && made < count; made += ok) {
        ok = jw_utf16_from(list[made], &wide[made], err);
        room += ok ? wcslen(wide[made]) + 1 : 0;
    }
    if (ok) {
        wchar_t *at = *out = jw_alloc((room + copy_drives(inherited, NULL)) * sizeof *at);

        at += copy_drives(inherited, at);
        jw_sort(wide, count, sizeof *wide, by_variable);
        for (size_t i = 0; i < count; i++) {
            size_t units = wcslen(wide[i]) + 1;

            memcpy(at, wide[i], units * sizeof *at);
            at += units;
        }
    }
    for (size_t i = 0; i < made; i++)
        jw_free(wide[i]);
    if (inherited)
        (void)FreeEnvironmentStringsW(inherited);
    jw_arena_free(&a);
    return ok;
}

void jw_spawn_drop(HANDLE *h)
{
    if (*h)
        (void)CloseHandle(*h);
    *h = NULL;
}

HANDLE jw_spawn_null(DWORD access)
{
    SECURITY_ATTRIBUTES inherited = { sizeof inherited, NULL, TRUE };
    HANDLE h =
        CreateFileW(L"NUL", access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);

    return h == INVALID_HANDLE_VALUE ? NULL : h;
}

bool jw_spawn_job(HANDLE *job, DWORD also, struct jw_err *err)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };

    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | also;
    *job = CreateJobObjectW(NULL, NULL);
    return (*job && SetInformationJobObject(*job, JobObjectExtendedLimitInformation, &limits, sizeof limits))
           || jw_sys_fail(err, (long)GetLastError());
}

bool jw_spawn_resume(const PROCESS_INFORMATION *made, HANDLE job, HANDLE *process, struct jw_err *err)
{
    bool ok = AssignProcessToJobObject(job, made->hProcess) && ResumeThread(made->hThread) != (DWORD)-1;

    if (!ok) {
        (void)jw_sys_fail(err, (long)GetLastError());
        (void)TerminateProcess(made->hProcess, 1);
    }
    (void)CloseHandle(made->hThread);
    *process = made->hProcess;
    return ok;
}

static bool create_inheriting(struct jw_spawn *b, LPPROC_THREAD_ATTRIBUTE_LIST list, HANDLE job,
                              HANDLE *process, struct jw_err *err)
{
    STARTUPINFOEXW start = { .StartupInfo = { .cb = sizeof start,
                                              .dwFlags = STARTF_USESTDHANDLES,
                                              .hStdInput = b->streams[0],
                                              .hStdOutput = b->streams[1],
                                              .hStdError = b->streams[2] },
                             .lpAttributeList = list };
    PROCESS_INFORMATION made;

    jw_work_add(JW_WORK_PROCESSES, 1);
    if (!CreateProcessW(b->exe, b->line, NULL, NULL, TRUE,
                        CREATE_SUSPENDED | CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT
                            | CREATE_UNICODE_ENVIRONMENT,
                        b->environment, NULL, &start.StartupInfo, &made))
        return jw_sys_fail(err, (long)GetLastError());
    return jw_spawn_resume(&made, job, process, err);
}

bool jw_spawn_create(struct jw_spawn *b, HANDLE job, HANDLE *process, struct jw_err *err)
{
    SIZE_T size = 0;

    (void)InitializeProcThreadAttributeList(NULL, 1, 0, &size);

    LPPROC_THREAD_ATTRIBUTE_LIST list = jw_alloc(size);

    bool made = InitializeProcThreadAttributeList(list, 1, 0, &size);
    bool ok = made
              && UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, b->inherited,
                                           sizeof b->inherited, NULL, NULL);

    ok = ok ? create_inheriting(b, list, job, process, err) : jw_sys_fail(err, (long)GetLastError());
    if (made)
        DeleteProcThreadAttributeList(list);
    jw_free(list);
    return ok;
}
