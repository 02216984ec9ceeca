/* Files with more names than sense: what is kept of them, and what is said. */
#include "base/limits.h"
#include "scanned.h"

enum { MEMBERS = 30, LONG_NAME = 1 << 20, MEMBER_NAME = 4000 };

/* C++ objects have one section for each function; their names must not add up. */
TEST(section_names_of_members_are_dropped)
{
    struct jw_buf fat = GEN_BUF, object = GEN_BUF;
    static char name[LONG_NAME];
    struct gen_member members[MEMBERS];
    struct scanned s = { .buf = GEN_BUF };

    memset(name, 'x', sizeof name - 1);
    gen_fat(&fat, "P80:s E86");
    const struct gen_section sections[] = { { .name = name, .data = JW_BYTES("code") },
                                            { .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) } };
    (void)gen_elf(&object, (struct gen_elf){ .type = 1 }, sections, 2);
    for (size_t i = 0; i < MEMBERS; i++)
        members[i] = (struct gen_member){ .name = "k.o", .data = jw_buf_bytes(&object) };
    (void)gen_ar(&s.buf, GEN_AR_GNU, members, MEMBERS);
    CHECK(s.buf.n > JW_MAX_IMAGE_TEXT);
    for (int deep = 0; deep < 2; deep++) {
        scan_it(&s, "lib.a", deep);
        CHECK(s.ok);
        CHECK_NUM(s.image.fats.n, MEMBERS);
        CHECK_TEXT(s.image.fats.list[0].section, ".nv_fatbin");
        CHECK(s.image.arena.used < 1 << 16);
        jw_image_free(&s.image);
    }
    scanned_free(&s);
    jw_buf_free(&fat);
    jw_buf_free(&object);
}

/* A deep search finds containers in sections of any name, which are told although the sections are dropped.
 * */
TEST(found_by_deep_search_in_a_section_of_a_long_name)
{
    struct jw_buf fat = GEN_BUF;
    static char name[1000];
    struct scanned s = { .buf = GEN_BUF };

    memset(name, 'y', sizeof name - 1);
    gen_fat(&fat, "P80:s");
    gen_fat(&fat, "E86");
    const struct gen_section sections[] = { { .name = name, .data = jw_buf_bytes(&fat) },
                                            { .name = ".short", .data = jw_buf_bytes(&fat) } };
    (void)gen_elf(&s.buf, (struct gen_elf){ 0 }, sections, 2);
    scan_it(&s, "lib.so", true);
    CHECK(s.ok);
    CHECK_NUM(s.image.fats.n, 4);
    for (size_t i = 0; s.image.fats.n == 4 && i < 2; i++) {
        CHECK_NUM(strlen(s.image.fats.list[i].section), 255);
        CHECK_TEXT(s.image.fats.list[i + 2].section, ".short");
    }
    scanned_free(&s);
    jw_buf_free(&fat);
}

/* A ceiling is this file's trouble; lack of memory would be the end of the whole scan. */
TEST(too_many_member_names_are_a_ceiling)
{
    struct scanned s = { .buf = GEN_BUF };
    char name[MEMBER_NAME + 1];

    memset(name, 'z', sizeof name - 1);
    name[MEMBER_NAME] = '\0';
    jw_buf_text(&s.buf, "!<arch>\n");
    for (size_t i = 0; i <= JW_MAX_IMAGE_TEXT / MEMBER_NAME; i++) {
        jw_buf_printf(&s.buf, "%-16s%-12s%-6s%-6s%-8s%-10u`\n", "#1/4000", "0", "0", "0", "100644",
                      MEMBER_NAME);
        jw_buf_text(&s.buf, name);
    }
    gen_check(&s.buf);
    scan_it(&s, "lib.a", false);
    CHECK(!s.ok);
    CHECK_NUM(s.err.code, JW_E_LIMIT);
    CHECK_HAS(s.err.msg, "of names");
    scanned_free(&s);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(section_names_of_members_are_dropped),
               T(found_by_deep_search_in_a_section_of_a_long_name), T(too_many_member_names_are_a_ceiling));
}
