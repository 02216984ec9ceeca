#include "os/files/own.h"

#include "base/mem.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <aclapi.h>

static bool add(struct jw_win_own *o, PSID sid, DWORD inherited)
{
    return AddAccessAllowedAceEx(&o->list.acl, ACL_REVISION, inherited, FILE_ALL_ACCESS, sid);
}

static bool add_known(struct jw_win_own *o, WELL_KNOWN_SID_TYPE who, DWORD inherited)
{
    union {
        SID sid;
        uint8_t room[SECURITY_MAX_SID_SIZE];
    } s;
    DWORD n = sizeof s;

    return CreateWellKnownSid(who, NULL, &s.sid, &n) && add(o, &s.sid, inherited);
}

bool jw_win_own(struct jw_win_own *o, bool folder)
{
    DWORD n, inherited = folder ? OBJECT_INHERIT_ACE | CONTAINER_INHERIT_ACE : 0;
    HANDLE token = NULL;
    bool ok = OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)
              && GetTokenInformation(token, TokenUser, &o->user, sizeof o->user, &n);

    if (token)
        (void)CloseHandle(token);
    ok = ok && InitializeAcl(&o->list.acl, sizeof o->list, ACL_REVISION)
         && add(o, o->user.user.User.Sid, inherited)
         && (!folder
             || (add_known(o, WinLocalSystemSid, inherited)
                 && add_known(o, WinBuiltinAdministratorsSid, inherited)))
         && InitializeSecurityDescriptor(&o->descriptor, SECURITY_DESCRIPTOR_REVISION)
         && SetSecurityDescriptorDacl(&o->descriptor, TRUE, &o->list.acl, FALSE)
         && SetSecurityDescriptorControl(&o->descriptor, SE_DACL_PROTECTED, SE_DACL_PROTECTED);
    o->attributes = (SECURITY_ATTRIBUTES){ sizeof o->attributes, &o->descriptor, FALSE };
    return ok;
}

bool jw_own_file(const char *path, struct jw_err *err)
{
    struct jw_win_own o;
    wchar_t *wide = NULL;

    if (jw_sys_fault(err))
        return false;
    if (!jw_win_own(&o, false))
        return jw_fail(err, JW_E_IO, "the system does not say who this user is");
    if (!jw_win_path(path, false, &wide, err))
        return false;
    DWORD why = SetNamedSecurityInfoW(wide, SE_FILE_OBJECT,
                                      DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION, NULL,
                                      NULL, &o.list.acl, NULL);

    jw_free(wide);
    return why == ERROR_SUCCESS || why == ERROR_NOT_SUPPORTED || why == ERROR_INVALID_FUNCTION
           || jw_sys_fail(err, (long)why);
}
