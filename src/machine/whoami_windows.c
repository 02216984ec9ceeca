#include "machine/whoami.h"

#include "os/machine/env.h"

#include <windows.h>

void jw_whoami(const char *sysroot, struct jw_arena *a, struct jw_whoami *out)
{
    char name[2048];
    DWORD room = sizeof name;

    (void)sysroot;
    *out = (struct jw_whoami){0};
    if (GetUserNameA(name, &room) && *name)
        out->user = jw_arena_str(a, name);
    out->home = jw_env_home(a);
}
