#include "check.h"
#include "prime/look.h"

static struct jw_job jobs[4];
static struct jw_place place = {.path = "lib.so"};
static struct jw_look look;

static void begin(size_t n, enum jw_standing is)
{
    look = (struct jw_look){
        .jobs = jobs, .n_jobs = n, .looked = true, .scope.level = JW_LEVEL_PLACEABLE};
    for (size_t i = 0; i < n; i++)
        jobs[i] = (struct jw_job){.is = is, .place = &place};
}

static const char *is(void) { return jw_answer_names[jw_look_answer(&look).is]; }

TEST(warm_is_all_of_them)
{
    begin(3, JW_MODULE_WARM);
    jobs[1].ended = JW_JOB_LOADED;
    CHECK_TEXT(is(), "warm");
    CHECK(!jw_look_answer(&look).first);
    look.proof =
        (struct jw_proof){.done = true, .misses = 1}; /* a fresh process compiled all the same */
    CHECK_TEXT(is(), "incomplete");
    begin(0, JW_MODULE_WARM);
}

TEST(what_loads_on_demand_is_no_answer_to_who_asked_about_it)
{
    begin(0, JW_MODULE_WARM);
    look.files.out[JW_OUT_IS_SKIPPED].n = 1;
    CHECK_TEXT(is(), "incomplete");
    look.files.out[JW_OUT_IS_NATIVE].n = 1;
    CHECK_TEXT(is(), "warm");
    look.files.out[JW_OUT_IS_NATIVE].n = 0;
    look.met.searched = true; /* nobody named it */
    CHECK_TEXT(is(), "nothing");
}

TEST(one_that_is_not_makes_it_cold)
{
    static const struct jw_job cold[] = {
        {.ended = JW_JOB_TODO},
        {.ended = JW_JOB_CHANGED},
        {.is = JW_MODULE_UNSTORED, .ended = JW_JOB_LOADED},
        {.is = JW_MODULE_NO_ROOM},
        {.ended = JW_JOB_FAILED}, /* for want of memory */
        {.ended = JW_JOB_KILLED},
        {.is = JW_MODULE_BANNED, .ended = JW_JOB_FAILED, .banned = true},
        {.ended = JW_JOB_FAILED, .banned = true},
        {.ended = JW_JOB_TIMEOUT, .banned = true},
        {.ended = JW_JOB_CRASHED, .banned = true}};

    for (size_t i = 0; i < JW_COUNT(cold); i++) {
        begin(3, JW_MODULE_WARM);
        jobs[2] = cold[i];
        jobs[2].place = &place;
        CHECK_TEXT(is(), "cold");
        CHECK_NUM(jw_look_answer(&look).warm, 2);
        CHECK_TEXT(jw_look_answer(&look).first, "lib.so");
        CHECK_NUM(jw_look_answer(&look).refused, i >= 6);
        CHECK_NUM(jw_look_facts(&look).found.crashed, i >= 8);
        CHECK(jw_look_facts(&look).found.unstored == (i >= 1 && i < 6));
    }
}

/* Code that was not read, or needs no compiling, is some. */
TEST(no_code_in_what_was_named_is_no_warmth)
{
    begin(0, JW_MODULE_WARM);
    look.without_code = (struct jw_texts){(const char *[]){"/opt/empty", "/opt/bare"}, 2};
    CHECK_TEXT(is(), "incomplete");
    CHECK_NUM(jw_look_answer(&look).empty, 2);
    CHECK_TEXT(jw_look_answer(&look).first, "/opt/empty");
    look.files.out[JW_OUT_IS_NATIVE].n = 1;
    CHECK_TEXT(is(), "warm");
}

/* Of two GPUs one may run none of it, or as it is: nothing is said of that one's entries. */
TEST(it_is_about_architectures_that_modules_are_for)
{
    begin(2, JW_MODULE_WARM);
    look.scope.sms.n = 2;
    look.scope.sms.v[0] = 61;
    look.scope.sms.v[1] = jobs[0].sm = jobs[1].sm = 86;
    CHECK_TEXT(is(), "warm");
    CHECK_NUM(jw_look_answer(&look).sms.n, 1);
    jobs[0].sm = 61; /* warm there, and cold on the other */
    jobs[1].is = JW_MODULE_COLD;
    CHECK_TEXT(is(), "cold");
    CHECK(jw_look_answer(&look).sms.n == 1 && jw_look_answer(&look).sms.v[0] == 86);
    jobs[0].is = JW_MODULE_COLD;
    CHECK_NUM(jw_look_answer(&look).sms.n, 2);
    look.n_jobs = 0;
    CHECK_TEXT(is(), "nothing");
    CHECK_NUM(jw_look_answer(&look).sms.n, 2); /* neither has anything to compile */
}

TEST(what_could_not_be_looked_at_makes_it_incomplete)
{
    begin(2, JW_MODULE_WARM);
    look.unread = &(struct jw_unread){.path = "a.so", .why = "a.so: permission denied"};
    look.n_unread = 1;
    CHECK_TEXT(is(), "incomplete");
    CHECK_TEXT(jw_look_answer(&look).first, "a.so");
    jobs[0].is = JW_MODULE_COLD; /* what is cold is worse */
    CHECK_TEXT(is(), "cold");
    begin(2, JW_MODULE_WARM);
    look.sourceless = 1;
    CHECK_TEXT(is(), "incomplete");
}

/* What the driver is too old for is no unread file; where nothing runs, nothing to compile is no
 * good news. */
TEST(what_does_not_run_here_is_no_warm_answer)
{
    begin(2, JW_MODULE_WARM);
    look.files.out[JW_OUT_IS_NOTHING].n = 3; /* variants for other GPUs */
    look.files.out[JW_OUT_IS_NOTHING].first = "b.so";
    CHECK_TEXT(is(), "warm");
    look.files.dead.n = 1;
    look.files.dead.first = "named.so";
    CHECK_TEXT(is(), "incomplete");
    CHECK(jw_look_answer(&look).blocked == 1
          && strcmp(jw_look_answer(&look).first, "named.so") == 0);
    look.n_jobs = look.files.dead.n = 0;
    CHECK_TEXT(is(), "incomplete");
    CHECK(jw_look_answer(&look).blocked == 3 && !jw_look_answer(&look).needs
          && strcmp(jw_look_answer(&look).first, "b.so") == 0);
    look.files.out[JW_OUT_IS_NATIVE].n = 1;
    CHECK_TEXT(is(), "warm");
    look.files.out[JW_OUT_IS_BLOCKED].n = 2;
    look.files.out[JW_OUT_IS_BLOCKED].first = "a.so";
    look.files.needs = 580;
    CHECK_TEXT(is(), "incomplete");
    CHECK_NUM(jw_look_answer(&look).blocked, 2);
    CHECK_NUM(jw_look_answer(&look).needs, 580);
    CHECK_TEXT(jw_look_answer(&look).first, "a.so");
}

/* One count of the room, for prime, --check and doctor alike: what the cache holds, and what would
 * be added. */
TEST(room_is_for_what_is_cold)
{
    begin(3, JW_MODULE_WARM);
    look.scope.used = 5000;
    look.scope.limit = 8000; /* an eighth stays free where something would be added */
    jobs[0].ptx_bytes = 900;
    jobs[1] = (struct jw_job){.ptx_bytes = 100, .place = &place};
    jobs[2] = (struct jw_job){.is = JW_MODULE_NO_ROOM, .entry_bytes = 20, .place = &place};
    CHECK_TEXT(is(), "cold");
    CHECK_NUM(jw_look_facts(&look).found.cold_bytes, 3292);
    CHECK_NUM(jw_look_facts(&look).found.needed, 9272);
    jobs[0].is = JW_MODULE_UNSTORED; /* another one evicted it */
    CHECK_TEXT(is(), "cold");
    CHECK_NUM(jw_look_facts(&look).found.needed, 14144);
}

/* Below level 2 nobody knows which entry a module has: neither cold nor warm, until the driver was
 * asked. */
TEST(names_that_cannot_be_predicted)
{
    begin(2, JW_MODULE_COLD);
    look.scope.level = JW_LEVEL_READABLE;
    CHECK_TEXT(is(), "incomplete");
    CHECK(jw_look_answer(&look).unknown == 2);
    jobs[0].is = jobs[1].is = JW_MODULE_WARM;
    CHECK_TEXT(
        is(), "incomplete"); /* the driver had them; whether it keeps them, a fresh process shows */
    look.proof = (struct jw_proof){.done = true, .compiled = JW_WITNESS_NOTHING};
    CHECK_TEXT(is(), "warm");
    jobs[1] = (struct jw_job){.ended = JW_JOB_FAILED, .place = &place};
    CHECK_TEXT(is(), "cold");
}
