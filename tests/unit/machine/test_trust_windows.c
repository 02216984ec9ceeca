/* Who may write to a folder, as Windows says it: by owner and list of rights. */
#include "machine/trust.h"

#include "check.h"
#include "os/files/file.h"
#include "rigs/scratch.h"

#include <windows.h>

#include <aclapi.h>
#include <sddl.h>

static struct jw_arena a;

static const char *folder(const char *name)
{
    static char path[4096];
    char below[64];

    (void)snprintf(below, sizeof below, "trust/%s", name);
    scratch_empty(scratch(below));
    (void)snprintf(path, sizeof path, "%s/cache 1", scratch(below));
    CHECK(jw_make_dirs(path, JW_IGNORED));
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
    EXPLICIT_ACCESSW more = {
        .grfAccessPermissions = rights,
        .grfAccessMode = GRANT_ACCESS,
        .grfInheritance = inheritance,
        .Trustee = {.TrusteeForm = TRUSTEE_IS_SID, .ptstrName = (wchar_t *)sid}};

    CHECK(GetNamedSecurityInfoW(wide, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL,
                                &before, NULL, &sd)
          == ERROR_SUCCESS);
    CHECK(SetEntriesInAclW(1, &more, before, &after) == ERROR_SUCCESS);
    CHECK(SetNamedSecurityInfoW(wide, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, after,
                                NULL)
          == ERROR_SUCCESS);
    (void)LocalFree(sd);
    (void)LocalFree(after);
}

static const char *writers(const char *path)
{
    struct jw_trust t;
    struct jw_err err = {0};

    CHECK_OK(jw_trust_read(path, &a, &t, &err), err);
    CHECK(t.exists && !t.owner);
    return t.writers ? t.writers : "nobody";
}

TEST(what_is_made_here_is_ours)
{
    struct jw_trust t;

    CHECK_TEXT(writers(folder("ours")), "nobody");
    CHECK(jw_trust_read(scratch("trust/gone"), &a, &t, &err) && !t.exists && !t.writers
          && !t.owner);
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

/* A service, a person, a group of some firm: by its name. */
TEST(somebody_else)
{
    const char *path = folder("somebody");
    struct jw_trust t;

    allow(path, WinLocalServiceSid, FILE_GENERIC_WRITE, NO_INHERITANCE);
    CHECK(jw_trust_read(path, &a, &t, &err));
    if (!t.writers)
        SKIP("this system keeps no rights of others here"); /* Wine: only what a mode can say */
    CHECK_HAS(t.writers, "\\");
    jw_arena_free(&a);
}

/* Held open, it is the same folder that is asked about. */
TEST(a_folder_that_is_held)
{
    const char *path = folder("held");
    struct jw_folder tree = JW_FOLDER_CLOSED;
    struct jw_trust t;

    CHECK(jw_folder_open(&tree, path, &err));
    CHECK(jw_trust_read_open(&tree, &a, &t, &err) && t.exists && !t.writers && !t.owner);
    allow(path, WinWorldSid, FILE_GENERIC_WRITE, NO_INHERITANCE);
    CHECK(jw_trust_read_open(&tree, &a, &t, &err));
    CHECK_TEXT(t.writers, "everybody");
    jw_folder_close(&tree);
    jw_arena_free(&a);
}

/* Whatever has its name by now. */
TEST(a_file_that_is_open)
{
    const char *path = folder("open");
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_trust t;
    char file[4200], away[4200];

    (void)snprintf(file, sizeof file, "%s/a.pub", path);
    (void)snprintf(away, sizeof away, "%s/b.pub", path);
    scratch_write(file, "one");
    allow(file, WinWorldSid, FILE_GENERIC_READ | FILE_GENERIC_WRITE, NO_INHERITANCE);
    CHECK(jw_file_open(&f, file, &err));
    CHECK(MoveFileA(file, away));
    scratch_write(file, "another");
    CHECK(jw_trust_file(&f, &a, &t, &err));
    CHECK_TEXT(t.writers, "everybody");
    jw_file_close(&f);
    jw_arena_free(&a);
}

/* What Windows itself makes of the notation that administrators write. */
TEST(descriptors_that_windows_made)
{
    static const struct {
        const wchar_t *text;
        enum jw_trust_ask ask;
        bool owned, written;
    } cases[] = {
        {L"O:BAG:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICIIO;GA;;;CO)", JW_TRUST_CHANGE, false,
         false},
        {L"O:SYG:SYD:(A;OICI;FA;;;SY)(A;;0x1200a9;;;BU)", JW_TRUST_CHANGE, false, false},
        {L"O:BAG:BAD:(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;AU)", JW_TRUST_CHANGE, false, true},
        {L"O:BAG:BAD:(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;AU)", JW_TRUST_TOP, false, false},
        {L"O:BAG:BAD:(A;;FW;;;LS)", JW_TRUST_CHANGE, false, true},
        {L"O:BAG:BAD:(A;;FW;;;LS)", JW_TRUST_MOVE, false, false},
        {L"O:BAG:BAD:(A;;0x40;;;LS)", JW_TRUST_MOVE, false, true},
        {L"O:BAG:BAD:(A;;WD;;;LS)", JW_TRUST_TOP, false, true},
        {L"O:BAG:BAD:(D;;FA;;;WD)(A;;FA;;;BU)", JW_TRUST_CHANGE, false, false},
        {L"O:BAG:BAD:(D;OICIIO;FA;;;WD)(A;;FA;;;BU)", JW_TRUST_CHANGE, false, true},
        {L"O:BAG:BAD:(A;OICIIO;FA;;;BU)", JW_TRUST_CHANGE, false, true},
        {L"O:BAG:BAD:(A;OICIIO;FA;;;BU)", JW_TRUST_MOVE, false, false},
        {L"O:BAG:BAD:(A;;FA;;;S-1-5-21-1-2-3-512)(A;;FA;;;S-1-5-21-1-2-3-519)", JW_TRUST_CHANGE,
         false, false},
        {L"O:BAG:BAD:(A;;FA;;;S-1-5-21-1-2-3-513)", JW_TRUST_CHANGE, false, true},
        {L"O:LSG:BAD:(A;;FA;;;SY)", JW_TRUST_CHANGE, true, false},
        {L"O:BAG:BA", JW_TRUST_CHANGE, false, true},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        PSECURITY_DESCRIPTOR sd = NULL;
        struct jw_trust t = {0};
        ULONG n = 0;

        err = (struct jw_err){0};
        CHECK(ConvertStringSecurityDescriptorToSecurityDescriptorW(cases[i].text, SDDL_REVISION_1,
                                                                   &sd, &n));
        CHECK_OK(jw_trust_descriptor(sd, cases[i].ask, &a, &t, &err), err);
        CHECK_NUM(i * 100 + (t.writers != NULL), i * 100 + cases[i].written);
        CHECK_NUM(i * 100 + (t.owner != NULL), i * 100 + cases[i].owned);
        (void)LocalFree(sd);
    }
    jw_arena_free(&a);
}

TEST(a_file_of_this_user_alone)
{
    const char *path = folder("alone");
    char file[4200];

    (void)snprintf(file, sizeof file, "%s/a.key", path);
    CHECK(jw_file_put(file, JW_OUT_NEW, JW_BYTES("x"), &err));
    allow(file, WinWorldSid, FILE_GENERIC_READ | FILE_GENERIC_WRITE, NO_INHERITANCE);
    CHECK_TEXT(writers(file), "everybody");
    CHECK(jw_file_put(file, JW_OUT_REPLACE | JW_OUT_PRIVATE, JW_BYTES("x"), &err));
    CHECK_TEXT(writers(file), "nobody");
    jw_arena_free(&a);
}

TEST(what_is_made_for_us_is_closed)
{
    const char *path = folder("made");
    char below[4200];

    allow(path, WinWorldSid, FILE_ALL_ACCESS, SUB_CONTAINERS_AND_OBJECTS_INHERIT);
    (void)snprintf(below, sizeof below, "%s/ComputeCache", path);
    CHECK_OK(jw_trust_make(below, &err), err);
    CHECK_TEXT(writers(below), "nobody");
    CHECK_TEXT(writers(path), "everybody");
    jw_arena_free(&a);
}

TEST(what_is_remembered_there_is_not_believed)
{
    const char *path = folder("memory");

    CHECK(jw_trust_check_own(path, "folder", &a, &err));
    allow(path, WinWorldSid, FILE_GENERIC_WRITE, NO_INHERITANCE);
    CHECK_SAYS(jw_trust_check_own(path, "folder", &a, &err), err,
               "the folder may be changed by everybody");
    jw_arena_free(&a);
}
