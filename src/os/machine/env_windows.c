#include "os/machine/env.h"

#include "base/limits.h"
#include "base/path.h"
#include "os/files/winpath.h"
#include "os/sys.h"
#include "os/sys_windows.h"

/* KNOWNFOLDERID constants, defined here to avoid linking a library for them. */
#include <initguid.h>

#include <fcntl.h>
#include <io.h>
#include <knownfolders.h>
#include <pthread.h>
#include <shlobj.h>

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

const char *jw_env_data_user(struct jw_arena *a) { return jw_env_state_user(a); }

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
               || SetConsoleMode(h, mode | ENABLE_PROCESSED_OUTPUT
                                        | ENABLE_VIRTUAL_TERMINAL_PROCESSING));
}

bool jw_env_begin(struct jw_err *err)
{
    (void)SetConsoleOutputCP(CP_UTF8);
    (void)_setmode(_fileno(stdout), _O_BINARY);
    (void)_setmode(_fileno(stderr), _O_BINARY);
    return GetACP() == CP_UTF8
           || jw_fail(
               err, JW_E_IO,
               "this Windows knows no programs in UTF-8: Windows 10 from 1903 on, or Server 2022");
}

unsigned jw_cpu_count(void)
{
    DWORD_PTR ours = 0, all = 0;

    /* Zero: threads in several groups of 64, which have no common limit. */
    if (GetProcessAffinityMask(GetCurrentProcess(), &ours, &all) && !ours)
        return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return (unsigned)pthread_num_processors_np();
}

bool jw_os_is_windows(void) { return true; }
