/* The Task Scheduler, by its COM interface: no output of schtasks to be understood, which is in the system's
 * language. */
#define COBJMACROS
#include "setup/startup/scheduler_windows.h"

#include "base/buf.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"

#include <windows.h>

#include <oleauto.h>
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

bool startup_text_of(const wchar_t *wide, struct jw_arena *a, const char **out, struct jw_err *err)
{
    struct jw_buf b = JW_BUF_IN(a, JW_MAX_TEXT_FILE);
    bool ok;

    jw_utf16_to(&b, (const uint16_t *)wide);
    ok = jw_buf_ok(&b, err);
    *out = ok ? jw_buf_cstr(&b) : NULL;
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

/* Local time, as a user writes it: 2026-11-23 02:54:33. */
static const char *time_of(DATE date, struct jw_arena *a)
{
    SYSTEMTIME local;

    return VariantTimeToSystemTime(date, &local)
               ? jw_arena_printf(a, "%04u-%02u-%02u %02u:%02u:%02u", local.wYear, local.wMonth, local.wDay,
                                 local.wHour, local.wMinute, local.wSecond)
               : NULL;
}

/* Fields that the system does not report (many under Wine) stay unset. */
static bool read_task(IRegisteredTask *task, struct jw_arena *a, struct startup_task *out, struct jw_err *err)
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
    /* The result of a task that runs now says only that. */
    if (IRegisteredTask_get_LastTaskResult(task, &result) == S_OK && result != SCHED_S_TASK_HAS_NOT_RUN
        && result != SCHED_S_TASK_RUNNING && IRegisteredTask_get_LastRunTime(task, &last) == S_OK) {
        out->last = time_of(last, a);
        out->result = (uint32_t)result;
    }
    if (SUCCEEDED(IRegisteredTask_get_Xml(task, &xml)) && xml)
        ok = startup_text_of(xml, a, &out->xml, err);
    SysFreeString(xml);
    return ok;
}

bool startup_task_look(const char *name, struct jw_arena *a, struct startup_task *out, struct jw_err *err)
{
    struct scheduler s;
    IRegisteredTask *task = NULL;
    bool ok;

    *out = (struct startup_task){ 0 };
    ok =
        join_scheduler(&s, err) && find_task(&s, name, &task, err) && (!task || read_task(task, a, out, err));
    if (task)
        IRegisteredTask_Release(task);
    leave(&s);
    return ok;
}

bool startup_task_put(const char *name, const char *xml, bool everybody, struct jw_err *err)
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

bool startup_task_remove(const char *name, struct jw_err *err)
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
