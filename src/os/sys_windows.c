#include "os/sys_windows.h"

#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/sys.h"

_Static_assert(sizeof(wchar_t) == sizeof(uint16_t), "winpath.c makes wide strings of 16-bit units");

static const struct {
    DWORD code;
    const char *sentence;
    bool absent;
} sentences[] = {
    {ERROR_FILE_NOT_FOUND, "no such file", true},
    {ERROR_PATH_NOT_FOUND, "no such file", true},
    {ERROR_INVALID_NAME, "no such file", true},
    {ERROR_BAD_PATHNAME, "no such file", true},
    {ERROR_INVALID_DRIVE, "no such drive", true},
    {ERROR_BAD_NETPATH, "no such server", true},
    {ERROR_BAD_NET_NAME, "no such share", true},
    {ERROR_DIRECTORY, "part of the path is not a folder", true},
    {ERROR_ACCESS_DENIED, "permission denied", false},
    {ERROR_PRIVILEGE_NOT_HELD, "permission denied", false},
    {ERROR_WRITE_PROTECT, "the disk is write-protected", false},
    {ERROR_SHARING_VIOLATION, "is in use by another program", false},
    {ERROR_LOCK_VIOLATION, "is locked by another program", false},
    {ERROR_FILE_EXISTS, "already exists", false},
    {ERROR_ALREADY_EXISTS, "already exists", false},
    {ERROR_DISK_FULL, "the disk is full", false},
    {ERROR_HANDLE_DISK_FULL, "the disk is full", false},
    {ERROR_FILENAME_EXCED_RANGE, "the name is too long", false},
    {ERROR_CANT_RESOLVE_FILENAME, "the links lead in a circle", false},
    {ERROR_INVALID_FUNCTION, "is not a regular file", false},
    {ERROR_MOD_NOT_FOUND, "there is no such library, or one that it needs is missing", false},
    {ERROR_BAD_EXE_FORMAT, "is not a program of this system", false},
};

bool jw_win_fail(struct jw_err *err) { return jw_sys_fail(err, (long)GetLastError()); }

/* The system's message, in the user's language. */
static void system_text(DWORD code, struct jw_buf *out)
{
    char text[512];
    DWORD n = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code,
                             0, text, sizeof text, NULL);

    while (n && ((uint8_t)text[n - 1] <= ' ' || text[n - 1] == '.'))
        n--;
    jw_buf_add(out, text, n);
    if (!n)
        jw_buf_printf(out, "system error %lu", (unsigned long)code);
}

static const char *own_sentence(DWORD code)
{
    for (size_t i = 0; i < JW_COUNT(sentences); i++)
        if (sentences[i].code == code)
            return sentences[i].sentence;
    return NULL;
}

bool jw_sys_fail(struct jw_err *err, long code)
{
    uint8_t room[1025];
    struct jw_buf text = {.p = room, .cap = sizeof room, .max = sizeof room - 1};

    const char *sentence = own_sentence((DWORD)code);

    if (sentence)
        jw_buf_text(&text, sentence);
    else
        system_text((DWORD)code, &text);
    (void)jw_fail(err, JW_E_IO, "%s", jw_buf_cstr(&text));
    err->os = code;
    return false;
}

bool jw_sys_is_not_found(long code)
{
    for (size_t i = 0; i < JW_COUNT(sentences); i++)
        if (sentences[i].code == (DWORD)code)
            return sentences[i].absent;
    return false;
}

static bool full_path(const wchar_t *path, wchar_t **full, struct jw_err *err)
{
    *full = jw_alloc(JW_WIN_UNITS * sizeof **full);

    DWORD n = GetFullPathNameW(path, JW_WIN_UNITS, *full, NULL);

    return (n && n < JW_WIN_UNITS)
           || jw_sys_fail(err, n ? ERROR_FILENAME_EXCED_RANGE : (long)GetLastError());
}

static bool is_device(const wchar_t *path) { return wcsncmp(path, L"\\\\.\\", 4) == 0; }

bool jw_win_path(const char *path, bool always, wchar_t **out, struct jw_err *err)
{
    wchar_t *wide = NULL, *full = NULL;

    *out = NULL;
    if (!*path) {
        (void)jw_fail(err, JW_E_IO, "the name is empty");
        err->os = ERROR_FILE_NOT_FOUND;
        return false;
    }
    if (!jw_utf16_from(path, &wide, err))
        return false;

    /* A prefix is the user's own. Else the system names devices: "C:\x\NUL" becomes "\\.\NUL". */
    bool given = wcsncmp(wide, L"\\\\?\\", 4) == 0;
    bool ok = given || full_path(wide, &full, err);

    if (ok && !given && is_device(full) && !is_device(wide))
        ok = jw_sys_fail(err, ERROR_INVALID_FUNCTION);
    if (ok)
        *out = jw_winpath_long(given ? wide : full, always);
    jw_free(full);
    jw_free(wide);
    return ok;
}

bool jw_win_module(HMODULE module, struct jw_buf *path, struct jw_err *err)
{
    wchar_t *wide = jw_alloc(JW_WIN_UNITS * sizeof *wide);
    DWORD n = GetModuleFileNameW(module, wide, JW_WIN_UNITS);
    bool ok = (n && n < JW_WIN_UNITS) || jw_win_fail(err);

    if (ok)
        jw_utf16_to(path, wide);
    jw_free(wide);
    return ok && jw_buf_ok(path, err);
}
