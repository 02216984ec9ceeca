#include "check.h"
#include "formats/sections.h"

TEST(places_and_addresses)
{
    FREED(jw_arena) a = { 0 };
    struct jw_sections s = { 0 };
    uint64_t at;

    CHECK(jw_sections_add(&s, &a, (struct jw_section){ "b", 200, 50, 0x2000, true }, &err));
    CHECK(jw_sections_add(&s, &a, (struct jw_section){ "a", 100, 50, 0, true }, &err));
    CHECK(jw_sections_add(&s, &a, (struct jw_section){ "c", 250, UINT64_MAX - 250, 0x9000, true }, &err));
    jw_sections_sort(&s);
    CHECK_TEXT(s.list[0].name, "a");
    CHECK(jw_section_translate(&s, 0x2031, &at) && at == 249);
    CHECK(!jw_section_translate(&s, 0x2032, &at) && !jw_section_translate(&s, 10, &at));
    CHECK(jw_section_named(&s, "c")->at == 250 && !jw_section_named(&s, "d"));
    s = (struct jw_sections){ 0 };
    jw_sections_sort(&s);
}
