#include "base/limits.h"
#include "base/mem.h"
#include "base/work.h"
#include "os/files/at.h"
#include "os/files/file_windows.h"
#include "os/files/scratch.h"
#include "os/files/winpath.h"
#include "os/machine/time.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <string.h>

enum {
    PATIENCE_MS = 200,
    LONG_PATIENCE_MS = 2000 /* once for a whole file or pack, not for each of many entries */
};

static enum jw_at failed(struct jw_err *err, DWORD why)
{
    (void)jw_sys_fail(err, (long)why);
    if (jw_sys_is_not_found((long)why))
        return JW_AT_ABSENT;
    if (why == ERROR_ALREADY_EXISTS || why == ERROR_FILE_EXISTS)
        return JW_AT_TAKEN;
    return JW_AT_FAILED;
}

/* The path of an open folder has the prefix of long names already: what follows is taken as it
 * stands, dots and blanks at its end too. */
static bool wide_at(const struct jw_folder *t, const char *name, bool always, wchar_t **out,
                    struct jw_err *err)
{
    wchar_t *last;

    *out = NULL;
    if (!t || !*name)
        return jw_win_path(name, always, out, err);
    if (!jw_utf16_from(name, &last, err))
        return false;

    size_t room = wcslen(t->path) + wcslen(last) + 2;

    *out = jw_alloc(room * sizeof **out);
    (void)swprintf(*out, room, wcscmp(last, L".") == 0 ? L"%ls" : L"%ls\\%ls", t->path, last);
    jw_free(last);
    return true;
}

/* Virus scanners and indexers open every new file for a moment. Sleeps, unless it is past `end`. */
static bool try_again(DWORD why, uint64_t end)
{
    enum { NAP_MS = 10 };

    if ((why != ERROR_SHARING_VIOLATION && why != ERROR_LOCK_VIOLATION
         && why != ERROR_ACCESS_DENIED)
        || jw_time_monotonic_ns() >= end)
        return false;
    jw_time_sleep_ms(NAP_MS);
    return true;
}

static DWORD access_of(unsigned how)
{
    if (how & JW_AT_FOLDER)
        return FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES;
    return how & JW_AT_WRITE ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ;
}

/* A folder is not shared for deletion, so that nobody can swap it while it is open. */
static DWORD share_of(unsigned how)
{
    if (how & JW_AT_FOLDER)
        return FILE_SHARE_READ | FILE_SHARE_WRITE;
    return how & JW_AT_NEW ? FILE_SHARE_READ | FILE_SHARE_DELETE : JW_WIN_SHARE_ALL;
}

static DWORD making_of(unsigned how)
{
    if (how & JW_AT_NEW)
        return CREATE_NEW;
    return how & JW_AT_MAKE ? OPEN_ALWAYS : OPEN_EXISTING;
}

/* BACKUP_SEMANTICS also opens folders, so that a folder is not reported as "access denied".
 * SQOS_PRESENT without a level keeps a pipe server from impersonating this process. */
static DWORD flags_of(unsigned how)
{
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | SECURITY_SQOS_PRESENT;

    if (how & JW_AT_STRICT)
        flags |= FILE_FLAG_OPEN_REPARSE_POINT;
    if (how & JW_AT_SPARSE)
        flags |= FILE_FLAG_RANDOM_ACCESS;
    return flags;
}

static DWORD open_wide(const wchar_t *wide, unsigned how, SECURITY_ATTRIBUTES *owner, HANDLE *h)
{
    uint64_t end = jw_time_after_ms(how & JW_AT_STRICT ? PATIENCE_MS : 0);
    DWORD why;

    do {
        *h = CreateFileW(wide, access_of(how), share_of(how), owner, making_of(how), flags_of(how),
                         NULL);
        why = *h == INVALID_HANDLE_VALUE ? GetLastError() : 0;
    } while (why && try_again(why, end));
    return why;
}

/* A file with a separator behind its name is in no folder of that name. */
static bool is_as_asked(HANDLE h, const struct jw_folder *t, const char *name, unsigned how,
                        struct jw_file_info *info, struct jw_err *err)
{
    char last = name[strlen(name) - 1];

    if (!jw_win_handle_info(h, how & JW_AT_STRICT, info, err) || !jw_at_check_kind(info, how, err))
        return false;
    if (t || how & JW_AT_FOLDER)
        return true;
    return (last != '/' && last != '\\') || jw_sys_fail(err, ERROR_DIRECTORY);
}

enum jw_at jw_at_open(const struct jw_folder *t, const char *name, unsigned how, intptr_t *handle,
                      struct jw_file_info *info, struct jw_err *err)
{
    SECURITY_ATTRIBUTES owner = {0};
    struct jw_file_info here;
    wchar_t *wide = NULL;
    HANDLE h;
    bool private = how & JW_AT_PRIVATE;

    if (!wide_at(t, name, how & JW_AT_FOLDER, &wide, err)
        || (private && !jw_win_owner(&owner, false, err))) {
        jw_free(wide);
        return JW_AT_FAILED;
    }

    DWORD why = open_wide(wide, how, private ? &owner : NULL, &h);

    (void)LocalFree(owner.lpSecurityDescriptor);
    jw_free(wide);
    if (why) {
        enum jw_at at = failed(err, why);

        if (how & JW_AT_FOLDER && (why == ERROR_FILE_NOT_FOUND || why == ERROR_PATH_NOT_FOUND)) {
            (void)jw_fail(err, JW_E_IO, "no such folder");
            err->os = (long)why;
        }
        return at;
    }
    if (!is_as_asked(h, t, name, how, &here, err)) {
        (void)CloseHandle(h);
        return JW_AT_FAILED;
    }
    if (!(how & (JW_AT_FOLDER | JW_AT_NEW)))
        jw_work_add(JW_WORK_FILES_OPENED, 1);
    if (info)
        *info = here;
    *handle = (intptr_t)h;
    return JW_AT_DONE;
}

enum jw_at jw_at_enter(const struct jw_folder *t, const char *name, unsigned how,
                       struct jw_folder *sub, struct jw_file_info *info, struct jw_err *err)
{
    *sub = JW_FOLDER_CLOSED;

    enum jw_at at = jw_at_open(t, name, how | JW_AT_FOLDER, &sub->handle, info, err);

    if (at != JW_AT_DONE)
        return at;
    if (!wide_at(t, name, true, &sub->path, err)) {
        jw_folder_close(sub);
        return JW_AT_FAILED;
    }
    for (size_t n = wcslen(sub->path); n > 0; n--) {
        if (sub->path[n - 1] != L'\\')
            break;
        sub->path[n - 1] = L'\0';
    }
    return JW_AT_DONE;
}

HANDLE jw_win_open(const struct jw_folder *t, const char *name, DWORD access, bool link,
                   struct jw_err *err)
{
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | SECURITY_SQOS_PRESENT
                  | (link ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
    HANDLE h = INVALID_HANDLE_VALUE;
    wchar_t *wide;

    if (wide_at(t, name, false, &wide, err)) {
        h = CreateFileW(wide, access, JW_WIN_SHARE_ALL, NULL, OPEN_EXISTING, flags, NULL);
        if (h == INVALID_HANDLE_VALUE)
            (void)jw_win_fail(err);
    }
    jw_free(wide);
    return h;
}

bool jw_at_stat(const struct jw_folder *t, const char *name, unsigned how,
                struct jw_file_info *info, struct jw_err *err)
{
    bool strict = how & JW_AT_STRICT;
    struct jw_err why = {0};

    *info = (struct jw_file_info){.kind = JW_FILE_NONE};
    if (!*name)
        return true;

    HANDLE h = jw_win_open(t, name, FILE_READ_ATTRIBUTES, strict, &why);

    if (h == INVALID_HANDLE_VALUE) {
        info->kind = why.os == ERROR_INVALID_FUNCTION ? JW_FILE_OTHER : JW_FILE_NONE; /* a device */
        return info->kind || jw_sys_is_not_found(why.os) || why.os == ERROR_CANT_RESOLVE_FILENAME
               || jw_pass(err, why);
    }
    bool ok = jw_win_handle_info(h, strict, info, err);

    (void)CloseHandle(h);
    return ok;
}

/* Inherited rights are enough below the user's profile and in the folders of a cache, but at the
 * root of a drive every user may write. If the user is not known, rights are inherited. */
enum jw_at jw_at_mkdir(const struct jw_folder *t, const char *name, bool private,
                       struct jw_err *err)
{
    SECURITY_ATTRIBUTES owner = {0};
    struct jw_err unknown;
    wchar_t *wide = NULL;

    if (!wide_at(t, name, false, &wide, err))
        return JW_AT_FAILED;
    private = private && !t && jw_win_owner(&owner, true, &unknown);

    DWORD why = 0;

    if (!CreateDirectoryW(wide, private ? &owner : NULL))
        why = GetLastError();
    (void)LocalFree(owner.lpSecurityDescriptor);
    jw_free(wide);
    return why ? failed(err, why) : JW_AT_DONE;
}

/* Whether another program has the file open without sharing it for deletion. MoveFileExW reports
 * such a file as "access denied". */
static bool is_held(const wchar_t *path)
{
    HANDLE h = CreateFileW(path, DELETE, JW_WIN_SHARE_ALL, NULL, OPEN_EXISTING,
                           FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    DWORD why = h == INVALID_HANDLE_VALUE ? GetLastError() : 0;

    if (!why)
        (void)CloseHandle(h);
    return why == ERROR_SHARING_VIOLATION;
}

static DWORD move(const wchar_t *from, const wchar_t *to, bool replace, unsigned patience_ms)
{
    DWORD flags = MOVEFILE_WRITE_THROUGH | (replace ? MOVEFILE_REPLACE_EXISTING : 0), why;
    uint64_t end = jw_time_after_ms(patience_ms);

    do
        why = MoveFileExW(from, to, flags) ? 0 : GetLastError();
    while (try_again(why, end));
    return why == ERROR_ACCESS_DENIED && (is_held(from) || (replace && is_held(to)))
               ? ERROR_SHARING_VIOLATION
               : why;
}

static DWORD delete_file(const wchar_t *path, unsigned patience_ms)
{
    uint64_t end = jw_time_after_ms(patience_ms);
    DWORD why;

    do
        why = DeleteFileW(path) ? 0 : GetLastError();
    while (try_again(why, end));
    return why;
}

enum jw_at jw_at_rename(const struct jw_folder *from, const char *name, const struct jw_folder *to,
                        const char *new_name, bool replace, struct jw_err *err)
{
    wchar_t *wide_from = NULL, *wide_to = NULL;
    enum jw_at at = JW_AT_FAILED;

    if (wide_at(from, name, false, &wide_from, err)
        && wide_at(to, new_name, false, &wide_to, err)) {
        DWORD why =
            move(wide_from, wide_to, replace, from && !replace ? PATIENCE_MS : LONG_PATIENCE_MS);

        at = why ? failed(err, why) : JW_AT_DONE;
    }
    jw_free(wide_from);
    jw_free(wide_to);
    return at;
}

enum jw_at jw_at_remove(const struct jw_folder *t, const char *name, bool folder,
                        struct jw_err *err)
{
    wchar_t *wide = NULL;

    if (!wide_at(t, name, false, &wide, err))
        return JW_AT_FAILED;

    DWORD why = 0;

    if (!folder)
        why = delete_file(wide, t ? PATIENCE_MS : LONG_PATIENCE_MS);
    else if (!RemoveDirectoryW(wide))
        why = GetLastError();
    jw_free(wide);
    return why ? failed(err, why) : JW_AT_DONE;
}

bool jw_make_link(const char *path, const char *target, struct jw_err *err)
{
    (void)path, (void)target;
    return jw_fail(err, JW_E_IO, "links are made on Linux only");
}

bool jw_at_sync(const struct jw_folder *t, struct jw_err *err)
{
    (void)t, (void)err; /* MOVEFILE_WRITE_THROUGH did it */
    return true;
}

bool jw_folder_sync_files(const struct jw_folder *t, bool *done, struct jw_err *err)
{
    (void)t; /* flushing a volume needs an administrator */
    *done = false;
    return !jw_sys_fault(err);
}

/* ---- listing ---- */

struct jw_listing_of_system {
    HANDLE find;
    WIN32_FIND_DATAW data;
    bool waiting; /* `data` holds an entry that was not returned yet */
    struct jw_buf name;
};

/* Others may rename the folder while it is listed: only its path is kept. */
bool jw_at_list(struct jw_dir *dir, struct jw_err *err)
{
    struct jw_listing_of_system *l = jw_alloc(sizeof *l);
    wchar_t *all = NULL;
    DWORD why = 0;

    jw_file_close(&(struct jw_file){dir->folder.handle});
    dir->folder.handle = -1;
    dir->list = l;
    *l = (struct jw_listing_of_system){.find = INVALID_HANDLE_VALUE, .name = JW_BUF(JW_MAX_PATH)};
    bool ok = wide_at(&dir->folder, "*", false, &all, err);

    if (ok) {
        l->find = FindFirstFileExW(all, FindExInfoBasic, &l->data, FindExSearchNameMatch, NULL,
                                   FIND_FIRST_EX_LARGE_FETCH);
        l->waiting = l->find != INVALID_HANDLE_VALUE;
        why = l->waiting ? 0 : GetLastError();
    }
    jw_free(all);
    /* The root of an empty drive lists not even "." */
    if (ok && (!why || why == ERROR_FILE_NOT_FOUND || jw_sys_fail(err, (long)why)))
        return true;
    jw_at_end(dir);
    return false;
}

/* Other reparse points (deduplicated files, cloud files) count as files and folders. */
static enum jw_file_kind kind_of(const WIN32_FIND_DATAW *data)
{
    if (data->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT
        && IsReparseTagNameSurrogate(data->dwReserved0))
        return JW_FILE_LINK;
    if (data->dwFileAttributes & FILE_ATTRIBUTE_DEVICE)
        return JW_FILE_OTHER;
    return data->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? JW_FILE_DIR : JW_FILE_REGULAR;
}

bool jw_at_next(struct jw_dir *dir, struct jw_entry *entry, bool *more, struct jw_err *err)
{
    struct jw_listing_of_system *l = dir->list;

    if (l->find == INVALID_HANDLE_VALUE)
        return true;
    do {
        if (!l->waiting && !FindNextFileW(l->find, &l->data))
            return GetLastError() == ERROR_NO_MORE_FILES || jw_win_fail(err);
        l->waiting = false;
    } while (wcscmp(l->data.cFileName, L".") == 0 || wcscmp(l->data.cFileName, L"..") == 0);
    jw_buf_clear(&l->name);
    jw_utf16_to(&l->name, l->data.cFileName);
    entry->name = jw_buf_cstr(&l->name);
    entry->kind = kind_of(&l->data);
    *more = !l->name.bad;
    return jw_buf_ok(&l->name, err);
}

void jw_at_end(struct jw_dir *dir)
{
    if (dir->list->find != INVALID_HANDLE_VALUE)
        (void)FindClose(dir->list->find);
    jw_buf_free(&dir->list->name);
    jw_free(dir->list);
    jw_folder_close(&dir->folder);
}

bool jw_at_may(const char *path, bool folder)
{
    HANDLE h = jw_win_open(NULL, path, folder ? FILE_ADD_FILE : FILE_EXECUTE, false, JW_IGNORED);

    return h != INVALID_HANDLE_VALUE && CloseHandle(h);
}
