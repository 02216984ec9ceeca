#include "os/files/stdin.h"

#include "os/sys.h"
#include "os/sys_windows.h"

/* Ctrl-C ends a console's read by itself; of a pipe, whoever writes to it ends, too. */
bool jw_stdin_read(void *dst, size_t n, size_t *got, const atomic_bool *interrupted, struct jw_err *err)
{
    DWORD part = n < (1U << 20) ? (DWORD)n : 1U << 20, read = 0;

    *got = 0;
    if (jw_sys_fault(err))
        return false;
    if (!ReadFile(GetStdHandle(STD_INPUT_HANDLE), dst, part, &read, NULL)) {
        DWORD why = GetLastError();

        if (why != ERROR_BROKEN_PIPE && why != ERROR_HANDLE_EOF)
            return jw_sys_fail(err, (long)why);
        read = 0;
    }
    if (interrupted && atomic_load(interrupted))
        return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    *got = read;
    return true;
}
