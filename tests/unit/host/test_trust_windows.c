/* Who may write to a folder, as Windows says it: by owner and list of rights. */
#include "host/trust.h"

#include "../os/scratch.h"
#include "check.h"
#include "os/file.h"

#include <windows.h>

#include <aclapi.h>

static struct jw_arena a;

static const char *folder(const char *name)
{
    static char path[4096];
    char below[64];
    struct jw_err err;

    (void)snprintf(below, sizeof below, "trust/%s", name);
    scratch_empty(scratch(below));
    (void)snprintf(path, sizeof path, "%s/cache 1", scratch(below));
    CHECK(jw_make_dirs(path, &err));
    return path;
}

/* Beside what there is. */
static void allow(const char *path, WELL_KNOWN_SID_TYPE who, DWORD rights, DWORD inheritance)
{
    wchar_t wide[4096];
    uint8_t sid[SECURITY_MAX_SID_SIZE];
    DWORD n = sizeof sid;
    PSECURITY_DESCRIPTOR sd = NULL;
    PACL before = NULL, after = NULL;

    CHECK(MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 4096) > 0);
    for (wchar_t *c = wide; *c; c++)
        *c = *c == L'/' ? L'\\' : *c;
    CHECK(CreateWellKnownSid(who, NULL, sid, &n));
    EXPLICIT_ACCESSW more = { .grfAccessPermissions = rights,
                              .grfAccessMode = GRANT_ACCESS,
                              .grfInheritance = inheritance,
                              .Trustee = { .TrusteeForm = TRUSTEE_IS_SID, .ptstrName = (wchar_t *)sid } };

    CHECK(
        GetNamedSecurityInfoW(wide, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, &before, NULL, &sd)
        == ERROR_SUCCESS);
    CHECK(SetEntriesInAclW(1, &more, before, &after) == ERROR_SUCCESS);
    CHECK(SetNamedSecurityInfoW(wide, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, after, NULL)
          == ERROR_SUCCESS);
    (void)LocalFree(sd);
    (void)LocalFree(after);
}

static const char *writers(const char *path)
{
    struct jw_trust t;
    struct jw_err err = { 0 };

    CHECK(jw_trust_read(path, &a, &t, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(t.exists && !t.owner);
    return t.writers ? t.writers : "nobody";
}

TEST(what_is_made_here_is_ours)
{
    struct jw_trust t;
    struct jw_err err;

    CHECK_TEXT(writers(folder("ours")), "nobody");
    CHECK(jw_trust_read(scratch("trust/gone"), &a, &t, &err) && !t.exists && !t.writers && !t.owner);
    jw_arena_free(&a);
}

TEST(crowds_are_named)
{
    const char *path = folder("crowds");

    allow(path, WinWorldSid, FILE_GENERIC_READ | FILE_GENERIC_EXECUTE, NO_INHERITANCE);
    CHECK_TEXT(writers(path), "nobody");
    allow(path, WinWorldSid, FILE_GENERIC_WRITE, NO_INHERITANCE);
    CHECK_TEXT(writers(path), "everybody");
    jw_arena_free(&a);
}

/* Of a folder for memory, a service or a group of some firm that may write is no finding; where keys are, it is. */
TEST(somebody_else)
{
    const char *path = folder("somebody");
    struct jw_trust t;
    struct jw_err err;

    allow(path, WinLocalServiceSid, FILE_GENERIC_WRITE, NO_INHERITANCE);
    CHECK_TEXT(writers(path), "nobody");
    CHECK(jw_trust_guarded(path, &a, &t, &err));
    if (!t.writers)
        SKIP("this system keeps no rights of others here"); /* Wine: only what a mode can say */
    CHECK_TEXT(t.writers, "S-1-5-19");
    jw_arena_free(&a);
}

TEST(what_is_remembered_there_is_not_believed)
{
    const char *path = folder("memory");
    struct jw_err err = { 0 };

    CHECK(jw_trust_believe(path, "folder", &a, &err));
    allow(path, WinWorldSid, FILE_GENERIC_WRITE, NO_INHERITANCE);
    CHECK(!jw_trust_believe(path, "folder", &a, &err));
    CHECK_TEXT(err.msg, "everybody may write to the folder; what it remembers is not believed");
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_is_made_here_is_ours), T(crowds_are_named), T(somebody_else),
               T(what_is_remembered_there_is_not_believed));
}
