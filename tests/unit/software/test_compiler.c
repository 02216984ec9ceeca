#include "software/find/toolkit.h"

#include "base/mem.h"
#include "check.h"

TEST(what_ptxas_says_of_itself)
{
    struct jw_arena a = { 0 };
    struct jw_compiler c = { 0 };

    CHECK(jw_compiler_read(
        "ptxas: NVIDIA (R) Ptx optimizing assembler\nCopyright (c) 2005-2025 NVIDIA Corporation\n"
        "Built on Wed_Aug_20_01:55:12_PM_PDT_2025\nCuda compilation tools, release 13.0, V13.0.88\n"
        "Build cuda_13.0.r13.0/compiler.36424714_0\n",
        &a, &c));
    CHECK_TEXT(c.version, "13.0.88");
    CHECK(c.isa_major == 9 && c.isa_minor == 0);
    CHECK(jw_compiler_read("\nrelease 12.8, V12.8.93\n", &a, &c));
    CHECK(c.isa_major == 8 && c.isa_minor == 7);
    CHECK(!jw_compiler_read("", &a, &c));
    CHECK(!jw_compiler_read("release 13, V13.0.88", &a, &c));
    CHECK(!jw_compiler_read("release 13.0, V", &a, &c));
    CHECK(!jw_compiler_read("release 13.0", &a, &c));
    jw_arena_free(&a);
}

/* As ptxas --help and the release notes have them. */
TEST(the_isa_of_each_release)
{
    static const struct {
        unsigned cuda[2], isa[2];
    } rows[] = { { { 11, 0 }, { 7, 0 } }, { { 11, 8 }, { 7, 8 } }, { { 12, 0 }, { 8, 0 } },
                 { { 12, 4 }, { 8, 4 } }, { { 12, 5 }, { 8, 5 } }, { { 12, 6 }, { 8, 5 } },
                 { { 12, 8 }, { 8, 7 } }, { { 12, 9 }, { 8, 8 } }, { { 13, 0 }, { 9, 0 } },
                 { { 13, 1 }, { 9, 1 } } };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        unsigned major, minor;

        jw_compiler_isa(rows[i].cuda[0], rows[i].cuda[1], &major, &minor);
        CHECK(major == rows[i].isa[0] && minor == rows[i].isa[1]);
    }
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_ptxas_says_of_itself), T(the_isa_of_each_release));
}
