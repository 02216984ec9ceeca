#include "scanned.h"

static void reads(struct gen_cubin c, const char *name, char suffix)
{
    FREED(scanned) s = {.buf = GEN_BUF};

    gen_cubin(&s.buf, c);
    scan_it(&s, "k.cubin", false);
    CHECK(s.ok && s.image.format == JW_FORMAT_CUBIN && s.image.fats.n == 1
          && s.image.fats.n_entries == 1);
    const struct jw_fat_entry *e = entry_of(&s, 0, 0);

    CHECK_TEXT(jw_fat_arch_name(e).text, name);
    CHECK(e->target.suffix == suffix);
    CHECK_NUM(e->minor, c.cuda13 ? 8 : 7);
    CHECK_NUM(e->stored, s.buf.n);
    CHECK_NUM(s.image.fats.list[0].role, JW_ROLE_CODE); /* a driver loads relocatable code, too */
}

TEST(targets_of_cuda_12)
{
    reads((struct gen_cubin){.target = {86, '\0'}}, "sm_86", '\0');
    reads((struct gen_cubin){.target = {90, '\0'}}, "sm_90", '\0');
    reads((struct gen_cubin){.target = {90, 'a'}}, "sm_90a", 'a');
    reads((struct gen_cubin){.target = {120, 'a'}}, "sm_120a", 'a');
    reads((struct gen_cubin){.target = {75, '\0'}, .relocatable = true}, "sm_75", '\0');
}

TEST(targets_of_cuda_13)
{
    reads((struct gen_cubin){.target = {86, '\0'}, .cuda13 = true}, "sm_86", '\0');
    reads((struct gen_cubin){.target = {90, 'a'}, .cuda13 = true}, "sm_90a", 'a');
    reads((struct gen_cubin){.target = {100, 'a'}, .cuda13 = true}, "sm_100a", 'a');
    reads((struct gen_cubin){.target = {100, 'f'}, .cuda13 = true}, "sm_100",
          '\0'); /* cannot be told */
    reads((struct gen_cubin){.target = {121, '\0'}, .cuda13 = true, .relocatable = true}, "sm_121",
          '\0');
}

/* The e_flags of real files. */
TEST(real_flags)
{
    static const struct {
        uint32_t flags;
        uint8_t os_abi;
        const char *name;
    } real[] = {{0x00320556, 0x33, "sm_86"},
                {0x0032055a, 0x33, "sm_90"},
                {0x005a0d5a, 0x33, "sm_90a"},
                {0x06005604, 0x41, "sm_86"},
                {0x06005a04, 0x41, "sm_90"},
                {0x06006402, 0x41, "sm_100"},
                /* ptxas 12.8 and 12.9 */
                {0x005a0d5a, 0x33, "sm_90a"},
                {0x0600640a, 0x41, "sm_100a"},
                {0x0600670a, 0x41, "sm_103a"},
                {0x06007802, 0x41, "sm_120"},
                {0x0600780a, 0x41, "sm_120a"},
                {0x0600790a, 0x41, "sm_121a"}};

    for (size_t i = 0; i < JW_COUNT(real); i++) {
        FREED(scanned) s = {.buf = GEN_BUF};

        gen_cubin(&s.buf,
                  (struct gen_cubin){.target = {75, '\0'}, .cuda13 = real[i].os_abi == 0x41});
        gen_set32(&s.buf, 48, real[i].flags);
        s.buf.p[7] = real[i].os_abi;
        scan_it(&s, "k.cubin", false);
        CHECK(s.ok && s.image.fats.n == 1);
        CHECK_TEXT(jw_fat_arch_name(entry_of(&s, 0, 0)).text, real[i].name);
    }
}

/* Attributes of any format may come before the one that is looked for. */
TEST(attributes_are_stepped_over)
{
    static const struct {
        uint8_t bytes[20];
        size_t n;
        char suffix;
    } compat[] = {
        {{2, 9, 1, 0}, 4, 'a'},
        {{2, 9, 0, 0}, 4, '\0'},
        {{4, 7, 4, 0, 2, 9, 1, 0, 2, 9, 0, 0},
         12,
         '\0'}, /* inside of a sized one: not an attribute */
        {{4, 7, 3, 0, 'x', 'y', 'z', 2, 9, 1, 0}, 11, 'a'},
        {{4, 9, 1, 0, 1, 2, 9, 1, 0}, 9, 'a'},
        {{4, 7, 0xff, 0xff, 2, 9, 1, 0}, 8, '\0'},
        {{2, 9, 1}, 3, '\0'},
    };

    for (size_t i = 0; i < JW_COUNT(compat); i++) {
        FREED(scanned) s = {.buf = GEN_BUF};
        const struct gen_section sections[] = {
            {.name = ".nv.compat", .data = {compat[i].bytes, compat[i].n}}};

        (void)gen_elf(
            &s.buf,
            (struct gen_elf){.type = 2, .machine = 190, .os_abi = 0x41, .flags = 0x06006402},
            sections, 1);
        scan_it(&s, "k.cubin", false);
        CHECK(s.ok && s.image.fats.n == 1);
        CHECK(entry_of(&s, 0, 0)->target.suffix == compat[i].suffix);
    }
}
