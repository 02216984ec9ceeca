#include "machine/trust.h"

#include "base/mem.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/sys_windows.h"

#include <aclapi.h>
#include <sddl.h>
#include <string.h>

static const char everybody[] = "S-1-1-0";

/* "S-1-5-32-545" */
static const char *number_of(PSID sid, struct jw_arena *a)
{
    const char *copy = "an unknown account";
    char *text = NULL;

    if (ConvertSidToStringSidA(sid, &text))
        copy = jw_arena_str(a, text);
    (void)LocalFree(text);
    return copy;
}

/* "GPUBOX\bob", as this Windows calls it; a deleted account has only its number. */
static const char *account(PSID sid, struct jw_arena *a)
{
    char name[1024], domain[1024];
    const char *number = number_of(sid, a);
    DWORD n = sizeof name;
    DWORD n_domain = sizeof domain;
    SID_NAME_USE kind;

    if (strcmp(number, everybody) == 0)
        return "everybody";
    if (!LookupAccountSidA(NULL, sid, name, &n, domain, &n_domain, &kind))
        return number;
    return jw_arena_printf(a, *domain ? "%s\\%s" : "%s%s", domain, name);
}

/* Is it this user, an account with access to everything (SYSTEM, administrators, also a domain's,
 * TrustedInstaller), or a name for the owner, which is looked at apart? */
static bool is_expected(PSID sid, PSID user, struct jw_arena *a)
{
    static const char *const all[] = {
        "S-1-5-18", "S-1-5-32-544", "S-1-3-0", "S-1-3-4",
        "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"};
    const char *number = number_of(sid, a);

    if (EqualSid(sid, user) || jw_text_among(number, all, JW_COUNT(all)))
        return true;
    bool of_admins = jw_text_ends(number, "-512") || jw_text_ends(number, "-519");

    return of_admins && jw_text_starts(number, "S-1-5-21-");
}

enum {
    RULE = WRITE_DAC | WRITE_OWNER | GENERIC_ALL,
    MOVE = RULE | FILE_DELETE_CHILD | DELETE,
    CHANGE = MOVE | FILE_WRITE_DATA | FILE_APPEND_DATA | GENERIC_WRITE
};

static const ACCESS_MASK counts[] = {
    [JW_TRUST_CHANGE] = CHANGE, [JW_TRUST_MOVE] = MOVE, [JW_TRUST_TOP] = RULE | FILE_DELETE_CHILD};
JW_ROW_FOR_EACH(counts, JW_TRUST_QUESTIONS, 3);

/* The first account in the list that has such rights; NULL: none. An entry for files that are made
 * later allows there, and denies nothing here. An entry with a condition counts. */
static const char *first_writer(PACL list, enum jw_trust_ask ask, PSID user, struct jw_arena *a)
{
    ACCESS_MASK wanted = counts[ask];
    ACCESS_ALLOWED_ACE *e;

    for (DWORD i = 0; i < list->AceCount; i++) {
        if (!GetAce(list, i, (void **)&e))
            return "everybody";

        BYTE kind = e->Header.AceType;
        bool later = e->Header.AceFlags & INHERIT_ONLY_ACE;
        PSID sid = &e->SidStart;

        if (kind == ACCESS_DENIED_ACE_TYPE && !later && strcmp(number_of(sid, a), everybody) == 0)
            wanted &= ~e->Mask;
        /* An entry for types of objects has its account at another offset. */
        bool object = kind == ACCESS_ALLOWED_OBJECT_ACE_TYPE
                      || kind == ACCESS_ALLOWED_CALLBACK_OBJECT_ACE_TYPE;
        bool allows =
            object || kind == ACCESS_ALLOWED_ACE_TYPE || kind == ACCESS_ALLOWED_CALLBACK_ACE_TYPE;

        if (!allows || !(e->Mask & wanted) || (later && ask != JW_TRUST_CHANGE))
            continue;
        if (object)
            return "everybody";
        if (!is_expected(sid, user, a))
            return account(sid, a);
    }
    return NULL;
}

bool jw_trust_descriptor(void *rights, enum jw_trust_ask ask, struct jw_arena *a,
                         struct jw_trust *out, struct jw_err *err)
{
    union jw_win_user user;
    BOOL has_list = FALSE, ignored;
    PSID owner = NULL;
    PACL list = NULL;

    if (!jw_win_user(&user, err))
        return false;
    if (!GetSecurityDescriptorOwner(rights, &owner, &ignored)
        || !GetSecurityDescriptorDacl(rights, &has_list, &list, &ignored))
        return jw_fail(err, JW_E_FORMAT, "a list of rights of a kind that is not known");
    if (owner && !is_expected(owner, user.token.User.Sid, a))
        out->owner = account(owner, a);
    out->writers = has_list && list ? first_writer(list, ask, user.token.User.Sid, a) : "everybody";
    return true;
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

/* Asks by handle if the file is open, else by path. `certain`: unreadable permissions are an error,
 * as the result decides which code may run. */
static bool check_rights(HANDLE file, const wchar_t *path, enum jw_trust_ask ask, bool certain,
                         struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    const SECURITY_INFORMATION what = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
    PSECURITY_DESCRIPTOR rights = NULL;
    DWORD why =
        file ? GetSecurityInfo(file, SE_FILE_OBJECT, what, NULL, NULL, NULL, NULL, &rights)
             : GetNamedSecurityInfoW(path, SE_FILE_OBJECT, what, NULL, NULL, NULL, NULL, &rights);

    if (why != ERROR_SUCCESS)
        return !certain || jw_fail(err, JW_E_IO, "the system does not say who may write to it");
    bool ok = jw_trust_descriptor(rights, ask, a, out, err);

    /* Windows reports an open list, owned by everybody, for files without one. */
    if (ok && out->writers && !certain && !keeps_rights(path))
        out->owner = out->writers = NULL;
    (void)LocalFree(rights);
    return ok;
}

static bool ask_path(const char *path, enum jw_trust_ask ask, bool certain, struct jw_arena *a,
                     struct jw_trust *out, struct jw_err *err)
{
    struct jw_file_info info;
    wchar_t *wide = NULL;

    *out = (struct jw_trust){0};
    if (!jw_file_stat(path, &info, err))
        return false;
    out->exists = info.kind != JW_FILE_NONE;
    if (!out->exists || !jw_win_path(path, false, &wide, err))
        return !out->exists;

    bool ok = check_rights(NULL, wide, ask, certain, a, out, err);

    jw_free(wide);
    return ok;
}

bool jw_trust_read(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    return ask_path(path, JW_TRUST_CHANGE, false, a, out, err);
}

bool jw_trust_step(const char *path, enum jw_trust_ask ask, struct jw_arena *a,
                   struct jw_trust *out, struct jw_err *err)
{
    return ask_path(path, ask, true, a, out, err);
}

/* Asks by path, as an open folder cannot be swapped. */
bool jw_trust_read_open(const struct jw_folder *folder, struct jw_arena *a, struct jw_trust *out,
                        struct jw_err *err)
{
    *out = (struct jw_trust){.exists = true};
    return check_rights(NULL, folder->path, JW_TRUST_CHANGE, false, a, out, err);
}

/* Asks by handle, as an open file can lose its name to another file. */
bool jw_trust_file(const struct jw_file *f, struct jw_arena *a, struct jw_trust *out,
                   struct jw_err *err)
{
    *out = (struct jw_trust){.exists = true};
    return check_rights((HANDLE)f->handle, NULL, JW_TRUST_CHANGE, true, a, out, err);
}
