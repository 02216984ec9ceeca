#include "base/limits.h"
#include "check.h"
#include "machine/run.h"

TEST_ARENA(notes_are_capped)
{
    struct jw_texts notes = {0};

    for (unsigned i = 0; i < 200; i++)
        jw_note(&notes, a, "note %u", i);
    CHECK_NUM(notes.n, JW_MAX_NOTES);
    CHECK_TEXT(notes.v[0], "note 0");
    CHECK_HAS(notes.v[notes.n - 1], "more such notes");
}

TEST_ARENA(what_the_system_or_the_driver_refused_ends_a_run_that_has_ended_too_and_a_bug_fails_it)
{
    for (enum jw_code code = JW_E_USAGE; code <= JW_E_BUSY; code++) {
        struct jw_run run = {.a = a, .ended = code % 2, .end = JW_END_NOTHING};
        struct jw_err why = {0};
        bool ends = code == JW_E_IO || code == JW_E_LIMIT || code == JW_E_DRIVER
                    || code == JW_E_INTERRUPTED;

        err = (struct jw_err){0};
        (void)jw_fail(&why, code, "because");
        CHECK(jw_run_end_by(&run, &why, &err) == ends && (run.ended == ends || code % 2));
        CHECK(ends ? run.end == jw_end_of(code) && (code == JW_E_INTERRUPTED) == !run.why
                   : err.code == code);
    }
}
