#include "machine/whoami.h"

#include "base/buf.h"
#include "base/limits.h"
#include "os/files/winpath.h"
#include "os/machine/env.h"

#include <windows.h>

enum { NAME_ROOM = 512 };

void jw_whoami(const char *sysroot, struct jw_arena *a, struct jw_whoami *out)
{
    wchar_t text[NAME_ROOM] = L"";
    struct jw_buf name = JW_BUF_IN(a, JW_MAX_PATH);
    DWORD room = NAME_ROOM;

    (void)sysroot;
    *out = (struct jw_whoami){ 0 };
    if (GetUserNameW(text, &room)) {
        jw_utf16_to(&name, (const uint16_t *)text);
        out->user = name.bad || !name.n ? NULL : jw_buf_cstr(&name);
    }
    out->home = jw_env_home(a);
}
