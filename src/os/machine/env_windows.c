#include "os/machine/env.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/files/winpath.h"
#include "os/sys.h"
#include "os/sys_windows.h"

/* KNOWNFOLDERID constants, defined here to avoid linking a library for them. */
#include <initguid.h>

#include <fcntl.h>
#include <io.h>
#include <knownfolders.h>
#include <shellapi.h>
#include <shlobj.h>
#include <sodium.h>
#include <string.h>

/* NULL: unset. */
static char *variable(struct jw_arena *a, const char *name)
{
    struct jw_buf value = JW_BUF_IN(a, JW_MAX_PATH);
    wchar_t *wide = NULL, *units = jw_alloc(JW_WIN_UNITS * sizeof *units);
    struct jw_err ignored;
    bool set = jw_utf16_from(name, &wide, &ignored);

    SetLastError(ERROR_SUCCESS);
    set = set && (GetEnvironmentVariableW(wide, units, JW_WIN_UNITS) || GetLastError() == ERROR_SUCCESS);
    if (set)
        jw_utf16_to(&value, units);
    sodium_memzero(units, JW_WIN_UNITS * sizeof *units);
    jw_free(units);
    jw_free(wide);
    return set && !value.bad ? jw_arena_text(a, jw_buf_cstr(&value), value.n) : NULL;
}

const char *jw_env(struct jw_arena *a, const char *name)
{
    return variable(a, name);
}

char *jw_env_take(struct jw_arena *a, const char *name)
{
    char *out = variable(a, name);

    if (out)
        (void)SetEnvironmentVariableA(name, NULL);
    return out;
}

bool jw_env_all(struct jw_arena *a, const char *const **all, size_t *n, struct jw_err *err)
{
    wchar_t *block = GetEnvironmentStringsW();
    const char **list = NULL;
    size_t max = 0;

    *n = 0;
    if (!block)
        return jw_sys_fail(err, (long)GetLastError());
    for (const wchar_t *at = block; *at; at += wcslen(at) + 1)
        max++;
    list = jw_arena_alloc(a, (max + 1) * sizeof *list);
    for (const wchar_t *at = block; *at; at += wcslen(at) + 1) {
        struct jw_buf text = JW_BUF_IN(a, JW_MAX_VARIABLE);

        if (*at == L'=') /* "=C:=C:\\folder", the current folder of a drive, is no variable */
            continue;
        jw_utf16_to(&text, (const uint16_t *)at);
        list[(*n)++] = jw_buf_cstr(&text);
    }
    (void)FreeEnvironmentStringsW(block);
    *all = list;
    return *n <= JW_MAX_VARIABLES
           || jw_fail(err, JW_E_LIMIT, "more than %zu environment variables", JW_MAX_VARIABLES);
}

static const char *known_folder(struct jw_arena *a, const KNOWNFOLDERID *id)
{
    struct jw_buf path = JW_BUF_IN(a, JW_MAX_PATH);
    PWSTR wide = NULL;
    bool found = SHGetKnownFolderPath(id, KF_FLAG_DONT_VERIFY, NULL, &wide) == S_OK;

    if (found)
        jw_utf16_to(&path, wide);
    CoTaskMemFree(wide);
    return found && !path.bad ? jw_buf_cstr(&path) : NULL;
}

/* The variable wins, so that one run can use other folders. */
static const char *user_folder(struct jw_arena *a, const char *variable, const KNOWNFOLDERID *id)
{
    const char *value = jw_env(a, variable);

    return value && jw_path_absolute(value) ? value : known_folder(a, id);
}

const char *jw_env_home(struct jw_arena *a)
{
    return user_folder(a, "USERPROFILE", &FOLDERID_Profile);
}

const char *jw_env_config_user(struct jw_arena *a)
{
    return user_folder(a, "APPDATA", &FOLDERID_RoamingAppData);
}

const char *jw_env_state_user(struct jw_arena *a)
{
    return user_folder(a, "LOCALAPPDATA", &FOLDERID_LocalAppData);
}

const char *jw_env_data_user(struct jw_arena *a)
{
    return jw_env_state_user(a);
}

/* Ignores the variable: a user must not redirect the machine's settings. */
const char *jw_env_config_system(struct jw_arena *a)
{
    return known_folder(a, &FOLDERID_ProgramData);
}

static HANDLE console(FILE *stream, DWORD *mode)
{
    HANDLE h = (HANDLE)_get_osfhandle(_fileno(stream));

    return h != INVALID_HANDLE_VALUE && GetConsoleMode(h, mode) ? h : NULL;
}

bool jw_term_is(FILE *stream)
{
    DWORD mode;

    return console(stream, &mode) != NULL;
}

unsigned jw_term_columns(FILE *stream)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    DWORD mode;
    HANDLE h = console(stream, &mode);

    if (!h || !GetConsoleScreenBufferInfo(h, &info) || info.srWindow.Right < info.srWindow.Left)
        return 80;
    return (unsigned)(info.srWindow.Right - info.srWindow.Left) + 1;
}

bool jw_term_colors(FILE *stream)
{
    DWORD mode;
    HANDLE h = console(stream, &mode);

    return h
           && (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING
               || SetConsoleMode(h, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING));
}

static char **narrow(wchar_t *const wide[], size_t n, struct jw_arena *a)
{
    char **args = jw_arena_alloc(a, (n + 1) * sizeof *args);

    for (size_t i = 0; i < n; i++) {
        struct jw_buf text = JW_BUF_IN(a, JW_MAX_COMMAND);

        jw_utf16_to(&text, wide[i]);
        args[i] = jw_arena_str(a, jw_buf_cstr(&text));
    }
    return args;
}

bool jw_env_args(int *argc, char ***argv, struct jw_arena *a, struct jw_err *err)
{
    int n = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &n);
    char **args;

    if (!wide)
        return jw_sys_fail(err, (long)GetLastError());
    args = narrow(wide, (size_t)n, a);
    (void)LocalFree(wide);
    *argc = n;
    *argv = args;
    (void)SetConsoleOutputCP(CP_UTF8);
    (void)_setmode(_fileno(stdout), _O_BINARY);
    (void)_setmode(_fileno(stderr), _O_BINARY);
    return true;
}

unsigned jw_cpu_count(void)
{
    DWORD_PTR ours = 0, all = 0;
    unsigned n = 0;

    if (!GetProcessAffinityMask(GetCurrentProcess(), &ours, &all))
        return 1;
    for (; ours; ours &= ours - 1)
        n++;
    /* Zero: threads in several groups of 64, which have no common limit. */
    if (!n)
        n = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return n ? n : 1;
}

bool jw_os_is_windows(void)
{
    return true;
}
