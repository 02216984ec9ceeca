/* Why verify calls a module found, or not: by its entry before and after, else by how long it took. */
#include "check.h"

#include "cache/memory/progress_json.h"
#include "prime/prime_pass.h"

#include <string.h>

enum { NAME = 0x123 };

struct rig {
    struct jw_run run;
    struct run_ctx here;
    struct jw_probe_report probe;
    struct prime_proof proof;
    struct pass v;
    struct jw_job job;
    struct jw_cache_file before, after;
    size_t of;
    bool failed;
    unsigned load_ms;
    const char *cause;
};

/* One module whose entry was there before, and is there after, as it was. */
static void make(struct rig *r)
{
    *r = (struct rig){ .job = { .name = NAME, .milliseconds = 2000 },
                       .before = { .name = NAME, .size = 1000, .mtime = 5, .indexed = true } };
    r->after = r->before;
    r->probe.state.level = JW_LEVEL_NONE;
    r->here.driver.probe = &r->probe;
    r->proof = (struct prime_proof){ .jobs = &r->job, .n_jobs = 1, .ctx = &r->here };
    r->v = (struct pass){ .run = &r->run,
                          .proof = &r->proof,
                          .of = &r->of,
                          .n_jobs = 1,
                          .failed = &r->failed,
                          .load_ms = &r->load_ms,
                          .causes = &r->cause,
                          .before = { .files = &r->before, .n = 1 },
                          .after = { .files = &r->after, .n = 1 } };
}

static const char *checked(struct rig *r)
{
    struct jw_err err = { 0 };
    uint64_t appeared = 0;

    r->cause = NULL;
    CHECK(pass_check(&r->v, &appeared, &err));
    return r->cause ? r->cause : "found";
}

TEST(by_its_entry)
{
    struct rig r;

    make(&r);
    CHECK_TEXT(checked(&r), "found");
    r.before.indexed = false;
    CHECK_TEXT(checked(&r), "found"); /* nobody wrote it: it was found all the same */
    r.after.mtime++;
    CHECK_HAS(checked(&r), "its index did not name it");
    r.before.indexed = true;
    CHECK_HAS(checked(&r), "the driver wrote it again");
    r.before.damage = "cut off";
    CHECK_HAS(checked(&r), "damaged in the cache");
    make(&r);
    r.after.size++;
    CHECK_HAS(checked(&r), "the driver wrote it again");
    make(&r);
    r.v.before.n = 0;
    CHECK_HAS(checked(&r), "gone from the cache");
    r.v.after.n = 0;
    CHECK_HAS(checked(&r), "not cached");
    r.v.before.n = 1;
    CHECK_HAS(checked(&r), "evicted while others were loaded");
}

/* Without a name, where this build of the driver is not understood, the time alone tells. */
TEST(by_its_time)
{
    static const struct {
        unsigned compiled_ms, load_ms;
        bool found;
    } rows[] = { { 2000, 3, true },      { 2000, 1100, true },   { 2000, 1300, false }, { 2000, 9000, false },
                 { 600, 450, true },     { 600, 600, false },    { 400, 400, true },    { 0, 9000, true },
                 { 90000, 50000, true }, { 90000, 60000, false } };
    struct rig r;

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        make(&r);
        r.job.name = 0;
        r.job.milliseconds = rows[i].compiled_ms;
        r.load_ms = rows[i].load_ms;
        CHECK((strcmp(checked(&r), "found") == 0) == rows[i].found);
        CHECK(rows[i].found || strstr(r.cause, "as slow to load as to compile"));
    }
    /* Not measured yet: what was predicted counts. */
    make(&r);
    r.job = (struct jw_job){ .seconds = 2 };
    r.load_ms = 1300;
    CHECK_HAS(checked(&r), "as slow to load as to compile");
}

/* Where the entry was not touched, the time may still say that nothing is found there. */
TEST(a_slow_load_beside_an_entry_that_is_as_it_was)
{
    struct rig r;

    make(&r);
    r.load_ms = 1900;
    CHECK_HAS(checked(&r), "this environment finds nothing");
}

TEST(what_could_not_be_loaded_is_not_judged)
{
    struct rig r;

    make(&r);
    r.failed = true;
    r.v.before.n = 0;
    r.load_ms = 60000;
    CHECK_TEXT(checked(&r), "found");
}

/* `n` names, all there and no two alike. */
static void distinct(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CHECK(names[i] && names[i][0]);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(names[i], names[k]) != 0);
    }
}

TEST(every_word_is_there_once)
{
    const char *names[JW_ENDS];

    for (unsigned i = 0; i < JW_OUTCOMES; i++)
        names[i] = jw_outcome_names[i];
    distinct(names, JW_OUTCOMES);
    for (unsigned i = 0; i < JW_LEFT_OUT; i++)
        names[i] = jw_left_out_names[i];
    distinct(names, JW_LEFT_OUT);
    for (unsigned i = 0; i < JW_ENDS; i++)
        names[i] = jw_end_names[i];
    distinct(names, JW_ENDS);
    for (unsigned i = 0; i <= JW_PHASE_SEND; i++)
        names[i] = jw_prime_phase_names[i];
    distinct(names, JW_PHASE_SEND + 1);
}

TEST(words_of_several_parts_have_a_hyphen)
{
    CHECK_TEXT(jw_outcome_names[JW_JOB_NO_ROOM], "no-room");
    CHECK_TEXT(jw_end_names[JW_END_CANNOT_WRITE], "cannot-write");
    CHECK_TEXT(jw_prime_phase_names[JW_PHASE_ASK_DRIVER], "ask-driver");
    CHECK_TEXT(jw_left_out_names[JW_OUT_IS_LAZY], "lazy");
}
