#include "os/files/dir.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/work.h"
#include "os/files/winpath.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <string.h>

struct jw_dir {
    HANDLE find;
    WIN32_FIND_DATAW data;
    bool waiting; /* `data` holds an entry that was not returned yet */
    struct jw_file_id id;
    struct jw_buf name;
    size_t length;  /* length of `path` without a name appended for a call */
    wchar_t path[]; /* with the long-name prefix and room for one name */
};

enum { NAME_ROOM = 260 };

static bool is_folder(const wchar_t *path, struct jw_file_id *id, struct jw_err *err)
{
    HANDLE h = CreateFileW(path, FILE_READ_ATTRIBUTES, JW_WIN_SHARE_ALL, NULL, OPEN_EXISTING,
                           FILE_FLAG_BACKUP_SEMANTICS, NULL);
    struct jw_file f = { .handle = (intptr_t)h };
    struct jw_file_info info;

    if (h == INVALID_HANDLE_VALUE) {
        (void)jw_sys_fail(err, (long)GetLastError());
        if (err->os == ERROR_FILE_NOT_FOUND || err->os == ERROR_PATH_NOT_FOUND)
            memcpy(err->msg, "no such folder", sizeof "no such folder");
        return false;
    }
    bool ok = jw_file_info(&f, &info, err);

    jw_file_close(&f);
    *id = info.id;
    return ok && (info.kind == JW_FILE_DIR || jw_fail(err, JW_E_IO, "is not a folder"));
}

static bool start_listing(struct jw_dir *d, const wchar_t *path, struct jw_err *err)
{
    d->name = JW_BUF(JW_MAX_PATH);
    d->find = INVALID_HANDLE_VALUE;
    d->length = wcslen(path);
    memcpy(d->path, path, d->length * sizeof *path);
    if (d->path[d->length - 1] != L'\\')
        d->path[d->length++] = L'\\';
    if (!is_folder(path, &d->id, err))
        return false;
    d->path[d->length] = L'*';
    d->path[d->length + 1] = L'\0';
    d->find = FindFirstFileExW(d->path, FindExInfoBasic, &d->data, FindExSearchNameMatch, NULL,
                               FIND_FIRST_EX_LARGE_FETCH);
    d->waiting = d->find != INVALID_HANDLE_VALUE;
    jw_work_add(JW_WORK_FOLDERS_LISTED, 1);
    /* The root of an empty drive lists not even "." */
    return d->waiting || GetLastError() == ERROR_FILE_NOT_FOUND || jw_sys_fail(err, (long)GetLastError());
}

bool jw_dir_open(struct jw_dir **dir, const char *path, struct jw_err *err)
{
    wchar_t *wide = NULL;

    *dir = NULL;
    if (jw_sys_fault(err) || !jw_win_path(path, true, &wide, err))
        return false;

    size_t size = sizeof **dir + (wcslen(wide) + 1 + NAME_ROOM) * sizeof *wide;
    struct jw_dir *d = jw_alloc(size);
    bool ok = start_listing(d, wide, err);

    jw_free(wide);
    if (ok)
        *dir = d;
    else
        jw_free(d);
    return ok;
}

/* An open folder is not shared for deletion: it and its parents cannot be renamed. */
bool jw_dir_open_tree(struct jw_dir **dir, const struct jw_tree *held, struct jw_err *err)
{
    return jw_dir_open(dir, held->path, err);
}

/* Other reparse points (deduplicated files, cloud files) count as files and folders. */
static enum jw_entry_type type_of(const WIN32_FIND_DATAW *data)
{
    if (data->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT && IsReparseTagNameSurrogate(data->dwReserved0))
        return JW_ENTRY_LINK;
    if (data->dwFileAttributes & FILE_ATTRIBUTE_DEVICE)
        return JW_ENTRY_OTHER;
    return data->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? JW_ENTRY_DIR : JW_ENTRY_FILE;
}

bool jw_dir_next(struct jw_dir *dir, struct jw_entry *entry, bool *more, struct jw_err *err)
{
    *more = false;
    if (jw_sys_fault(err))
        return false;
    if (dir->find == INVALID_HANDLE_VALUE)
        return true;
    do {
        if (!dir->waiting && !FindNextFileW(dir->find, &dir->data))
            return GetLastError() == ERROR_NO_MORE_FILES || jw_sys_fail(err, (long)GetLastError());
        dir->waiting = false;
    } while (wcscmp(dir->data.cFileName, L".") == 0 || wcscmp(dir->data.cFileName, L"..") == 0);
    jw_buf_clear(&dir->name);
    jw_utf16_to(&dir->name, dir->data.cFileName);
    entry->name = jw_buf_cstr(&dir->name);
    entry->type = type_of(&dir->data);
    *more = !dir->name.bad;
    return jw_buf_ok(&dir->name, err);
}

struct jw_file_id jw_dir_id(const struct jw_dir *dir)
{
    return dir->id;
}

bool jw_dir_open_file(struct jw_dir *dir, const char *name, struct jw_file *f, struct jw_err *err)
{
    wchar_t *wide = NULL;

    *f = JW_FILE_CLOSED;
    if (jw_sys_fault(err) || !jw_utf16_from(name, &wide, err))
        return false;

    size_t n = wcslen(wide);
    bool fits = n && n < NAME_ROOM;

    if (fits)
        memcpy(dir->path + dir->length, wide, (n + 1) * sizeof *wide);
    jw_free(wide);
    return fits ? jw_file_open_wide(f, dir->path, err) : jw_sys_fail(err, ERROR_FILE_NOT_FOUND);
}

bool jw_dir_stat(struct jw_dir *dir, const char *name, struct jw_file_info *info, struct jw_err *err)
{
    struct jw_file f;
    bool ok = jw_dir_open_file(dir, name, &f, err);

    if (ok) {
        ok = jw_file_info(&f, info, err);
        jw_file_close(&f);
    }
    return ok;
}

bool jw_dir_peek(struct jw_dir *dir, const char *name, void *head, size_t n, size_t *got,
                 struct jw_file_info *info, struct jw_err *err)
{
    struct jw_file f;

    *got = 0;
    if (!jw_dir_open_file(dir, name, &f, err))
        return false;
    bool ok = jw_file_info(&f, info, err) && jw_file_read(&f, 0, head, n, got, err);
    jw_file_close(&f);
    return ok;
}

void jw_dir_close(struct jw_dir *dir)
{
    if (!dir)
        return;
    if (dir->find != INVALID_HANDLE_VALUE)
        (void)FindClose(dir->find);
    jw_buf_free(&dir->name);
    jw_free(dir);
}

bool jw_dir_may_add(const char *path, bool *may, struct jw_err *err)
{
    wchar_t *wide = NULL;

    *may = false;
    if (jw_sys_fault(err) || !jw_win_path(path, false, &wide, err))
        return false;

    DWORD what = GetFileAttributesW(wide);

    if (what != INVALID_FILE_ATTRIBUTES && (what & FILE_ATTRIBUTE_DIRECTORY)) {
        HANDLE h = CreateFileW(wide, FILE_ADD_FILE, JW_WIN_SHARE_ALL, NULL, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS, NULL);

        *may = h != INVALID_HANDLE_VALUE;
        if (*may)
            (void)CloseHandle(h);
    }
    jw_free(wide);
    return true;
}
