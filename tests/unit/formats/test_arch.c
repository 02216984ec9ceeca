#include "base/text.h"
#include "check.h"
#include "formats/arch.h"

#include <stdlib.h>

/* The GPUs there are. */
static const unsigned devices[] = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80,  86,
                                   87, 88, 89, 90, 100, 101, 103, 107, 110, 120, 121};
enum { DEVICES = sizeof devices / sizeof *devices };

static struct jw_arch target(const char *text)
{
    struct jw_arch t = {0, '\0'};

    CHECK(jw_arch_parse(JW_PHRASE("sm_%s", text), &t));
    return t;
}

static bool listed(const char *list, unsigned device)
{
    for (const char *p = list; *p;) {
        char *end;

        if (strtoul(p, &end, 10) == device)
            return true;
        p = end + (*end == ' ');
    }
    return false;
}

static void accepts(bool (*rule)(struct jw_arch, unsigned), const char *what, const char *code,
                    const char *list)
{
    for (size_t i = 0; i < DEVICES; i++) {
        bool right = rule(target(code), devices[i]) == listed(list, devices[i]);

        CHECK(right);
        if (!right)
            printf("  %s %s on %u\n", what, code, devices[i]);
    }
}

TEST(machine_code_runs_where_the_table_says)
{
    static const char *const rows[][2] = {
        {"50", "50 52"}, /* 53 is integrated */
        {"52", "52"},           {"53", "53"},    {"60", "60 61"},
        {"61", "61"},           {"62", "62"},    {"70", "70 75"},
        {"72", "72"},           {"75", "75"},    {"80", "80 86 89"},
        {"86", "86 89"},        {"87", "87"},    {"88", "88"},
        {"89", "89"},           {"90", "90"},    {"90a", "90"},
        {"100", "100 103 107"}, {"100a", "100"}, {"100f", "100 103 107"},
        {"101", "101"},         {"101a", "101"}, {"101f", "101"},
        {"103", "103 107"},     {"103a", "103"}, {"103f", "103 107"},
        {"110", "110"},         {"110a", "110"}, {"110f", "110"},
        {"120", "120 121"},     {"120a", "120"}, {"120f", "120 121"},
        {"121", "121"},         {"121a", "121"}, {"121f", "121"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        accepts(jw_sass_runs, "sm", rows[i][0], rows[i][1]);
}

TEST(ptx_compiles_where_the_table_says)
{
    static const char *const rows[][2] = {
        {"90a", "90"},       {"100a", "100"}, {"103a", "103"},         {"110a", "110"},
        {"120a", "120"},     {"121a", "121"}, {"100f", "100 103 107"}, {"101f", "101"},
        {"103f", "103 107"}, {"110f", "110"}, {"120f", "120 121"},     {"121f", "121"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        accepts(jw_ptx_compiles, "compute", rows[i][0], rows[i][1]);
    for (size_t code = 0; code < DEVICES; code++)
        for (size_t device = 0; device < DEVICES; device++)
            CHECK(jw_ptx_compiles((struct jw_arch){(uint16_t)devices[code], '\0'}, devices[device])
                  == (devices[code] <= devices[device]));
    CHECK(jw_ptx_compiles(target("20"), 121));
    CHECK(jw_ptx_compiles(target("86"), 87));
    CHECK(jw_ptx_compiles(target("87"), 88));
    CHECK(jw_ptx_compiles(target("87"), 89));
}

TEST(higher_targets_and_narrower_suffixes_rank_higher)
{
    static const char *const order[] = {"75",  "80",   "86",   "90",  "90f", "90a",
                                        "100", "100f", "100a", "103", "120", "121f"};

    for (size_t i = 1; i < sizeof order / sizeof *order; i++)
        CHECK(jw_arch_rank(target(order[i - 1])) < jw_arch_rank(target(order[i])));
}

TEST(targets_are_read_and_written)
{
    struct jw_arch t;

    CHECK(jw_arch_parse("sm_90a", &t) && t.sm == 90 && t.suffix == 'a');
    CHECK(jw_arch_parse("compute_120f", &t) && t.sm == 120 && t.suffix == 'f');
    CHECK_TEXT(jw_arch_name("sm_", target("100f")).text, "sm_100f");
    CHECK_TEXT(jw_arch_name("compute_", target("75")).text, "compute_75");
    CHECK(jw_arch_parse("sm_0090$xa_", &t) && t.sm == 90 && !t.suffix);
    static const char *const wrong[] = {"",      "sm_",   "sm_0",   "sm_a", "sm_1000",
                                        "sm_-1", "sm_ 9", "gfx_90", "sm_%", "sm_4294967386"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!jw_arch_parse(wrong[i], &t));
}
