#include "os/process/detach.h"

#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/process/winargv.h"
#include "os/sys.h"
#include "os/sys_windows.h"

bool jw_detach(const char *exe, const char *const argv[], const char *user, struct jw_err *err)
{
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);
    wchar_t *wide_exe = NULL, *wide = NULL;
    STARTUPINFOW how = { .cb = sizeof how };
    PROCESS_INFORMATION made;
    bool ok;

    if (jw_sys_fault(err))
        return false;
    if (user)
        return jw_fail(err, JW_E_USAGE, "Windows starts nothing as another user without a password");
    ok = jw_winargv_line(&line, argv, err) && jw_utf16_from(jw_buf_cstr(&line), &wide, err)
         && jw_win_path(exe, false, &wide_exe, err);
    if (ok
        && !CreateProcessW(wide_exe, wide, NULL, NULL, FALSE, DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
                           NULL, NULL, &how, &made))
        ok = jw_sys_fail(err, (long)GetLastError());
    else if (ok) {
        (void)CloseHandle(made.hThread);
        (void)CloseHandle(made.hProcess);
    }
    jw_free(wide_exe);
    jw_free(wide);
    jw_buf_free(&line);
    return ok || jw_wrap(err, "%s", exe);
}
