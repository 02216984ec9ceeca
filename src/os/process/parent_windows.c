#include "os/process/parent.h"

#include "base/text.h"
#include "os/sys.h"
#include "os/sys_windows.h"

enum { MOST_AT_ONCE = 1 << 20 };

static bool inherited(const char *text, intptr_t *handle, struct jw_err *err)
{
    uint64_t n;

    if (!jw_text_u64(text, &n) || !n || GetFileType((HANDLE)(uintptr_t)n) != FILE_TYPE_PIPE)
        return jw_fail(err, JW_E_USAGE, "\"%.20s\" is no pipe to a parent", text);
    /* A helper that a driver starts must not keep it open. */
    (void)SetHandleInformation((HANDLE)(uintptr_t)n, HANDLE_FLAG_INHERIT, 0);
    *handle = (intptr_t)n;
    return true;
}

bool jw_parent_open(struct jw_parent *p, const char *in, const char *out, struct jw_err *err)
{
    /* No window of the system's may ask a user about a crash that we expect. */
    (void)SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    return inherited(in, &p->in, err) && inherited(out, &p->out, err);
}

bool jw_parent_read(struct jw_parent *p, void *dst, size_t n, bool *gone, struct jw_err *err)
{
    uint8_t *at = dst;
    size_t left = n;

    *gone = false;
    while (left) {
        DWORD r = 0;
        bool ok = ReadFile((HANDLE)p->in, at, left < MOST_AT_ONCE ? (DWORD)left : MOST_AT_ONCE, &r, NULL);

        if (!ok && GetLastError() != ERROR_BROKEN_PIPE)
            return jw_sys_fail(err, (long)GetLastError());
        if (!ok || !r) {
            *gone = left == n;
            return *gone || jw_fail(err, JW_E_IO, "the parent ended in the middle of a record");
        }
        at += r;
        left -= r;
    }
    return true;
}

bool jw_parent_write(struct jw_parent *p, const void *src, size_t n, struct jw_err *err)
{
    return jw_sys_write(p->out, src, n, err);
}
