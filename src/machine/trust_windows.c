#include "machine/trust.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/acl.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/sys_windows.h"

#include <aclapi.h>
#include <string.h>

/* ---- names ---- */

/* "GPUBOX\bob", as this Windows calls it; a deleted account has only its SID. */
static const char *account(struct jw_bytes sid, struct jw_arena *a)
{
    enum { ROOM = 256 };
    wchar_t name[ROOM], domain[ROOM], both[2 * ROOM + 1];
    char text[JW_SID_TEXT], utf8[2 * ROOM * 3];
    DWORD n = ROOM, n_domain = ROOM;
    SID_NAME_USE kind;
    bool known = jw_sid_text(sid, text);

    if (known && strcmp(text, "S-1-1-0") == 0)
        return "everybody";
    if (LookupAccountSidW(NULL, (PSID)(uintptr_t)sid.p, name, &n, domain, &n_domain, &kind)) {
        (void)_snwprintf(both, 2 * ROOM + 1, *domain ? L"%ls\\%ls" : L"%ls%ls", domain, name);
        both[2 * ROOM] = L'\0';
        if (WideCharToMultiByte(CP_UTF8, 0, both, -1, utf8, sizeof utf8, NULL, NULL) > 0)
            return jw_arena_str(a, utf8);
    }
    return jw_arena_str(a, known ? text : "an unknown account");
}

/* ---- asking ---- */

struct asking {
    enum jw_acl_ask what;
    bool certain; /* unreadable permissions are an error */
    const char *path;
    struct jw_arena *a;
    struct jw_trust *out;
    struct jw_err *err;
};

static void check_list(struct asking *q, const struct jw_acl *acl)
{
    struct jw_trust *t = q->out;

    if (acl->owner.n)
        t->owner = account(acl->owner, q->a);
    if (acl->open || acl->n)
        t->writers = acl->open ? "everybody" : account(acl->writers[0], q->a);
}

/* A file system without permissions (a USB stick, some shares) cannot be made private. */
static bool keeps_rights(const wchar_t *path)
{
    wchar_t volume[MAX_PATH + 1];
    DWORD flags = 0;

    return !GetVolumePathNameW(path, volume, MAX_PATH + 1)
           || !GetVolumeInformationW(volume, NULL, 0, NULL, NULL, &flags, NULL, 0)
           || flags & FILE_PERSISTENT_ACLS;
}

/* By handle if the file is open, else by path. */
static bool check_rights(struct asking *q, HANDLE file, const wchar_t *path)
{
    const SECURITY_INFORMATION what = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
    PSECURITY_DESCRIPTOR rights = NULL;
    union jw_win_user user;
    struct jw_acl acl;
    DWORD why = file ? GetSecurityInfo(file, SE_FILE_OBJECT, what, NULL, NULL, NULL, NULL, &rights)
                     : GetNamedSecurityInfoW(path, SE_FILE_OBJECT, what, NULL, NULL, NULL, NULL, &rights);

    if (why != ERROR_SUCCESS)
        return !q->certain || jw_fail(q->err, JW_E_IO, "the system does not say who may write to it");
    bool ok = jw_win_user(&user, q->err)
              && jw_acl_check((struct jw_bytes){ rights, GetSecurityDescriptorLength(rights) }, q->what,
                              (struct jw_bytes){ user.token.User.Sid, GetLengthSid(user.token.User.Sid) },
                              &acl, q->err);

    /* Windows reports an open list, owned by everybody, for files without one. */
    if (ok && !(acl.open && !q->certain && !keeps_rights(path)))
        check_list(q, &acl);
    (void)LocalFree(rights);
    return ok;
}

static bool ask_path(struct asking *q)
{
    struct jw_file_info info;
    wchar_t *wide = NULL;

    *q->out = (struct jw_trust){ 0 };
    if (!jw_file_stat(q->path, &info, q->err))
        return false;
    q->out->exists = info.kind != JW_FILE_NONE;
    if (!q->out->exists)
        return true;
    if (!jw_win_path(q->path, false, &wide, q->err))
        return false;

    bool ok = check_rights(q, NULL, wide);

    jw_free(wide);
    return ok;
}

bool jw_trust_read(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    struct asking q = { .path = path, .a = a, .out = out, .err = err };

    return ask_path(&q);
}

/* By path: an open folder cannot be swapped. */
bool jw_trust_read_open(const struct jw_tree *folder, struct jw_arena *a, struct jw_trust *out,
                        struct jw_err *err)
{
    return jw_trust_read(folder->path, a, out, err);
}

/* Unreadable permissions are an error where the result decides which code may run. */
static bool ask_certainly(const char *path, enum jw_acl_ask what, struct jw_arena *a, struct jw_trust *out,
                          struct jw_err *err)
{
    struct asking q = { .what = what, .certain = true, .path = path, .a = a, .out = out, .err = err };

    return ask_path(&q);
}

bool jw_trust_make(const char *path, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_err taken = { 0 };
    const char *above = jw_path_dir(&a, path);
    bool ok = jw_make_dirs(above, err);

    if (ok)
        (void)!jw_make_private_dir(path, &taken);
    jw_arena_free(&a);
    return ok && jw_make_dirs(path, err);
}

/* The root of a Windows path: "C:\", "\\server\share". */
static bool is_top(const char *path, struct jw_arena *a)
{
    const char *above = jw_path_dir(a, path);

    return strcmp(above, path) == 0 || (strncmp(path, "\\\\", 2) == 0 && !strpbrk(above + 2, "/\\"));
}

/* The first one, from the root, that another user can change. The folder and its parent must not be changeable at all,
 * the others not movable. */
static bool check_way(const char *path, const char *home, struct jw_arena *a, const char **at,
                      struct jw_trust *out, struct jw_err *err)
{
    bool top = false;

    for (unsigned level = 0; !top; level++, path = jw_path_dir(a, path)) {
        bool root = is_top(path, a);
        struct jw_trust t;

        top = root || (home && jw_text_equal_nocase(path, home));
        if (!ask_certainly(path,
                           level && root ? JW_ACL_ROOT
                           : level > 1   ? JW_ACL_MOVE
                                         : JW_ACL_CHANGE,
                           a, &t, err))
            return jw_wrap(err, "%s", path);
        if (t.owner || t.writers) {
            *at = path;
            *out = t;
        }
    }
    return true;
}

bool jw_trust_check_path(const char *path, struct jw_arena *a, struct jw_tree *held, const char **at,
                         struct jw_trust *out, struct jw_err *err)
{
    const char *home = jw_env_home(a), *real = NULL;
    struct jw_file_info info;

    *held = JW_TREE_CLOSED;
    *at = NULL;
    *out = (struct jw_trust){ 0 };
    if (!jw_file_stat(path, &info, err))
        return false;
    if (info.kind == JW_FILE_NONE)
        return true;
    out->exists = true;
    return (!home || jw_real_path(home, a, &home, err)) && jw_real_path(path, a, &real, err)
           && check_way(real, home, a, at, out, err) && jw_tree_open(held, real, err);
}

/* By handle: an open file can lose its name to another file. */
bool jw_trust_file(const struct jw_file *f, const char *path, struct jw_arena *a, struct jw_trust *out,
                   struct jw_err *err)
{
    struct asking q = {
        .what = JW_ACL_CHANGE, .certain = true, .path = path, .a = a, .out = out, .err = err
    };

    *out = (struct jw_trust){ .exists = true };
    return check_rights(&q, (HANDLE)f->handle, NULL);
}
