#include "machine/whoami.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

bool jw_account_find(const char *name, unsigned long uid, struct jw_arena *a,
                     struct jw_account *out)
{
    enum { ENTRY_ROOM = 1 << 16 };
    char *text = jw_arena_alloc(a, ENTRY_ROOM);
    struct passwd entry, *found = NULL;
    int why = name ? getpwnam_r(name, &entry, text, ENTRY_ROOM, &found)
                   : getpwuid_r((uid_t)uid, &entry, text, ENTRY_ROOM, &found);

    if (why || !found)
        return false;
    *out = (struct jw_account){.name = found->pw_name, .uid = found->pw_uid};
    if (*found->pw_dir)
        out->home = found->pw_dir;
    if (*found->pw_shell)
        out->shell = found->pw_shell;
    return true;
}

/* Finds the user behind root: sudo, doas and pkexec set a variable with the caller. */
static void ask_behind(struct jw_arena *a, struct jw_whoami *out)
{
    static const char *const names[] = {"SUDO_USER", "DOAS_USER"};
    const char *number = jw_env(a, "PKEXEC_UID");
    struct jw_account caller = {0};
    uint64_t id = 0;

    bool found = false;

    for (size_t i = 0; i < JW_COUNT(names) && !found; i++) {
        const char *name = jw_env(a, names[i]);

        found = name && *name && jw_account_find(name, 0, a, &caller);
    }
    if (!found && number && jw_text_u64(number, &id))
        found = jw_account_find(NULL, id, a, &caller);
    if (!found || !caller.uid)
        return;
    out->behind = caller.name;
    out->behind_home = caller.home;
}

/* The line ID=NAME of os-release. A missing or unreadable file is fine. */
static const char *distro(const char *sysroot, struct jw_arena *a)
{
    static const char *const places[] = {"/etc/os-release", "/usr/lib/os-release"};
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_CONF);
    bool found = false;

    jw_buf_text(&text, "\n");
    for (size_t i = 0; i < JW_COUNT(places) && !found; i++)
        found =
            jw_file_slurp(jw_arena_printf(a, "%s%s", sysroot, places[i]), &text, &found, JW_IGNORED)
            && found;

    const char *at = strstr(jw_buf_cstr(&text), "\nID=");

    at = at ? at + strlen("\nID=") : NULL;
    at = at && *at && strchr("\"'", *at) ? at + 1 : at;
    return at ? jw_arena_text(a, at, strcspn(at, "\"'\n")) : NULL;
}

void jw_whoami(const char *sysroot, struct jw_arena *a, struct jw_whoami *out)
{
    struct jw_account me = {0};

    *out = (struct jw_whoami){.uid = geteuid(), .distro = distro(sysroot, a)};
    if (jw_account_find(NULL, out->uid, a, &me)) {
        out->user = me.name;
        out->home = me.home;
    } else
        out->user = jw_env(a, "USER");
    if (!out->uid)
        ask_behind(a, out);
}
