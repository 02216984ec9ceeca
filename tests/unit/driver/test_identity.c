/* Which build a library is, what version, and what we run in. */
#include "check.h"
#include "driver/worker/identity.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"

static const char *identity(struct jw_arena *a, const void *p, size_t n)
{
    const char *path = scratch("library");

    CHECK(jw_file_put(path, JW_OUT_REPLACE, (struct jw_bytes){p, n}, JW_IGNORED));
    const char *out = jw_library_look(path, a).build;

    return out ? out : "";
}

/* An ELF header, one program header at 64, and notes at 128. */
static size_t elf_with(uint8_t *elf, const uint8_t *notes, size_t n)
{
    memset(elf, 0, 128);
    memcpy(elf,
           "\x7f"
           "ELF\2\1\1",
           7);
    jw_put16(elf + 16, 3);
    jw_put16(elf + 18, 62);
    jw_put64(elf + 32, 64);
    jw_put16(elf + 54, 56);
    jw_put16(elf + 56, 1);
    jw_put32(elf + 64, 4);
    jw_put64(elf + 64 + 8, 128);
    jw_put64(elf + 64 + 32, n);
    memcpy(elf + 128, notes, n);
    return 128 + n;
}

TEST_ARENA(an_elf_file_has_a_build_id)
{
    static const uint8_t notes[] = "\4\0\0\0\x10\0\0\0\1\0\0\0GNU\0\0\0\0\0\3\0\0\0\2\0\0\0\0\0\0\0"
                                   "\4\0\0\0\5\0\0\0\3\0\0\0GNU\0\xde\xad\xbe\xef\x01\0\0";
    uint8_t elf[512];
    size_t n = elf_with(elf, notes, sizeof notes - 1);

    CHECK_TEXT(identity(a, elf, n), "gnu:deadbeef01");
    jw_put64(elf + 64 + 8, UINT64_MAX - 4); /* out of the file */
    CHECK(strncmp(identity(a, elf, n), "b2:", 3) == 0);
    jw_put64(elf + 64 + 8, 128);
    jw_put32(elf + 128 + 4, 0xfffffff0); /* the first note claims to be longer than all */
    CHECK(strncmp(identity(a, elf, n), "b2:", 3) == 0);
    jw_put64(elf + 32, UINT64_MAX - 10);
    CHECK(strncmp(identity(a, elf, n), "b2:", 3) == 0);
}

TEST_ARENA(a_library_that_is_cut_off)
{
    uint8_t elf[200] = "\177ELF\2\1";
    static const struct {
        size_t bytes;
        const char *why;
    } cases[] = {{0, "is not a whole library"},
                 {40, "is not a whole library"},
                 {100, "is not a whole library (100 of 192 bytes)"},
                 {191, "is not a whole library (191 of 192 bytes)"},
                 {192, NULL},
                 {200, NULL}};

    elf[40] = 64; /* two section headers of 64 bytes */
    elf[58] = 64;
    elf[60] = 2;
    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        const char *path = scratch("cut"), *why;

        CHECK(jw_file_put(path, JW_OUT_REPLACE, (struct jw_bytes){elf, cases[i].bytes}, &err));
        why = jw_library_look(path, a).truncated;
        CHECK(cases[i].why ? why && strcmp(why, cases[i].why) == 0 : !why);
    }
    jw_put64(elf + 40, UINT64_MAX - 8); /* its end is at 119 */
    CHECK(jw_file_put(scratch("cut"), JW_OUT_REPLACE, (struct jw_bytes){elf, sizeof elf}, &err));
    CHECK_TEXT(jw_library_look(scratch("cut"), a).truncated, "is not a whole library");
    CHECK_TEXT(jw_library_look(scratch("absent"), a).truncated, "cannot be read: no such file");
}

TEST_ARENA(a_pe_file_has_time_stamp_and_size)
{
    uint8_t pe[256] = "MZ";

    pe[0x3c] = 0x80;
    memcpy(pe + 0x80, "PE\0\0", 4);
    jw_put32(pe + 0x88, 0x65a1b2c3);
    jw_put32(pe + 0x80 + 24 + 56, 0x1a2000);
    CHECK_TEXT(identity(a, pe, sizeof pe), "pe:65A1B2C31a2000");
    pe[0x3c] = 0xff;
    CHECK(strncmp(identity(a, pe, sizeof pe), "b2:", 3) == 0);
}

TEST_ARENA(anything_else_has_its_digest)
{
    CHECK_TEXT(identity(a, "abc", 3),
               "b2:bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    CHECK_TEXT(identity(a, "", 0),
               "b2:0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

TEST_ARENA(versions_are_found_in_names_and_texts)
{
    CHECK_TEXT(jw_identity_version_in_name("/usr/lib/x/libcuda.so.580.126.09", a), "580.126.09");
    CHECK_TEXT(jw_identity_version_in_name("libcuda.so.340.108", a), "340.108");
    CHECK(!jw_identity_version_in_name("/usr/lib/wsl/drivers/nv/libcuda.so.1.1", a));
    CHECK(!jw_identity_version_in_name("libcuda.so.1", a));
    CHECK(!jw_identity_version_in_name("C:\\Windows\\nvcuda64.dll", a));
}

/* A reboot changes nothing of these; the system's folders are on many library paths. */
TEST_ARENA(the_folder_that_puts_a_library_before_the_systems)
{
    const char *old = scratch("old"), *other = scratch("other"),
               *both = jw_arena_printf(a, "/usr/lib64::%s:%s", other, old), *real;

    if (jw_os_is_windows())
        return;
    scratch_put("old/libcuda.so.1", "x");
    scratch_put("other/libcuda.so", "x");
    CHECK(jw_real_path(scratch("old/libcuda.so.1"), a, &real, &err));
    CHECK_TEXT(jw_identity_put_before(real, both, a), old);
    CHECK(!jw_identity_put_before(real, other, a) && !jw_identity_put_before(real, NULL, a));
    CHECK(!jw_identity_put_before(real, jw_arena_printf(a, "/%05000d", 0),
                                  a)); /* longer than any path */
    CHECK(!jw_identity_put_before(real, jw_arena_printf(a, "/usr/lib/../..%s", old), a));
}
