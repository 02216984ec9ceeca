#include "host/trust.h"

#include "base/mem.h"
#include "os/file.h"
#include "os/sys_windows.h"

#include <aclapi.h>
#include <sddl.h>
#include <string.h>

/* Who may write to it could change it, or put another one in its place. */
#define WRITING                                                                                              \
    (FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC | WRITE_OWNER               \
     | GENERIC_WRITE | GENERIC_ALL)

bool jw_trust_held(const struct jw_tree *folder, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    (void)folder;
    (void)a;
    (void)err;
    *out = (struct jw_trust){ .exists = true };
    return true;
}

/* ---- the list of rights ---- */

struct asking {
    bool crowds_only; /* of those who may write, only groups that anybody may be in count */
    struct jw_arena *a;
    struct jw_trust *out;
    struct jw_err *err;
    union {
        TOKEN_USER user;
        uint8_t room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } token; /* this user */
};

static bool ask_user(struct asking *q)
{
    HANDLE token;
    DWORD n;
    bool ok = OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)
              && GetTokenInformation(token, TokenUser, &q->token, sizeof q->token, &n);

    return ok || jw_fail(q->err, JW_E_IO, "the system does not say who this user is");
}

/* "S-1-5-32-545" */
static bool name_sid(struct asking *q, PSID sid, const char **out)
{
    char *text = NULL;

    *out = ConvertSidToStringSidA(sid, &text) ? jw_arena_str(q->a, text) : jw_arena_str(q->a, "somebody");
    (void)LocalFree(text);
    return *out || jw_nomem(q->err, SECURITY_MAX_SID_SIZE);
}

/* This user, the system, administrators, and services of the system's own: they can do all anyway. */
static bool may(struct asking *q, PSID sid, bool *out)
{
    const char *text;

    *out = EqualSid(sid, q->token.user.User.Sid) || IsWellKnownSid(sid, WinBuiltinAdministratorsSid)
           || IsWellKnownSid(sid, WinLocalSystemSid) || IsWellKnownSid(sid, WinCreatorOwnerSid);
    if (*out)
        return true;
    if (!name_sid(q, sid, &text))
        return false;
    *out = strncmp(text, "S-1-5-80-", 9) == 0;
    return true;
}

static bool judge_owner(struct asking *q, PSID owner)
{
    bool good;

    return may(q, owner, &good) && (good || name_sid(q, owner, &q->out->owner));
}

static bool say_writers(struct asking *q, const char *who)
{
    q->out->writers = jw_arena_str(q->a, who);
    return q->out->writers || jw_nomem(q->err, strlen(who));
}

static bool name_writer(struct asking *q, PSID sid)
{
    static const struct {
        WELL_KNOWN_SID_TYPE who;
        const char *name;
    } crowds[] = {
        { WinWorldSid, "everybody" },
        { WinAuthenticatedUserSid, "every user" },
        { WinBuiltinUsersSid, "every user" },
        { WinAccountDomainUsersSid, "every user of the domain" },
        { WinInteractiveSid, "every user who logs in" },
        { WinNetworkSid, "every user over the network" },
        { WinBuiltinGuestsSid, "every guest" },
        { WinAnonymousSid, "everybody without a name" },
    };

    for (size_t i = 0; i < JW_COUNT(crowds); i++)
        if (IsWellKnownSid(sid, crowds[i].who))
            return say_writers(q, crowds[i].name);
    return q->crowds_only || name_sid(q, sid, &q->out->writers);
}

/* Of an entry that says what somebody is allowed; what is denied only takes away. */
static bool judge_entry(struct asking *q, const ACCESS_ALLOWED_ACE *ace)
{
    PSID sid = (PSID)(uintptr_t)&ace->SidStart;
    bool good;

    if (ace->Header.AceType != ACCESS_ALLOWED_ACE_TYPE || ace->Header.AceFlags & INHERIT_ONLY_ACE
        || !(ace->Mask & WRITING))
        return true;
    return may(q, sid, &good) && (good || q->out->writers || name_writer(q, sid));
}

static bool judge_list(struct asking *q, PACL list)
{
    void *ace;

    if (!list) /* none at all: whoever comes */
        return say_writers(q, "everybody");
    for (DWORD i = 0; i < list->AceCount; i++)
        if (GetAce(list, i, &ace) && !judge_entry(q, ace))
            return false;
    return true;
}

static bool ask(struct asking *q, const char *path)
{
    PSECURITY_DESCRIPTOR rights = NULL;
    struct jw_file_info info;
    wchar_t *wide = NULL;
    PACL list = NULL;
    PSID owner = NULL;
    bool ok;

    *q->out = (struct jw_trust){ 0 };
    if (!jw_file_stat(path, &info, q->err))
        return false;
    q->out->exists = info.kind != JW_FILE_NONE;
    if (!q->out->exists)
        return true;
    if (!jw_win_path(path, false, &wide, q->err))
        return false;
    DWORD why =
        GetNamedSecurityInfoW(wide, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                              &owner, NULL, &list, NULL, &rights);

    /* A share may have no such thing; then nothing is found against a folder, and a key is not believed. */
    ok = why != ERROR_SUCCESS
             ? q->crowds_only || jw_fail(q->err, JW_E_IO, "the system does not say who may write to it")
             : ask_user(q) && judge_owner(q, owner) && judge_list(q, list);
    (void)LocalFree(rights);
    jw_free(wide);
    return ok;
}

bool jw_trust_read(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    struct asking q = { .crowds_only = true, .a = a, .out = out, .err = err };

    return ask(&q, path);
}

bool jw_trust_guarded(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err)
{
    struct asking q = { .a = a, .out = out, .err = err };

    return ask(&q, path);
}

bool jw_trust_make(const char *path, struct jw_err *err)
{
    return jw_make_dirs(path,
                        err); /* %LOCALAPPDATA% is the user's own, and what is made in it inherits that */
}
