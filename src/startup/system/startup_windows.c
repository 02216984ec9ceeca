/* The Task Scheduler, by its COM interface: no output of schtasks to be understood, which is in the system's
 * language. */
#define COBJMACROS
#include "startup/system/startup_host.h"

#include "base/buf.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/files/winpath.h"
#include "os/machine/env.h"

#include <windows.h>

#include <oleauto.h>
#include <sddl.h>
#include <shlobj.h>
#include <stdio.h>
#include <string.h>
#include <taskschd.h>

enum {
    NOT_FOUND = (int)0x80070002,
    NO_PATH = (int)0x80070003,
    DENIED = (int)0x80070005,
    NOT_RUNNING = (int)0x80041315
};

static bool fault(struct jw_err *err)
{
    return jw_fault_here() && !jw_fail(err, JW_E_IO, "injected failure");
}

static bool refused(struct jw_err *err, const char *what, HRESULT hr)
{
    const char *why = hr == DENIED        ? "access is denied (an administrator may)"
                      : hr == NOT_RUNNING ? "the service is not running"
                                          : "it refused";

    (void)jw_fail(err, JW_E_IO, "the Task Scheduler, %s: %s (0x%08lx)", what, why, (unsigned long)hr);
    err->os = (long)hr;
    return false;
}

/* ---- texts ---- */

static bool text_of(const wchar_t *wide, struct jw_arena *a, const char **out, struct jw_err *err)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);
    bool ok;

    jw_utf16_to(&b, (const uint16_t *)wide);
    ok = jw_buf_ok(&b, err);
    *out = ok ? jw_arena_str(a, jw_buf_cstr(&b)) : NULL;
    jw_buf_free(&b);
    return ok;
}

static bool bstr_of(const char *text, BSTR *out, struct jw_err *err)
{
    uint16_t *wide;

    *out = NULL;
    if (!jw_utf16_from(text, &wide, err))
        return false;
    *out = SysAllocString((const OLECHAR *)wide);
    jw_free(wide);
    return true;
}

/* ---- the service ---- */

struct scheduler {
    bool begun;
    ITaskService *service;
    ITaskFolder *root;
};

static void leave(struct scheduler *s)
{
    if (s->root)
        ITaskFolder_Release(s->root);
    if (s->service)
        ITaskService_Release(s->service);
    if (s->begun)
        CoUninitialize();
}

static bool join_scheduler(struct scheduler *s, struct jw_err *err)
{
    VARIANT none;
    BSTR path = NULL;
    HRESULT hr;

    *s = (struct scheduler){ 0 };
    VariantInit(&none);
    if (fault(err))
        return false;
    hr = CoInitializeEx(NULL, COINIT_MULTITHREADED);
    s->begun = SUCCEEDED(hr);
    hr = CoCreateInstance(&CLSID_TaskScheduler, NULL, CLSCTX_INPROC_SERVER, &IID_ITaskService,
                          (void **)&s->service);
    if (FAILED(hr))
        return refused(err, "starting it", hr);
    hr = ITaskService_Connect(s->service, none, none, none, none);
    if (FAILED(hr))
        return refused(err, "connecting to it", hr);
    if (!bstr_of("\\", &path, err))
        return false;
    hr = ITaskService_GetFolder(s->service, path, &s->root);
    SysFreeString(path);
    return SUCCEEDED(hr) || refused(err, "its folder of tasks", hr);
}

/* Tasks are asked for by their name in the folder. */
static const char *in_folder(const char *name)
{
    return *name == '\\' ? name + 1 : name;
}

static bool find_task(struct scheduler *s, const char *name, IRegisteredTask **task, struct jw_err *err)
{
    BSTR text;
    HRESULT hr;

    *task = NULL;
    if (!bstr_of(in_folder(name), &text, err))
        return false;
    hr = ITaskFolder_GetTask(s->root, text, task);
    SysFreeString(text);
    if (hr == NOT_FOUND || hr == NO_PATH) {
        *task = NULL;
        return true;
    }
    return SUCCEEDED(hr) || refused(err, "looking for the task", hr);
}

/* Local time, in days since the end of 1899. */
static bool unix_of(DATE date, int64_t *out)
{
    const int64_t between = 11644473600; /* seconds from 1601 to 1970 */
    SYSTEMTIME local, utc;
    FILETIME file;

    if (!VariantTimeToSystemTime(date, &local) || !TzSpecificLocalTimeToSystemTime(NULL, &local, &utc)
        || !SystemTimeToFileTime(&utc, &file))
        return false;
    *out = (int64_t)(((uint64_t)file.dwHighDateTime << 32 | file.dwLowDateTime) / 10000000) - between;
    return *out > 0;
}

/* Fields that the system does not report (many under Wine) stay unset. */
static bool read_task(IRegisteredTask *task, struct jw_arena *a, struct jw_startup_task *out,
                      struct jw_err *err)
{
    VARIANT_BOOL enabled = VARIANT_TRUE;
    TASK_STATE state = TASK_STATE_UNKNOWN;
    BSTR xml = NULL;
    DATE last = 0;
    LONG result = 0;
    bool ok = true;

    out->found = true;
    if (FAILED(IRegisteredTask_get_Enabled(task, &enabled)))
        enabled = VARIANT_TRUE;
    if (FAILED(IRegisteredTask_get_State(task, &state)))
        state = TASK_STATE_UNKNOWN;
    out->enabled = enabled != VARIANT_FALSE && state != TASK_STATE_DISABLED;
    out->running = state == TASK_STATE_RUNNING;
    /* 0x41303: it has not run yet. */
    if (IRegisteredTask_get_LastRunTime(task, &last) == S_OK && unix_of(last, &out->last_run)
        && IRegisteredTask_get_LastTaskResult(task, &result) == S_OK && result != 0x41303) {
        out->ran = true;
        out->result = (uint32_t)result;
    }
    if (SUCCEEDED(IRegisteredTask_get_Xml(task, &xml)) && xml)
        ok = text_of(xml, a, &out->xml, err);
    SysFreeString(xml);
    return ok;
}

bool jw_startup_task_look(const char *name, struct jw_arena *a, struct jw_startup_task *out,
                          struct jw_err *err)
{
    struct scheduler s;
    IRegisteredTask *task = NULL;
    bool ok;

    *out = (struct jw_startup_task){ 0 };
    ok =
        join_scheduler(&s, err) && find_task(&s, name, &task, err) && (!task || read_task(task, a, out, err));
    if (task)
        IRegisteredTask_Release(task);
    leave(&s);
    return ok;
}

bool jw_startup_task_put(const char *name, const char *xml, bool everybody, struct jw_err *err)
{
    struct scheduler s;
    IRegisteredTask *task = NULL;
    BSTR path = NULL, text = NULL;
    VARIANT none;
    bool ok;

    VariantInit(&none);
    ok = join_scheduler(&s, err) && bstr_of(in_folder(name), &path, err) && bstr_of(xml, &text, err);
    if (ok) {
        HRESULT hr = ITaskFolder_RegisterTask(s.root, path, text, TASK_CREATE_OR_UPDATE, none, none,
                                              everybody ? TASK_LOGON_GROUP : TASK_LOGON_INTERACTIVE_TOKEN,
                                              none, &task);

        ok = SUCCEEDED(hr) || refused(err, "registering the task", hr);
    }
    if (task)
        IRegisteredTask_Release(task);
    SysFreeString(text);
    SysFreeString(path);
    leave(&s);
    return ok;
}

bool jw_startup_task_remove(const char *name, struct jw_err *err)
{
    struct scheduler s;
    BSTR path = NULL;
    bool ok = join_scheduler(&s, err) && bstr_of(in_folder(name), &path, err);

    if (ok) {
        HRESULT hr = ITaskFolder_DeleteTask(s.root, path, 0);

        ok = SUCCEEDED(hr) || hr == NOT_FOUND || hr == NO_PATH || refused(err, "removing the task", hr);
    }
    SysFreeString(path);
    leave(&s);
    return ok;
}

bool jw_startup_task_run(const char *name, struct jw_err *err)
{
    struct scheduler s;
    IRegisteredTask *task = NULL;
    IRunningTask *running = NULL;
    VARIANT none;
    bool ok;

    VariantInit(&none);
    ok = join_scheduler(&s, err) && find_task(&s, name, &task, err)
         && (task || jw_fail(err, JW_E_IO, "the task is not there"));
    if (ok) {
        HRESULT hr = IRegisteredTask_Run(task, none, &running);

        ok = SUCCEEDED(hr) || refused(err, "starting the task", hr);
    }
    if (running)
        IRunningTask_Release(running);
    if (task)
        IRegisteredTask_Release(task);
    leave(&s);
    return ok;
}

/* ---- what is here ---- */

static bool find_user(struct jw_arena *a, const char **sid, struct jw_err *err)
{
    union {
        TOKEN_USER user;
        uint8_t room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } u;
    HANDLE token = NULL;
    wchar_t *text = NULL;
    DWORD n;
    bool ok = OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)
              && GetTokenInformation(token, TokenUser, &u, sizeof u, &n)
              && ConvertSidToStringSidW(u.user.User.Sid, &text);

    if (!ok)
        (void)jw_fail(err, JW_E_IO, "Windows does not say who this user is (error %lu)", GetLastError());
    ok = ok && text_of(text, a, sid, err);
    if (text)
        LocalFree(text);
    if (token)
        CloseHandle(token);
    return ok;
}

static void find_programs(struct jw_arena *a, const char **out)
{
    const KNOWNFOLDERID *const ids[] = { &FOLDERID_ProgramFiles, &FOLDERID_ProgramFilesX64,
                                         &FOLDERID_ProgramFilesX86 };
    struct jw_buf b = JW_BUF(JW_MAX_PATH);

    for (size_t i = 0; i < JW_COUNT(ids); i++) {
        wchar_t *path = NULL;

        if (SUCCEEDED(SHGetKnownFolderPath(ids[i], 0, NULL, &path))) {
            jw_utf16_to(&b, (const uint16_t *)path);
            jw_buf_text(&b, "\n");
        }
        CoTaskMemFree(path);
    }
    *out = jw_arena_str(a, jw_buf_cstr(&b));
    jw_buf_free(&b);
}

static void find_packs(struct jw_arena *a, const char **out)
{
    const char *data = jw_env_config_system(a);

    *out = data ? jw_path_join(a, data, "jitwarm\\packs") : NULL;
}

bool jw_startup_look(const char *sysroot, struct jw_arena *a, struct jw_startup_host *out, struct jw_err *err)
{
    (void)sysroot;
    *out = (struct jw_startup_host){ 0 };
    if (fault(err) || !find_user(a, &out->user, err))
        return false;
    find_programs(a, &out->programs);
    find_packs(a, &out->packs);
    return true;
}

bool jw_startup_safe_for_all(const char *exe, const struct jw_startup_host *host, struct jw_arena *a,
                             const char **why, struct jw_err *err)
{
    (void)err;
    *why = NULL;
    if (!jw_startup_in_programs(exe, host->programs))
        *why = jw_arena_printf(
            a,
            "every user would run %.150s, which its owner may change; install jitwarm under Program Files, "
            "where only administrators write",
            exe);
    return true;
}

/* ---- names: there are none ---- */

static bool no_names(struct jw_err *err)
{
    return jw_fail(err, JW_E_USAGE, "units and links are made on Linux only");
}

bool jw_startup_read_link(const char *path, struct jw_arena *a, const char **to, struct jw_err *err)
{
    (void)path;
    (void)a;
    (void)err;
    *to = NULL;
    return true;
}

bool jw_startup_make_link(const char *path, const char *to, struct jw_err *err)
{
    (void)path;
    (void)to;
    return no_names(err);
}

bool jw_startup_remove_link(const char *path, struct jw_err *err)
{
    (void)path;
    return no_names(err);
}

bool jw_startup_remove_folder(const char *path, struct jw_err *err)
{
    (void)path;
    return no_names(err);
}

bool jw_startup_for_all(const char *path, bool folder, struct jw_err *err)
{
    (void)path;
    (void)folder;
    return no_names(err);
}
