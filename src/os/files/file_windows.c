#include "os/files/file_windows.h"
#include "base/num.h"
#include "base/work.h"
#include "os/files/at.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <sddl.h>
#include <stdio.h>

enum { MAX_AT_ONCE = 1 << 20 };

static HANDLE handle_of(intptr_t handle) { return (HANDLE)handle; }

static uint64_t join_words(DWORD high, DWORD low) { return (uint64_t)high << 32 | low; }

/* FILETIME counts 100 ns from 1601. */
static int64_t unix_ns(FILETIME t)
{
    return jw_at_ns((int64_t)join_words(t.dwHighDateTime, t.dwLowDateTime) - 116444736000000000,
                    100);
}

static struct jw_file_info info_of(const BY_HANDLE_FILE_INFORMATION *b,
                                   const FILE_BASIC_INFO *times)
{
    FILETIME changed = {(DWORD)times->ChangeTime.LowPart, (DWORD)times->ChangeTime.HighPart};
    bool folder = b->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;

    struct jw_file_info info = {
        .kind = folder ? JW_FILE_DIR : JW_FILE_REGULAR,
        .size = join_words(b->nFileSizeHigh, b->nFileSizeLow),
        .mtime = unix_ns(b->ftLastWriteTime),
        .id = {b->dwVolumeSerialNumber, join_words(b->nFileIndexHigh, b->nFileIndexLow)},
    };

    if (times->ChangeTime.QuadPart) /* FAT has none */
        info.ctime = unix_ns(changed);
    return info;
}

bool jw_win_handle_info(HANDLE h, bool links, struct jw_file_info *info, struct jw_err *err)
{
    BY_HANDLE_FILE_INFORMATION b;
    FILE_BASIC_INFO times = {.ChangeTime.QuadPart = 0};

    *info = (struct jw_file_info){.kind = JW_FILE_OTHER};
    if (GetFileType(h) != FILE_TYPE_DISK)
        return true;
    if (!GetFileInformationByHandle(h, &b))
        return jw_win_fail(err);
    (void)GetFileInformationByHandleEx(h, FileBasicInfo, &times, sizeof times);
    *info = info_of(&b, &times);
    if (links && b.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
        info->kind = JW_FILE_LINK;
    return true;
}

bool jw_file_info(const struct jw_file *f, struct jw_file_info *info, struct jw_err *err)
{
    return !jw_sys_fault(err) && jw_win_handle_info(handle_of(f->handle), false, info, err);
}

/* A pipe has no positions. */
static OVERLAPPED *place(uint64_t at, OVERLAPPED *where)
{
    *where = (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
    return at == JW_SYS_NEXT ? NULL : where;
}

bool jw_sys_read(intptr_t handle, uint64_t at, void *dst, size_t n, size_t *done,
                 struct jw_err *err)
{
    OVERLAPPED where;
    DWORD r = 0;
    DWORD why = 0;

    if (!ReadFile(handle_of(handle), dst, (DWORD)jw_min(n, MAX_AT_ONCE), &r, place(at, &where)))
        why = GetLastError();
    *done = r;
    return !why || why == ERROR_HANDLE_EOF || why == ERROR_BROKEN_PIPE
           || jw_sys_fail(err, (long)why);
}

bool jw_sys_write(intptr_t handle, uint64_t at, const void *p, size_t n, size_t *done,
                  struct jw_err *err)
{
    OVERLAPPED where;
    DWORD w = 0;
    bool ok = WriteFile(handle_of(handle), p, (DWORD)jw_min(n, MAX_AT_ONCE), &w, place(at, &where))
              || jw_win_fail(err);

    *done = w;
    return ok;
}

/* Windows has no such request. */
void jw_sys_prefetch(void *file, uint64_t at, uint64_t n) { (void)file, (void)at, (void)n; }

bool jw_file_truncate(struct jw_file *f, uint64_t size, struct jw_err *err)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = (LONGLONG)size};

    if (jw_sys_fault(err))
        return false;
    return SetFileInformationByHandle(handle_of(f->handle), FileEndOfFileInfo, &end, sizeof end)
           || jw_win_fail(err);
}

bool jw_file_sync(struct jw_file *f, struct jw_err *err)
{
    jw_work_add(JW_WORK_SYNCS, 1);
    return !jw_sys_fault(err) && (FlushFileBuffers(handle_of(f->handle)) || jw_win_fail(err));
}

void jw_file_start_writing(const struct jw_file *f) { (void)f; /* Windows has no such call */ }

bool jw_sys_close(intptr_t handle, struct jw_err *err)
{
    return CloseHandle(handle_of(handle)) || jw_win_fail(err);
}

bool jw_win_user(union jw_win_user *user, struct jw_err *err)
{
    HANDLE token = NULL;
    DWORD n;
    bool ok = OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)
              && GetTokenInformation(token, TokenUser, user, sizeof *user, &n);

    if (token)
        (void)CloseHandle(token);
    return ok || jw_fail(err, JW_E_IO, "the system does not say who this user is");
}

bool jw_win_owner(SECURITY_ATTRIBUTES *owner, bool folder, struct jw_err *err)
{
    static const char of_folder[] = "D:P(A;OICI;FA;;;%s)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";
    union jw_win_user user;
    char *sid = NULL, text[512];
    bool ok;

    *owner = (SECURITY_ATTRIBUTES){.nLength = sizeof *owner};
    if (!jw_win_user(&user, err))
        return false;
    ok = ConvertSidToStringSidA(user.token.User.Sid, &sid);
    if (ok) {
        (void)snprintf(text, sizeof text, folder ? of_folder : "D:P(A;;FA;;;%s)", sid);
        ok = ConvertStringSecurityDescriptorToSecurityDescriptorA(
            text, SDDL_REVISION_1, &owner->lpSecurityDescriptor, NULL);
    }
    (void)LocalFree(sid);
    return ok || jw_win_fail(err);
}

bool jw_stdin_take(const char *path, struct jw_err *err)
{
    HANDLE h = jw_win_open(NULL, path, GENERIC_READ, false, err);

    return h != INVALID_HANDLE_VALUE && (SetStdHandle(STD_INPUT_HANDLE, h) || jw_win_fail(err));
}

/* Ctrl-C ends a read from a console. For a pipe, it also ends the writer. */
bool jw_stdin_read(void *dst, size_t n, size_t *got, const atomic_bool *interrupted,
                   struct jw_err *err)
{
    *got = 0;
    return !jw_sys_fault(err)
           && jw_sys_read((intptr_t)GetStdHandle(STD_INPUT_HANDLE), JW_SYS_NEXT, dst, n, got, err)
           && jw_not_interrupted(interrupted, err);
}

/* The place of a lock: the offset of its first byte, and its length. */
struct range {
    DWORD high_at, low, high;
};

/* The whole file, and the mark. */
static const struct range ranges[] = {{0, MAXDWORD, MAXDWORD}, {0x7fffffff, 1, 0}};

bool jw_at_lock(intptr_t handle, unsigned how, bool *taken, struct jw_err *err)
{
    const struct range *r = &ranges[how & JW_LOCK_MARK ? 1 : 0];
    OVERLAPPED at = {.OffsetHigh = r->high_at};
    DWORD flags = LOCKFILE_FAIL_IMMEDIATELY | (how & JW_LOCK_WRITE ? LOCKFILE_EXCLUSIVE_LOCK : 0);
    DWORD why = LockFileEx(handle_of(handle), flags, 0, r->low, r->high, &at) ? 0 : GetLastError();

    *taken = !why;
    return !why || why == ERROR_LOCK_VIOLATION || why == ERROR_IO_PENDING
           || jw_sys_fail(err, (long)why);
}

bool jw_filelock_drop(intptr_t handle, struct jw_err *err)
{
    for (size_t i = 0; i < JW_COUNT(ranges); i++) {
        OVERLAPPED at = {.OffsetHigh = ranges[i].high_at};

        if (UnlockFileEx(handle_of(handle), 0, ranges[i].low, ranges[i].high, &at))
            return true;
    }
    return jw_win_fail(err);
}
