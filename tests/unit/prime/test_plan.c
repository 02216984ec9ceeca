#include "check.h"
#include "facts/compile_time.h"
#include "prime/plan.h"

#define MB 1000000ULL

static struct jw_arena arena;
static struct jw_job jobs[32];
static struct plan_input in;

/* Modules 1, 2, 3... of so many bytes, 2 times as many, ... */
static void begin(size_t n, uint64_t bytes)
{
    in = (struct plan_input){.a = &arena,
                             .jobs = jobs,
                             .n_jobs = n,
                             .limit = 1000 * MB,
                             .disk = UINT64_MAX,
                             .workers = 2};
    for (size_t i = 0; i < n; i++)
        jobs[i] = (struct jw_job){.ptx_bytes = bytes * (i + 1), .sm = 86, .id = {(uint8_t)(i + 1)}};
}

static struct plan make(void)
{
    struct plan p;

    plan_make(&in, &p);
    return p;
}

TEST(the_longest_begin)
{
    begin(3, MB);
    struct plan p = make();

    CHECK_NUM(p.n_todo, 3);
    CHECK_NUM(jobs[0].id[0], 3);
    CHECK_NUM(jobs[2].id[0], 1);
    double one = jw_compile_seconds(0, 3 * MB, 0), all = one + jobs[1].seconds + jobs[2].seconds;

    CHECK(p.seconds > all / 2 * .99 && p.seconds < all / 2 * 1.01);
    in.workers = 8;
    in.slowness = 3; /* of this machine */
    p = make();
    CHECK(p.workers == 3 && p.seconds > 3 * one * .99 && p.seconds < 3 * one * 1.01);
}

TEST(the_longest_by_seconds_begins_and_may_be_the_end)
{
    struct jw_place place = {.path = "/lib.so"};

    begin(4, MB);
    jobs[1].kernels = 1; /* 2 MB in one kernel take longer than 4 in many */
    jobs[2].kernels = jobs[3].kernels = 1000;
    jobs[1].place = &place;
    struct plan p = make();

    CHECK_NUM(jobs[0].id[0], 2);
    CHECK(p.longest == &place);
    CHECK(p.seconds > jobs[0].seconds * .99 && p.seconds < jobs[0].seconds * 1.01);
    in.workers = 4;
    p = make();
    CHECK(!p.longest); /* each has a worker of its own */
    in.workers = 1;
    p = make();
    CHECK(!p.longest);
}

TEST(what_programs_load_comes_first_and_what_is_warm_last)
{
    begin(4, MB);
    jobs[0].used = true;
    jobs[3].is = JW_MODULE_WARM;
    jobs[2].is = JW_MODULE_BANNED;
    struct plan p = make();

    CHECK_NUM(p.n_todo, 2);
    CHECK_NUM(jobs[0].id[0], 1);
    CHECK_NUM(jobs[1].id[0], 2);
    CHECK_NUM(jobs[2].id[0], 4);
}

TEST(what_does_not_fit_has_no_room)
{
    begin(3, 10 * MB);
    uint64_t need = make().bytes;

    CHECK_NUM(need, 120 * MB + 3 * 3072);
    begin(3, 10 * MB);
    in.limit = need; /* of which an eighth stays free */
    CHECK_NUM(make().n_todo, 2);
    CHECK_HAS(jobs[2].why, "stay free");
    CHECK(jw_job_has_no_room(&jobs[2]));
    begin(3, 10 * MB);
    in.taken = in.limit;
    jobs[1].entry_bytes = 20 * MB; /* counted in `taken`, and replaced */
    CHECK_NUM(make().n_todo, 1);
    begin(1, 10 * MB);
    in.limit = MB;
    CHECK_NUM(make().n_todo, 0);
    CHECK_HAS(jobs[0].why, "may be larger than the whole cache");
    begin(1, 10 * MB);
    in.disk = MB;
    CHECK_NUM(make().n_todo, 0);
    CHECK_HAS(jobs[0].why, "the disk has no room");
}

TEST(a_module_that_was_stopped_takes_longer)
{
    begin(1, MB);
    jobs[0].stopped = 100;
    CHECK(make().seconds > 199);
    CHECK(plan_seconds(5, 0) < 5.1 && plan_seconds(5, 30) > 59);
}
