#include "machine/whoami.h"

#include "base/buf.h"
#include "base/limits.h"
#include "os/files/winpath.h"
#include "os/machine/env.h"

#include <string.h>
#include <windows.h>

enum { NAME_ROOM = 512 };

static void copy_text(const char **out, const wchar_t *wide, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_PATH);

    jw_utf16_to(&text, (const uint16_t *)wide);
    *out = text.bad || !text.n ? NULL : jw_buf_cstr(&text);
}

void jw_whoami(const char *sysroot, struct jw_arena *a, struct jw_whoami *out)
{
    wchar_t text[NAME_ROOM] = L"";
    DWORD room = NAME_ROOM;

    (void)sysroot;
    *out = (struct jw_whoami){ 0 };
    if (GetUserNameW(text, &room))
        copy_text(&out->user, text, a);
    out->root = out->user && strcmp(out->user, "SYSTEM") == 0;
    room = NAME_ROOM;
    text[0] = L'\0';
    if (GetComputerNameExW(ComputerNameDnsHostname, text, &room))
        copy_text(&out->host, text, a);
    out->home = jw_env_home(a);
}
