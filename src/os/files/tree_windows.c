#include "os/files/tree.h"

#include "base/limits.h"
#include "base/mem.h"
#include "os/machine/time.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <string.h>

enum { PATIENCE_MS = 200, SWAP_PATIENCE_MS = 2000 /* once for a whole pack, because it has many entries */ };

#define NO_LINKS (FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT | SECURITY_SQOS_PRESENT)

/* Freed by jw_free. */
static bool path_below(const struct jw_tree *t, const char *name, char **out, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&path, "%s\\%s", t->path, name);
    *out = jw_strdup(jw_buf_cstr(&path));

    bool ok = jw_buf_ok(&path, err);

    jw_buf_free(&path);
    return ok;
}

static bool wide_name(const struct jw_tree *t, const char *name, wchar_t **out, struct jw_err *err)
{
    char *path = NULL;

    *out = NULL;
    bool ok = path_below(t, name, &path, err) && jw_win_path(path, false, out, err);

    jw_free(path);
    return ok;
}

static DWORD open_wide(const wchar_t *wide, DWORD access, DWORD share, DWORD how, DWORD flags, HANDLE *h)
{
    uint64_t end = jw_time_after_ms(PATIENCE_MS);
    DWORD why;

    do {
        *h = CreateFileW(wide, access, share, NULL, how, flags, NULL);
        why = *h == INVALID_HANDLE_VALUE ? GetLastError() : 0;
    } while (jw_win_again(why, end));
    return why;
}

static bool is_link(HANDLE h)
{
    FILE_ATTRIBUTE_TAG_INFO tag;

    return GetFileInformationByHandleEx(h, FileAttributeTagInfo, &tag, sizeof tag)
           && tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT;
}

/* Checks the kind of an open handle; closes a wrong one. */
static bool check_kind(HANDLE h, bool folder, bool links, struct jw_err *err)
{
    struct jw_file f = { .handle = (intptr_t)h };
    struct jw_file_info info;
    bool ok = jw_file_info(&f, &info, err);

    if (ok && !links && is_link(h))
        ok = jw_fail(err, JW_E_FORMAT, "is a link");
    else if (ok && info.kind != (folder ? JW_FILE_DIR : JW_FILE_REGULAR))
        ok = jw_fail(err, JW_E_FORMAT, "%s",
                     folder                     ? "is not a folder"
                     : info.kind == JW_FILE_DIR ? "is a folder"
                                                : "is not a regular file");
    if (!ok)
        jw_file_close(&f);
    return ok;
}

/* Not shared for deletion, so that nobody can swap the folder while it is open. */
static bool open_subfolder(const wchar_t *wide, bool links, struct jw_tree *t, bool *absent,
                           struct jw_err *err)
{
    HANDLE h;
    DWORD flags = links ? FILE_FLAG_BACKUP_SEMANTICS | SECURITY_SQOS_PRESENT : NO_LINKS;
    DWORD why = open_wide(wide, FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES,
                          FILE_SHARE_READ | FILE_SHARE_WRITE, OPEN_EXISTING, flags, &h);

    *absent = why == ERROR_FILE_NOT_FOUND || why == ERROR_PATH_NOT_FOUND;
    if (*absent)
        return true;
    if (why)
        return jw_sys_fail(err, (long)why);
    if (!check_kind(h, true, links, err))
        return false;
    t->handle = (intptr_t)h;
    return true;
}

bool jw_tree_open(struct jw_tree *t, const char *path, struct jw_err *err)
{
    wchar_t *wide = NULL;
    bool absent = false;

    *t = JW_TREE_CLOSED;
    if (jw_sys_fault(err) || !jw_win_path(path, false, &wide, err))
        return false;

    bool ok = open_subfolder(wide, true, t, &absent, err);

    jw_free(wide);
    if (ok && absent)
        return jw_fail(err, JW_E_IO, "no such folder");
    t->path = ok ? jw_strdup(path) : NULL;
    return ok;
}

/* Folders below the user's profile are private by inheritance. */
static bool make_and_open(const wchar_t *wide, struct jw_tree *t, bool *absent, struct jw_err *err)
{
    DWORD why = CreateDirectoryW(wide, NULL) ? 0 : GetLastError();

    if (why == ERROR_PATH_NOT_FOUND)
        return jw_fail(err, JW_E_IO, "its folder vanished");
    return (!why || why == ERROR_ALREADY_EXISTS || jw_sys_fail(err, (long)why))
           && open_subfolder(wide, false, t, absent, err);
}

bool jw_tree_enter(const struct jw_tree *t, const char *name, bool make, struct jw_tree *sub, bool *found,
                   struct jw_err *err)
{
    wchar_t *wide = NULL;
    bool absent = false;

    *sub = JW_TREE_CLOSED;
    *found = false;
    if (jw_sys_fault(err))
        return false;

    bool ok = path_below(t, name, &sub->path, err) && jw_win_path(sub->path, false, &wide, err)
              && open_subfolder(wide, false, sub, &absent, err)
              && (!absent || !make || make_and_open(wide, sub, &absent, err));

    jw_free(wide);
    *found = ok && !absent;
    if (!*found)
        jw_tree_close(sub);
    return ok;
}

bool jw_tree_sync(const struct jw_tree *t, struct jw_err *err)
{
    (void)t; /* MOVEFILE_WRITE_THROUGH did it */
    return !jw_sys_fault(err);
}

bool jw_tree_sync_files(const struct jw_tree *t, bool *done, struct jw_err *err)
{
    (void)t; /* flushing a volume needs an administrator */
    *done = false;
    return !jw_sys_fault(err);
}

void jw_tree_close(struct jw_tree *t)
{
    if (t->handle != -1)
        (void)CloseHandle((HANDLE)t->handle);
    jw_free(t->path);
    *t = JW_TREE_CLOSED;
}

static bool open_named(const struct jw_tree *t, const char *name, DWORD access, DWORD how, HANDLE *h,
                       bool *absent, struct jw_err *err)
{
    wchar_t *wide = NULL;

    *absent = false;
    if (jw_sys_fault(err) || !wide_name(t, name, &wide, err))
        return false;

    DWORD why = open_wide(wide, access, JW_WIN_SHARE_ALL, how, NO_LINKS, h);

    jw_free(wide);
    *absent = how != OPEN_ALWAYS && (why == ERROR_FILE_NOT_FOUND || why == ERROR_PATH_NOT_FOUND);
    return !why || *absent || jw_sys_fail(err, (long)why);
}

bool jw_tree_stat(const struct jw_tree *t, const char *name, struct jw_file_info *info, struct jw_err *err)
{
    bool absent;
    HANDLE h;

    *info = (struct jw_file_info){ .kind = JW_FILE_NONE };
    if (!open_named(t, name, FILE_READ_ATTRIBUTES, OPEN_EXISTING, &h, &absent, err))
        return false;
    if (absent)
        return true;

    struct jw_file f = { .handle = (intptr_t)h };
    bool ok = jw_file_info(&f, info, err);

    if (ok && is_link(h))
        info->kind = JW_FILE_OTHER;
    jw_file_close(&f);
    return ok;
}

bool jw_tree_open_file(const struct jw_tree *t, const char *name, enum jw_tree_use use, struct jw_file *f,
                       bool *found, struct jw_err *err)
{
    DWORD access = use == JW_TREE_READ ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE;
    bool absent;
    HANDLE h;

    *f = JW_FILE_CLOSED;
    *found = false;
    if (!open_named(t, name, access, use == JW_TREE_MAKE ? OPEN_ALWAYS : OPEN_EXISTING, &h, &absent, err))
        return false;
    if (absent)
        return true;
    if (!check_kind(h, false, false, err))
        return false;
    f->handle = (intptr_t)h;
    *found = true;
    return true;
}

static bool move_file(const struct jw_tree *from, const char *name, const struct jw_tree *to,
                      const char *new_name, bool replace, DWORD *why, struct jw_err *err)
{
    wchar_t *wide_from = NULL, *wide_to = NULL;
    bool ok = !jw_sys_fault(err) && wide_name(from, name, &wide_from, err)
              && wide_name(to, new_name, &wide_to, err);

    *why = ok ? jw_win_move(wide_from, wide_to, replace, replace ? SWAP_PATIENCE_MS : PATIENCE_MS) : 0;
    jw_free(wide_from);
    jw_free(wide_to);
    return ok;
}

bool jw_tree_move(const struct jw_tree *from, const char *name, const struct jw_tree *to,
                  const char *new_name, enum jw_move_result *how, struct jw_err *err)
{
    DWORD why;

    *how = JW_MOVED;
    if (!move_file(from, name, to, new_name, false, &why, err))
        return false;
    if (why == ERROR_ALREADY_EXISTS || why == ERROR_FILE_EXISTS)
        *how = JW_MOVE_TAKEN;
    else if (why == ERROR_NOT_SAME_DEVICE)
        *how = JW_MOVE_ELSEWHERE;
    else if (why)
        return jw_sys_fail(err, (long)why);
    return true;
}

bool jw_tree_swap(const struct jw_tree *from, const char *name, const struct jw_tree *to,
                  const char *new_name, enum jw_swap_result *how, struct jw_err *err)
{
    DWORD why;

    *how = JW_SWAP_LOST;
    return move_file(from, name, to, new_name, true, &why, err) && (!why || jw_sys_fail(err, (long)why));
}

bool jw_tree_remove(const struct jw_tree *t, const char *name, struct jw_err *err)
{
    wchar_t *wide = NULL;
    DWORD why;

    if (jw_sys_fault(err) || !wide_name(t, name, &wide, err))
        return false;
    why = jw_win_delete(wide, PATIENCE_MS);
    jw_free(wide);
    return !why || why == ERROR_FILE_NOT_FOUND || why == ERROR_PATH_NOT_FOUND || jw_sys_fail(err, (long)why);
}
