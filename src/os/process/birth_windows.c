#include "os/process/birth_windows.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "os/files/winpath.h"
#include "os/sys.h"

#include <stdlib.h>
#include <string.h>

/* The block is "A=1\0B=2\0\0", sorted by name without regard to case. */

enum { MOST_VARIABLES = 1 << 14, MOST_EDITS = 64 };

static size_t name_length(const wchar_t *variable)
{
    /* "=C:=C:\folder" is the current folder of a drive. */
    return 1 + wcscspn(variable + (*variable ? 1 : 0), L"=");
}

static bool names(const wchar_t *name, const wchar_t *variable)
{
    size_t n = wcslen(name), given = name_length(variable);

    if (n && name[n - 1] == L'*')
        return given >= n - 1 && _wcsnicmp(name, variable, n - 1) == 0;
    return given == n && _wcsnicmp(name, variable, n) == 0;
}

static int by_name(const void *a, const void *b)
{
    return _wcsicmp(*(wchar_t *const *)a, *(wchar_t *const *)b);
}

struct variables {
    wchar_t *list[MOST_VARIABLES]; /* borrows from the system's block and from `made` */
    wchar_t *made[MOST_EDITS];
    size_t n, n_made;
};

/* Whether this edit also covers the variable `name`. */
static bool covers(const struct jw_child_edit *edit, const char *name)
{
    size_t n = strlen(edit->name);

    if (n && edit->name[n - 1] == '*')
        return _strnicmp(edit->name, name, n - 1) == 0;
    return jw_text_equal_nocase(edit->name, name);
}

static bool add_edits(struct variables *v, const struct jw_child_edit *edits, size_t n, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_COMMAND);
    bool ok =
        n <= MOST_EDITS || jw_fail(err, JW_E_LIMIT, "more than %d changes of the environment", MOST_EDITS);

    for (size_t i = 0; ok && i < n; i++) {
        bool last = true;

        for (size_t k = i + 1; k < n; k++)
            last = last && !covers(&edits[k], edits[i].name);
        if (!edits[i].value || !last)
            continue;
        jw_buf_clear(&text);
        jw_buf_printf(&text, "%s=%s", edits[i].name, edits[i].value);
        ok = jw_buf_ok(&text, err) && jw_utf16_from(jw_buf_cstr(&text), &v->made[v->n_made], err);
        if (ok)
            v->list[v->n++] = v->made[v->n_made++];
    }
    jw_buf_free(&text);
    return ok;
}

static bool keep_inherited(struct variables *v, wchar_t *block, const struct jw_child_edit *edits, size_t n,
                           struct jw_err *err)
{
    for (wchar_t *at = block; *at; at += wcslen(at) + 1) {
        bool kept = true;

        for (size_t i = 0; kept && i < n; i++) {
            wchar_t *name = NULL;

            if (!jw_utf16_from(edits[i].name, &name, err))
                return false;
            kept = !names(name, at);
            jw_free(name);
        }
        if (kept && v->n == MOST_VARIABLES)
            return jw_fail(err, JW_E_LIMIT, "more than %d environment variables", MOST_VARIABLES);
        if (kept)
            v->list[v->n++] = at;
    }
    return true;
}

static void join(const struct variables *v, wchar_t **out)
{
    size_t n = 2;

    for (size_t i = 0; i < v->n; i++)
        n += wcslen(v->list[i]) + 1;
    wchar_t *at = *out = jw_alloc(n * sizeof *at);
    for (size_t i = 0; i < v->n; i++) {
        n = wcslen(v->list[i]) + 1;
        memcpy(at, v->list[i], n * sizeof *at);
        at += n;
    }
}

bool jw_birth_environment(const struct jw_child_edit *edits, size_t n, bool bare, wchar_t **out,
                          struct jw_err *err)
{
    struct variables *v = jw_alloc(sizeof *v);
    wchar_t *block = bare ? NULL : GetEnvironmentStringsW();
    bool ok = add_edits(v, edits, n, err);

    if (!bare && !block)
        jw_out_of_memory(sizeof *block);

    ok = ok && (bare || keep_inherited(v, block, edits, n, err));
    if (ok) {
        qsort(v->list, v->n, sizeof v->list[0], by_name);
        join(v, out);
        ok = true;
    }
    for (size_t i = 0; i < v->n_made; i++)
        jw_free(v->made[i]);
    if (block)
        (void)FreeEnvironmentStringsW(block);
    jw_free(v);
    return ok;
}

void jw_birth_drop(HANDLE *h)
{
    if (*h)
        (void)CloseHandle(*h);
    *h = NULL;
}

HANDLE jw_birth_null(DWORD access)
{
    SECURITY_ATTRIBUTES inherited = { sizeof inherited, NULL, TRUE };
    HANDLE h =
        CreateFileW(L"NUL", access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);

    return h == INVALID_HANDLE_VALUE ? NULL : h;
}

bool jw_birth_job(HANDLE *job, DWORD also, struct jw_err *err)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };

    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | also;
    *job = CreateJobObjectW(NULL, NULL);
    return (*job && SetInformationJobObject(*job, JobObjectExtendedLimitInformation, &limits, sizeof limits))
           || jw_sys_fail(err, (long)GetLastError());
}

bool jw_birth_resume(const PROCESS_INFORMATION *made, HANDLE job, HANDLE *process, struct jw_err *err)
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

static bool create(struct jw_birth *b, LPPROC_THREAD_ATTRIBUTE_LIST list, HANDLE job, HANDLE *process,
                   struct jw_err *err)
{
    STARTUPINFOEXW start = { .StartupInfo = { .cb = sizeof start,
                                              .dwFlags = STARTF_USESTDHANDLES,
                                              .hStdInput = b->streams[0],
                                              .hStdOutput = b->streams[1],
                                              .hStdError = b->streams[2] },
                             .lpAttributeList = list };
    PROCESS_INFORMATION made;

    if (!CreateProcessW(b->exe, b->line, NULL, NULL, TRUE,
                        CREATE_SUSPENDED | CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT
                            | CREATE_UNICODE_ENVIRONMENT,
                        b->environment, NULL, &start.StartupInfo, &made))
        return jw_sys_fail(err, (long)GetLastError());
    return jw_birth_resume(&made, job, process, err);
}

bool jw_birth_create(struct jw_birth *b, HANDLE job, HANDLE *process, struct jw_err *err)
{
    SIZE_T size = 0;

    (void)InitializeProcThreadAttributeList(NULL, 1, 0, &size);

    LPPROC_THREAD_ATTRIBUTE_LIST list = jw_alloc(size);

    bool made = InitializeProcThreadAttributeList(list, 1, 0, &size);
    bool ok = made
              && UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, b->inherited,
                                           sizeof b->inherited, NULL, NULL);

    ok = ok ? create(b, list, job, process, err) : jw_sys_fail(err, (long)GetLastError());
    if (made)
        DeleteProcThreadAttributeList(list);
    jw_free(list);
    return ok;
}
