#include "machine/whoami.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "os/files/winpath.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>
#include <windows.h>

#include <userenv.h>

enum { NAME_ROOM = 512 };

static void copy_text(const char **out, const wchar_t *wide, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_PATH);

    jw_utf16_to(&text, (const uint16_t *)wide);
    *out = text.bad || !text.n ? NULL : jw_buf_cstr(&text);
}

static void keep_text(const char **out, const char *text, struct jw_arena *a)
{
    *out = jw_arena_str(a, text);
}

/* A profile folder on a server is a redirected one. A roaming profile is local and copied at logon and logoff. */
static void ask_profile(struct jw_arena *a, struct jw_whoami *out)
{
    const char *appdata = jw_env(a, "APPDATA");
    DWORD flags = 0;

    if (!appdata)
        return;
    if (jw_service_profile(appdata)) {
        keep_text(&out->service, "APPDATA is the profile of a Windows service", a);
        return;
    }
    if (appdata[0] == '\\' && appdata[1] == '\\') {
        keep_text(&out->roaming, "APPDATA is a folder of a server", a);
        return;
    }
    if (GetProfileType(&flags) && (flags & PT_ROAMING)) {
        keep_text(&out->roaming, "Windows copies this profile to a server at logoff", a);
        return;
    }
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
    ask_profile(a, out);
}
