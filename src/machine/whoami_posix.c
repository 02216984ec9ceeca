#include "machine/whoami.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <pwd.h>
#include <unistd.h>

enum { ENTRY_ROOM = 16384 };

/* Copies a text; NULL for NULL. */
static void copy_text(const char **out, const char *text, struct jw_arena *a)
{
    *out = text && *text ? jw_arena_str(a, text) : NULL;
}

static struct passwd *entry_of(const char *name, uid_t id, struct passwd *entry, char text[ENTRY_ROOM])
{
    struct passwd *found = NULL;
    int why = name ? getpwnam_r(name, entry, text, ENTRY_ROOM, &found)
                   : getpwuid_r(id, entry, text, ENTRY_ROOM, &found);

    return why ? NULL : found;
}

static void ask_user(struct jw_arena *a, struct jw_whoami *out)
{
    char text[ENTRY_ROOM];
    struct passwd entry, *found = entry_of(NULL, geteuid(), &entry, text);

    out->uid = geteuid();
    out->root = out->uid == 0;
    if (!found) {
        copy_text(&out->user, jw_env(a, "USER"), a);
        return;
    }
    copy_text(&out->user, found->pw_name, a);
    copy_text(&out->home, found->pw_dir, a);
}

/* sudo, doas and pkexec set a variable with the caller. */
static void ask_behind(struct jw_arena *a, struct jw_whoami *out)
{
    static const char *const names[] = { "SUDO_USER", "DOAS_USER" };
    const char *number = jw_env(a, "PKEXEC_UID");
    char text[ENTRY_ROOM];
    struct passwd entry, *found = NULL;
    uint64_t id = 0;

    if (!out->root)
        return;
    for (size_t i = 0; i < JW_COUNT(names) && !found; i++) {
        const char *name = jw_env(a, names[i]);

        found = name && *name ? entry_of(name, 0, &entry, text) : NULL;
    }
    if (!found && number && jw_text_u64(number, &id))
        found = entry_of(NULL, (uid_t)id, &entry, text);
    if (!found || found->pw_uid == 0)
        return;
    copy_text(&out->behind, found->pw_name, a);
    copy_text(&out->behind_home, found->pw_dir, a);
}

/* A missing or unreadable file is fine. */
static void ask_system(const char *sysroot, struct jw_arena *a, struct jw_whoami *out)
{
    static const char *const places[] = { "/etc/os-release", "/usr/lib/os-release" };
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_err ignored = { 0 };
    bool found = false;

    for (size_t i = 0; i < JW_COUNT(places) && !found; i++)
        found =
            jw_file_slurp(jw_arena_printf(a, "%s%s", sysroot, places[i]), &text, &found, &ignored) && found;
    if (found)
        out->distro = jw_os_release(jw_buf_cstr(&text), "ID", a);
    jw_buf_free(&text);
}

void jw_whoami(const char *sysroot, struct jw_arena *a, struct jw_whoami *out)
{
    *out = (struct jw_whoami){ 0 };
    ask_user(a, out);
    ask_behind(a, out);
    ask_system(sysroot, a, out);
}
