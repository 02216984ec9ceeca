#include "base/limits.h"
#include "check.h"
#include "machine/list.h"

#include <stdint.h>

TEST(grows_and_stops)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    uint32_t *v = NULL;
    size_t n = 0;

    for (uint32_t i = 0; i < 100; i++) {
        uint32_t *slot = jw_list_add(&a, &v, &n, sizeof *v, 100, &err);

        CHECK(slot && *slot == 0);
        if (slot)
            *slot = i;
    }
    CHECK_NUM(n, 100);
    for (uint32_t i = 0; i < n; i++)
        CHECK_NUM(v[i], i);
    CHECK(!jw_list_add(&a, &v, &n, sizeof *v, 100, &err));
    CHECK(err.code == JW_E_LIMIT);
    CHECK_NUM(n, 100);
    jw_arena_free(&a);
}

TEST(notes_are_capped)
{
    struct jw_arena a = { 0 };
    struct jw_notes notes = { 0 };

    for (unsigned i = 0; i < 200; i++)
        jw_note(&notes, &a, "note %u", i);
    CHECK_NUM(notes.n, JW_MAX_NOTES);
    CHECK_TEXT(notes.v[0], "note 0");
    CHECK_HAS(notes.v[notes.n - 1], "more such notes");
    jw_arena_free(&a);
}

TEST(failures_become_notes)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    struct jw_notes notes = { 0 };

    (void)jw_fail(&err, JW_E_IO, "no such thing");
    jw_note_failure(&notes, &a, &err, "/x/y");
    CHECK_NUM(notes.n, 1);
    CHECK_TEXT(notes.v[0], "/x/y: no such thing");
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(grows_and_stops), T(notes_are_capped), T(failures_become_notes));
}
