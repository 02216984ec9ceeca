/* The list of findings: order, limits, and what happens without memory. */
#include "base/limits.h"
#include "check.h"
#include "doctor/finding.h"

static struct jw_arena arena;

static void add(struct jw_findings *f, const char *id, enum jw_severity severity)
{
    jw_finding_add(f, (struct jw_finding){ .id = id, .severity = severity, .text = id });
}

TEST(the_worst_come_first_and_equals_stay)
{
    static const char *const order[] = { "d", "f", "b", "e", "a", "c" };
    struct jw_findings f = JW_FINDINGS(&arena);

    add(&f, "a", JW_NOTE);
    add(&f, "b", JW_WARNING);
    add(&f, "c", JW_NOTE);
    add(&f, "d", JW_PROBLEM);
    add(&f, "e", JW_WARNING);
    add(&f, "f", JW_PROBLEM);
    jw_findings_sort(&f);
    CHECK_NUM(f.n, JW_COUNT(order));
    for (size_t i = 0; i < f.n; i++)
        CHECK_TEXT(f.v[i].id, order[i]);
}

TEST(asked_by_name_and_by_severity)
{
    struct jw_findings f = JW_FINDINGS(&arena);

    CHECK(jw_finding_of(&f, "b") == NULL);
    add(&f, "a", JW_NOTE);
    add(&f, "b", JW_WARNING);
    CHECK(jw_finding_of(&f, "b") == &f.v[1]);
    CHECK_TEXT(jw_severity_name(JW_NOTE), "note");
    CHECK_TEXT(jw_severity_name(JW_WARNING), "warning");
    CHECK_TEXT(jw_severity_name(JW_PROBLEM), "error");
}

TEST(past_its_ceiling_nothing_is_kept)
{
    struct jw_findings f = JW_FINDINGS(&arena);

    for (size_t i = 0; i < JW_MAX_FINDINGS + 3; i++)
        add(&f, "a", JW_NOTE);
    CHECK_NUM(f.n, JW_MAX_FINDINGS);
}

int main(int argc, char **argv)
{
    int code = RUN(argc, argv, T(the_worst_come_first_and_equals_stay), T(asked_by_name_and_by_severity),
                   T(past_its_ceiling_nothing_is_kept));

    jw_arena_free(&arena);
    return code;
}
