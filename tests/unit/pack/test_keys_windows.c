/* Keys that another user could have written, as Windows says who may: by owner and list of
 * rights. */
#include "pack/keys/keys.h"

#include "check.h"
#include "os/files/file.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <windows.h>

#include <aclapi.h>

static struct jw_arena a;

static const char *home(void) { return built_path(scratch("home")); }

static void begin(void)
{
    struct jw_minisign_secret key = {.id = {1}};
    uint8_t seed[crypto_sign_SEEDBYTES] = {1};
    struct jw_minisign_public public;
    FREED(jw_buf) text = JW_BUF(4096);

    jw_arena_free(&a);
    scratch_empty(scratch("home"));
    CHECK(jw_make_dirs(scratch("home/jitwarm/keys"), JW_IGNORED));
    set_variable("APPDATA", home());
    (void)crypto_sign_seed_keypair((uint8_t[crypto_sign_PUBLICKEYBYTES]){0}, key.key, seed);
    public = jw_minisign_public_of(&key);
    jw_minisign_public_put(&text, &public);
    scratch_write(scratch("home/jitwarm/keys/a.pub"), jw_buf_cstr(&text));
}

static bool load(size_t *n, struct jw_err *err)
{
    struct jw_trusted_keys keys;
    bool ok;

    *err = (struct jw_err){0};
    ok = jw_keys_load((struct jw_texts){0}, NULL, &a, &keys, err);
    *n = keys.n;
    return ok;
}

/* A right for one of the system's well-known groups, beside what there is. */
static void allow(const char *path, WELL_KNOWN_SID_TYPE who, DWORD rights)
{
    uint8_t sid[SECURITY_MAX_SID_SIZE];
    DWORD n = sizeof sid;
    PSECURITY_DESCRIPTOR sd = NULL;
    PACL before = NULL, after = NULL;
    char copy[4096];

    (void)snprintf(copy, sizeof copy, "%s", path);
    for (char *c = copy; *c; c++)
        *c = *c == '/' ? '\\' : *c;
    CHECK(CreateWellKnownSid(who, NULL, sid, &n));
    EXPLICIT_ACCESSA more = {.grfAccessPermissions = rights,
                             .grfAccessMode = GRANT_ACCESS,
                             .Trustee = {.TrusteeForm = TRUSTEE_IS_SID, .ptstrName = (char *)sid}};

    CHECK(GetNamedSecurityInfoA(copy, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL,
                                &before, NULL, &sd)
          == ERROR_SUCCESS);
    CHECK(SetEntriesInAclA(1, &more, before, &after) == ERROR_SUCCESS);
    CHECK(SetNamedSecurityInfoA(copy, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, after,
                                NULL)
          == ERROR_SUCCESS);
    (void)LocalFree(sd);
    (void)LocalFree(after);
}

TEST(what_is_ours_is_believed)
{
    size_t n;

    begin();
    CHECK_OK(load(&n, &err), err);
    CHECK_NUM(n, 1);
    allow(scratch("home/jitwarm/keys/a.pub"), WinWorldSid, FILE_GENERIC_READ);
    CHECK(load(&n, &err) && n == 1);
}

static void refused(const char *path, DWORD rights, const char *sentence)
{
    struct jw_err err;
    size_t n;

    begin();
    allow(scratch(path), WinWorldSid, rights);
    CHECK_REFUSED(load(&n, &err), err, sentence);
    CHECK_NUM(err.code, JW_E_TRUST);
    CHECK_HAS(err.msg, "take that right away first (icacls)");
}

TEST(a_key_file_that_others_can_write)
{
    refused("home/jitwarm/keys/a.pub", FILE_GENERIC_READ | FILE_GENERIC_WRITE,
            "everybody may write to this key file");
}

TEST(a_folder_that_others_can_write)
{
    refused("home/jitwarm/keys", FILE_GENERIC_READ | FILE_GENERIC_WRITE,
            "everybody may write to this folder");
    refused("home/jitwarm", FILE_GENERIC_READ | FILE_GENERIC_WRITE,
            "everybody may write to this folder");
}

/* Up to the profile, or the root of the drive. */
TEST(a_folder_far_above_that_others_can_write)
{
    refused("home", FILE_ALL_ACCESS, "everybody may write to this folder");
}
