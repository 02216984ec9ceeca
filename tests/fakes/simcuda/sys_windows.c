#include "sys.h"

#include "base/mem.h"
#include "os/files/file.h"
#include "os/sys_windows.h"

#include <string.h>
#include <windows.h>

enum { PIECE = 64 * 1024 };

static HANDLE open_path(const char *path, DWORD access, DWORD how)
{
    struct jw_err err = {0};
    wchar_t *wide = NULL;

    if (!jw_win_path(path, false, &wide, &err)) {
        SetLastError(ERROR_INVALID_NAME);
        return INVALID_HANDLE_VALUE;
    }
    HANDLE h = CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                           NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
    DWORD code = GetLastError();

    jw_free(wide);
    SetLastError(code);
    return h;
}

enum sys_result sys_open(struct sys_file *f, const char *path, enum sys_how how)
{
    HANDLE h = open_path(path, GENERIC_READ | GENERIC_WRITE,
                         how == SYS_CREATE ? OPEN_ALWAYS : OPEN_EXISTING);

    f->handle = (intptr_t)h;
    if (h != INVALID_HANDLE_VALUE)
        return SYS_OPENED;
    return GetLastError() == ERROR_FILE_NOT_FOUND || GetLastError() == ERROR_PATH_NOT_FOUND
               ? SYS_ABSENT
               : SYS_DENIED;
}

bool sys_lock(struct sys_file *f, bool exclusive, bool wait)
{
    OVERLAPPED at = {0};
    DWORD flags =
        (exclusive ? LOCKFILE_EXCLUSIVE_LOCK : 0u) | (wait ? 0u : LOCKFILE_FAIL_IMMEDIATELY);

    /* Behind the last byte, for locks are mandatory here and readers take none. */
    at.OffsetHigh = 0x40000000;
    return LockFileEx((HANDLE)f->handle, flags, 0, 1, 0, &at) != 0;
}

bool sys_read(struct sys_file *f, struct jw_buf *out)
{
    uint8_t piece[16 * 1024];
    DWORD n = 0;

    if (SetFilePointer((HANDLE)f->handle, 0, NULL, FILE_BEGIN) == INVALID_SET_FILE_POINTER)
        return false;
    while (ReadFile((HANDLE)f->handle, piece, sizeof piece, &n, NULL)) {
        if (n == 0)
            return !out->bad;
        jw_buf_add(out, piece, n);
    }
    return false;
}

static bool write_all(HANDLE h, const uint8_t *p, size_t n)
{
    for (size_t at = 0; at < n;) {
        DWORD want = (DWORD)(n - at < PIECE ? n - at : PIECE), done = 0;

        if (!WriteFile(h, p + at, want, &done, NULL) || done == 0)
            return false;
        at += done;
    }
    return true;
}

bool sys_rewrite(struct sys_file *f, const void *p, size_t n)
{
    HANDLE h = (HANDLE)f->handle;

    return SetFilePointer(h, 0, NULL, FILE_BEGIN) != INVALID_SET_FILE_POINTER && write_all(h, p, n)
           && SetEndOfFile(h) != 0;
}

void sys_close(struct sys_file *f)
{
    if (f->handle != -1)
        (void)CloseHandle((HANDLE)f->handle);
    *f = SYS_CLOSED;
}

bool sys_put(const char *path, const void *p, size_t n)
{
    HANDLE h = open_path(path, GENERIC_WRITE, CREATE_ALWAYS);

    if (h == INVALID_HANDLE_VALUE)
        return false;
    bool ok = write_all(h, p, n);

    return CloseHandle(h) != 0 && ok;
}

static bool with_wide(const char *path, BOOL (*act)(const wchar_t *path))
{
    struct jw_err err = {0};
    wchar_t *wide = NULL;
    bool ok = jw_win_path(path, false, &wide, &err) && act(wide);

    jw_free(wide);
    return ok;
}

static BOOL make(const wchar_t *path)
{
    return CreateDirectoryW(path, NULL) || GetLastError() == ERROR_ALREADY_EXISTS;
}

static BOOL remove_file(const wchar_t *path) { return DeleteFileW(path); }

static BOOL remove_dir(const wchar_t *path) { return RemoveDirectoryW(path); }

bool sys_mkdir(const char *path, bool parents)
{
    struct jw_err err = {0};

    return parents ? jw_make_dirs(path, &err) : with_wide(path, make);
}

void sys_remove(const char *path) { (void)with_wide(path, remove_file); }

void sys_rmdir(const char *path) { (void)with_wide(path, remove_dir); }

bool sys_set_mtime_ns(const char *path, unsigned ns)
{
    HANDLE h = open_path(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING);
    FILETIME now;
    ULARGE_INTEGER t;

    if (h == INVALID_HANDLE_VALUE)
        return false;
    GetSystemTimeAsFileTime(&now);
    t.LowPart = now.dwLowDateTime;
    t.HighPart = now.dwHighDateTime;
    t.QuadPart = t.QuadPart / 10000000 * 10000000 + ns / 100;
    now.dwLowDateTime = t.LowPart;
    now.dwHighDateTime = t.HighPart;
    bool ok = SetFileTime(h, NULL, NULL, &now) != 0;

    (void)CloseHandle(h);
    return ok;
}

unsigned sys_pid(void) { return GetCurrentProcessId(); }

bool sys_alive(unsigned pid)
{
    HANDLE h = OpenProcess(SYNCHRONIZE, FALSE, pid);
    bool alive = h && WaitForSingleObject(h, 0) == WAIT_TIMEOUT;

    if (h)
        (void)CloseHandle(h);
    return alive;
}

/* TerminateProcess, because a real fault would wake a debugger or a dialog box. */
static JW_NORETURN void die_with(UINT code)
{
    (void)TerminateProcess(GetCurrentProcess(), code);
    for (;;)
        Sleep(INFINITE);
}

void sys_crash(void) { die_with(0xC0000005u); }

void sys_kill(void) { die_with(1); }

void sys_exit(int code) { die_with((UINT)code); }

bool sys_load_compiler(void) { return true; }
