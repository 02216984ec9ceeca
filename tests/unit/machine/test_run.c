#include "base/limits.h"
#include "check.h"
#include "machine/run.h"

TEST_ARENA(notes_are_capped)
{
    struct jw_texts notes = { 0 };

    for (unsigned i = 0; i < 200; i++)
        jw_note(&notes, a, "note %u", i);
    CHECK_NUM(notes.n, JW_MAX_NOTES);
    CHECK_TEXT(notes.v[0], "note 0");
    CHECK_HAS(notes.v[notes.n - 1], "more such notes");
}
