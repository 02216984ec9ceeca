/* Each rule of the supervisor, without a process or a clock. */
#include "base/compiler.h"
#include "check.h"
#include "driver/worker/supervisor.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define SECOND ((uint64_t)1000000000)

enum { MAX_JOBS = 64 };

static const struct jw_supervisor_now calm = {.ns = 1000};
static const struct jw_device one_gpu = {.memory = 64 * GIB};

/* Jobs in groups of their own making; the rest of the plan is what a test sets. */
struct jobs {
    struct jw_job list[MAX_JOBS];
    size_t n;
};

static void add(struct jobs *j, uint16_t sm, bool used, uint64_t bytes, double seconds)
{
    j->list[j->n++] =
        (struct jw_job){.ptx_bytes = bytes, .sm = sm, .used = used, .seconds = seconds};
}

static struct jobs alike(size_t n)
{
    struct jobs j = {.n = 0};

    while (j.n < n)
        add(&j, 0, true, 1000, 1);
    return j;
}

#define ALIKE(n) ((struct jobs[]){alike(n)})

/* Good until the next one, and as long as its jobs. */
static struct jw_supervisor *start(const struct jobs *j, const struct jw_supervisor_plan *p)
{
    static struct jw_supervisor *last;
    struct jw_supervisor_plan with = *p;

    with.jobs = j->list;
    with.n_run = j->n;
    if (!with.n_devices) {
        with.devices = &one_gpu;
        with.n_devices = 1;
    }
    jw_supervisor_free(last);
    return last = jw_supervisor_new(&with);
}

#define START(jobs, ...) start(jobs, &(struct jw_supervisor_plan){__VA_ARGS__})

static void expect(struct jw_supervisor *sv, size_t slot, enum jw_slot_act act)
{
    CHECK_NUM(jw_slot_ask(sv, slot, &calm).act, act);
}

static void recycles(struct jw_supervisor *sv, size_t slot)
{
    expect(sv, slot, JW_SLOT_RECYCLE);
    jw_slot_worker_ended(sv, slot);
}

static size_t runs(struct jw_supervisor *sv, size_t slot)
{
    struct jw_slot_action a = jw_slot_ask(sv, slot, &calm);

    CHECK_NUM(a.act, JW_SLOT_RUN);
    return a.job;
}

static void started(struct jw_supervisor *sv, size_t slot)
{
    jw_slot_job_started(sv, slot, 60 * GIB, 64 * GIB);
}

/* Runs what comes next in a slot up to where the driver has it. */
static size_t begins(struct jw_supervisor *sv, size_t slot)
{
    size_t job = runs(sv, slot);

    started(sv, slot);
    return job;
}

static bool ends(struct jw_supervisor *sv, size_t slot, enum jw_outcome outcome, int code)
{
    return jw_slot_report(sv, slot, outcome, code, 0);
}

static void done(struct jw_supervisor *sv, size_t slot) { CHECK(ends(sv, slot, JW_JOB_LOADED, 0)); }

TEST(used_ones_come_first_then_the_longest)
{
    struct jobs j = {.n = 0};
    static const size_t want[] = {3, 1, 4, 2, 0};

    add(&j, 0, false, 1000, 1);
    add(&j, 0, true, 1000, 5);
    add(&j, 0, false, 1000, 9);
    add(&j, 0, true, 1000, 6);
    add(&j, 0, true, 1000, 5);
    struct jw_supervisor *sv = START(&j, .n_slots = 1);

    for (size_t i = 0; i < j.n; i++) {
        CHECK_NUM(jw_supervisor_sum(sv).left, j.n - i);
        CHECK_NUM(begins(sv, 0), want[i]);
        done(sv, 0);
    }
    expect(sv, 0, JW_SLOT_QUIT);
    CHECK(jw_supervisor_sum(sv).left == 0 && !jw_supervisor_sum(sv).gave_up);
}

TEST(the_first_worker_of_a_device_starts_alone)
{
    struct jw_supervisor *sv = START(ALIKE(8), .n_slots = 3);

    CHECK_NUM(runs(sv, 0), 0);
    expect(sv, 1, JW_SLOT_WAIT);
    started(sv, 0);
    CHECK_NUM(runs(sv, 1), 1);
    CHECK_NUM(runs(sv, 2), 2);
}

/* 8 GiB, and no more than 7.5 free: (7.5 + .5) / 4 / .5 */
TEST(a_quarter_of_the_free_gpu_memory_bounds_the_workers)
{
    struct jw_supervisor *sv = START(ALIKE(40), .n_slots = 20);

    (void)runs(sv, 0);
    jw_slot_job_started(sv, 0, 7 * GIB + GIB / 2, 8 * GIB);
    for (size_t i = 1; i < 4; i++)
        (void)runs(sv, i);
    jw_slot_job_started(sv, 1, 7 * GIB + GIB / 2 - MIB, 8 * GIB); /* so little is no context */
    expect(sv, 4, JW_SLOT_WAIT);
    /* A context takes 256 MiB only: (7.5 + .25) / 4 / .25 */
    for (size_t i = 1; i < 4; i++)
        jw_slot_job_started(sv, i, 7 * GIB + GIB / 2 - i * 256 * MIB, 8 * GIB);
    for (size_t i = 4; i < 7; i++)
        (void)runs(sv, i);
    expect(sv, 7, JW_SLOT_WAIT);
}

TEST(even_a_full_gpu_has_one_worker)
{
    struct jw_supervisor *sv = START(ALIKE(2), .n_slots = 2);

    (void)runs(sv, 0);
    jw_slot_job_started(sv, 0, 10 * MIB, 8 * GIB);
    expect(sv, 1, JW_SLOT_WAIT);
    done(sv, 0);
    (void)runs(sv, 0);
}

TEST(a_driver_that_says_nothing_of_memory_is_judged_by_the_size_of_the_gpu)
{
    const struct jw_device small = {.memory = 4 * GIB}, unknown = {0};
    struct jobs j = alike(9);

    for (int k = 0; k < 2; k++) {
        struct jw_supervisor *sv =
            start(&j, &(struct jw_supervisor_plan){
                          .n_slots = 5, .devices = k ? &unknown : &small, .n_devices = 1});

        (void)runs(sv, 0);
        jw_slot_job_started(sv, 0, 0, 0);
        (void)runs(sv, 1);
        CHECK_NUM(jw_slot_ask(sv, 2, &calm).act, k ? JW_SLOT_RUN : JW_SLOT_WAIT);
    }
}

TEST(an_exclusive_device_has_one_worker)
{
    const struct jw_device gpu = {.compute_mode = JW_COMPUTE_EXCLUSIVE, .memory = 64 * GIB};
    struct jobs j = alike(4);
    struct jw_supervisor *sv =
        start(&j, &(struct jw_supervisor_plan){.n_slots = 2, .devices = &gpu, .n_devices = 1});

    (void)begins(sv, 0);
    expect(sv, 1, JW_SLOT_WAIT);
    done(sv, 0);
    (void)begins(sv, 0);
    CHECK(ends(sv, 0, JW_JOB_FAILED, 999));
    expect(sv, 0, JW_SLOT_RECYCLE);
    expect(sv, 1, JW_SLOT_WAIT); /* it is still there */
    jw_slot_worker_ended(sv, 0);
    (void)begins(sv, 1);
    expect(sv, 0, JW_SLOT_WAIT);
}

TEST(running_jobs_stay_within_the_memory)
{
    struct jobs j = {.n = 0};

    for (int i = 0; i < 3; i++)
        add(&j, 0, true, 20 * MIB, 20); /* 300 + 800 MiB */
    add(&j, 0, true, 5 * MIB, 5);       /* 500 MiB */
    CHECK_NUM(jw_job_memory(20 * MIB), 1100 * MIB);
    struct jw_supervisor *sv = START(&j, .n_slots = 4, .memory = 2800 * MIB);

    CHECK_NUM(begins(sv, 0), 0);
    CHECK_NUM(begins(sv, 1), 1);
    CHECK_NUM(begins(sv, 2), 3); /* the third does not fit, the small one does */
    expect(sv, 3, JW_SLOT_WAIT);
    done(sv, 2);
    expect(sv, 2, JW_SLOT_WAIT);
    done(sv, 0);
    CHECK_NUM(begins(sv, 0), 2);
}

TEST(a_job_larger_than_all_memory_runs_alone)
{
    struct jobs j = {.n = 0};

    add(&j, 0, true, 100 * MIB, 100);
    add(&j, 0, true, 1000, 1);
    struct jw_supervisor *sv = START(&j, .n_slots = 2, .memory = GIB);

    CHECK_NUM(begins(sv, 0), 0);
    expect(sv, 1, JW_SLOT_WAIT);
    done(sv, 0);
    CHECK_NUM(begins(sv, 1), 1);
}

TEST(under_pressure_only_what_keeps_it_going_begins)
{
    const struct jw_supervisor_now pressed = {.ns = 1000, .pressed = true};
    struct jw_supervisor *sv = START(ALIKE(3), .n_slots = 2);

    CHECK_NUM(jw_slot_ask(sv, 0, &pressed).act, JW_SLOT_RUN);
    started(sv, 0);
    CHECK_NUM(jw_slot_ask(sv, 1, &pressed).act, JW_SLOT_WAIT);
    (void)begins(sv, 1);
    done(sv, 0);
    CHECK_NUM(jw_slot_ask(sv, 0, &pressed).act, JW_SLOT_WAIT);
    done(sv, 1);
    CHECK_NUM(jw_slot_ask(sv, 0, &pressed).act, JW_SLOT_RUN);
}

TEST(idle_slots_move_to_where_most_is_left)
{
    const struct jw_device gpus[] = {{.sm = 7, .memory = 64 * GIB}, {.sm = 3, .memory = 64 * GIB}};
    struct jobs j = {.n = 0};

    add(&j, 7, true, 1000, 2);
    for (int i = 0; i < 6; i++)
        add(&j, 3, true, 1000, 10);
    struct jw_supervisor *sv = START(&j, .n_slots = 3, .devices = gpus, .n_devices = 2);
    struct jw_slot_action a = jw_slot_ask(sv, 0, &calm);

    CHECK(a.act == JW_SLOT_RUN && a.device == 1 && a.job == 1);
    a = jw_slot_ask(sv, 1, &calm); /* the other one's first worker is about to start */
    CHECK(a.act == JW_SLOT_RUN && a.device == 0 && a.job == 0);
    started(sv, 0);
    started(sv, 1);
    a = jw_slot_ask(sv, 2, &calm);
    CHECK(a.act == JW_SLOT_RUN && a.device == 1);
    done(sv, 1);
    recycles(sv, 1);
    a = jw_slot_ask(sv, 1, &calm);
    CHECK(a.act == JW_SLOT_RUN && a.device == 1);
}

TEST(devices_of_one_group_share_its_jobs)
{
    const struct jw_device gpus[] = {{.memory = 64 * GIB}, {.memory = 64 * GIB}};
    struct jw_supervisor *sv = START(ALIKE(4), .n_slots = 4, .devices = gpus, .n_devices = 2);

    for (size_t i = 0; i < 4; i++) {
        struct jw_slot_action a = jw_slot_ask(sv, i, &calm);

        CHECK(a.act == JW_SLOT_RUN && a.device == i % 2 && a.job == i);
        started(sv, i);
    }
}

TEST(a_used_job_on_another_device_moves_a_worker)
{
    const struct jw_device gpus[] = {{.sm = 0, .memory = 64 * GIB}, {.sm = 1, .memory = 64 * GIB}};
    struct jobs j = {.n = 0};

    add(&j, 0, true, 1000, 1);
    add(&j, 0, false, 1000, 9);
    add(&j, 1, true, 1000, 1);
    struct jw_supervisor *sv = START(&j, .n_slots = 1, .devices = gpus, .n_devices = 2);

    CHECK_NUM(begins(sv, 0), 0);
    done(sv, 0);
    recycles(sv, 0);
    CHECK_NUM(begins(sv, 0), 2);
    done(sv, 0);
    recycles(sv, 0);
    CHECK_NUM(begins(sv, 0), 1);
}

TEST(a_job_without_a_device_is_left)
{
    struct jobs j = alike(1);

    add(&j, 9, true, 1000, 1);
    struct jw_supervisor *sv = START(&j, .n_slots = 1);

    CHECK_NUM(begins(sv, 0), 0);
    done(sv, 0);
    expect(sv, 0, JW_SLOT_QUIT);
    CHECK(jw_supervisor_sum(sv).left == 1 && !jw_supervisor_sum(sv).gave_up);

    struct jw_supervisor_plan none = {.jobs = j.list, .n_run = j.n, .n_slots = 1};

    sv = jw_supervisor_new(&none);
    expect(sv, 0, JW_SLOT_QUIT);
    jw_supervisor_free(sv);
}

TEST(who_runs_out_of_gpu_memory_gets_one_more_chance_alone)
{
    struct jw_supervisor *sv = START(ALIKE(4), .n_slots = 3);

    for (size_t i = 0; i < 3; i++)
        CHECK_NUM(begins(sv, i), i);
    CHECK(!ends(sv, 1, JW_JOB_FAILED, 2));
    recycles(sv, 1);             /* such an error may stick */
    expect(sv, 1, JW_SLOT_WAIT); /* and from now on there are two workers at most */
    done(sv, 0);
    CHECK_NUM(begins(sv, 0), 3); /* the others first */
    done(sv, 2);
    recycles(sv, 2);
    expect(sv, 2, JW_SLOT_WAIT); /* there is a worker yet */
    done(sv, 0);
    expect(sv, 0, JW_SLOT_RECYCLE);
    expect(sv, 1, JW_SLOT_WAIT);
    jw_slot_worker_ended(sv, 0);
    CHECK_NUM(begins(sv, 1), 1);
    expect(sv, 0, JW_SLOT_QUIT);
    CHECK(ends(sv, 1, JW_JOB_FAILED, 2));
    expect(sv, 1, JW_SLOT_QUIT);
    CHECK_NUM(jw_supervisor_sum(sv).left, 0);
}

TEST(who_is_killed_by_others_gets_one_more_chance_alone)
{
    struct jw_supervisor *sv = START(ALIKE(2), .n_slots = 2);

    for (size_t i = 0; i < 2; i++)
        CHECK_NUM(begins(sv, i), i);
    CHECK(!ends(sv, 1, JW_JOB_KILLED, 0));
    expect(sv, 1, JW_SLOT_WAIT); /* the machine may be short of memory: not beside another */
    done(sv, 0);
    recycles(sv, 0); /* what it holds is wanted back first */
    CHECK_NUM(begins(sv, 1), 1);
    CHECK(ends(sv, 1, JW_JOB_KILLED, 0));
    CHECK(jw_supervisor_sum(sv).left == 0 && !jw_supervisor_sum(sv).gave_up);
}

TEST(who_is_killed_over_a_module_costs_that_module_only)
{
    struct jw_supervisor *sv = START(ALIKE(3), .n_slots = 1);

    for (size_t i = 0; i < 3; i++) {
        CHECK_NUM(begins(sv, 0), i);
        CHECK(!ends(sv, 0, JW_JOB_CRASHED, 0)); /* that may be an accident */
        CHECK_NUM(begins(sv, 0), i);
        CHECK(ends(sv, 0, JW_JOB_CRASHED, 0));
    }
    expect(sv, 0, JW_SLOT_QUIT);
    CHECK(jw_supervisor_sum(sv).left == 0 && !jw_supervisor_sum(sv).gave_up);
}

TEST(a_crash_that_does_not_come_again_costs_nothing)
{
    struct jw_supervisor *sv = START(ALIKE(2), .n_slots = 2);

    for (size_t i = 0; i < 2; i++)
        CHECK_NUM(begins(sv, i), i);
    CHECK(!ends(sv, 0, JW_JOB_CRASHED, 0));
    CHECK_NUM(begins(sv, 0), 0); /* at once, and beside others */
    done(sv, 0);
    done(sv, 1);
    CHECK_NUM(jw_supervisor_sum(sv).left, 0);
}

TEST(after_three_deaths_before_a_module_it_gives_up)
{
    struct jw_supervisor *sv = START(ALIKE(5), .n_slots = 2);

    for (int i = 0; i < 3; i++) {
        CHECK_NUM(runs(sv, 0), 0); /* it goes back to its place */
        expect(sv, 1, JW_SLOT_WAIT);
        CHECK(!ends(sv, 0, JW_JOB_UNSTARTED, 0));
    }
    expect(sv, 0, JW_SLOT_QUIT);
    expect(sv, 1, JW_SLOT_QUIT);
    CHECK(jw_supervisor_sum(sv).gave_up && jw_supervisor_sum(sv).left == 5);
}

TEST(a_job_done_in_between_makes_deaths_forgotten)
{
    struct jw_supervisor *sv = START(ALIKE(5), .n_slots = 1);

    for (size_t i = 0; i < 5; i++) {
        for (int k = 0; k < 2; k++) {
            (void)runs(sv, 0);
            CHECK(!ends(sv, 0, JW_JOB_UNSTARTED, 0));
        }
        CHECK_NUM(begins(sv, 0), i);
        CHECK(ends(sv, 0, JW_JOB_TIMEOUT, 0));
    }
    CHECK(jw_supervisor_sum(sv).left == 0 && !jw_supervisor_sum(sv).gave_up);
}

TEST(where_one_works_deaths_of_others_only_make_it_careful)
{
    struct jw_supervisor *sv = START(ALIKE(9), .n_slots = 4);

    (void)begins(sv, 0);
    for (size_t i = 1; i < 4; i++)
        (void)runs(sv, i);
    CHECK(!ends(sv, 1, JW_JOB_UNSTARTED, 0));
    expect(sv, 1, JW_SLOT_WAIT); /* others are being started: one at a time now */
    CHECK(!ends(sv, 2, JW_JOB_UNSTARTED, 0));
    CHECK(!ends(sv, 3, JW_JOB_UNSTARTED, 0));
    expect(sv, 3, JW_SLOT_WAIT); /* no more before a job is done */
    done(sv, 0);
    (void)runs(sv, 0);
    (void)runs(sv, 3);
    CHECK(!jw_supervisor_sum(sv).gave_up);
}

TEST(a_device_that_is_lost_leaves_its_jobs_to_the_other)
{
    const struct jw_device gpus[] = {{.memory = 64 * GIB}, {.memory = 64 * GIB}};
    struct jw_supervisor *sv = START(ALIKE(4), .n_slots = 2, .devices = gpus, .n_devices = 2);

    (void)begins(sv, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_NUM(jw_slot_ask(sv, 1, &calm).device, 1);
        CHECK(!ends(sv, 1, JW_JOB_UNSTARTED, 0));
    }
    for (size_t i = 0; i < 4; i++) {
        struct jw_slot_action a =
            i ? jw_slot_ask(sv, 1, &calm) : (struct jw_slot_action){JW_SLOT_RUN, 0, 0};

        CHECK(a.act == JW_SLOT_RUN && a.device == 0);
        started(sv, i != 0);
        done(sv, i != 0);
    }
    expect(sv, 1, JW_SLOT_QUIT);
    CHECK(!jw_supervisor_sum(sv).gave_up && jw_supervisor_sum(sv).left == 0);
}

TEST(a_sticky_error_costs_the_worker)
{
    static const struct {
        int code;
        bool sticky;
    } all[] = {{218, false}, {699, false}, {700, true}, {719, true}, {720, false}, {999, true}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct jobs j = alike(2);
        struct jw_supervisor *sv = START(&j, .n_slots = 1);

        (void)begins(sv, 0);
        CHECK(ends(sv, 0, JW_JOB_FAILED, all[i].code));
        expect(sv, 0, all[i].sticky ? JW_SLOT_RECYCLE : JW_SLOT_RUN);
    }
}

TEST(a_worn_worker_is_replaced)
{
    struct jw_supervisor *sv = START(ALIKE(9), .n_slots = 1);

    (void)runs(sv, 0);
    jw_slot_worker_started(sv, 0, 100 * MIB);
    started(sv, 0);
    CHECK(jw_slot_report(sv, 0, JW_JOB_LOADED, 0, 2 * GIB + 100 * MIB));
    (void)begins(sv, 0);
    CHECK(jw_slot_report(sv, 0, JW_JOB_LOADED, 0, 2 * GIB + 101 * MIB));
    expect(sv, 0, JW_SLOT_RECYCLE);
}

TEST(nothing_begins_after_the_deadline_or_a_stop)
{
    const struct jw_supervisor_now early = {.ns = SECOND}, late = {.ns = 5 * SECOND},
                                   stop = {.stop = true};
    struct jw_supervisor *sv = START(ALIKE(3), .n_slots = 2, .deadline_ns = 5 * SECOND);

    CHECK_NUM(jw_slot_ask(sv, 0, &early).act, JW_SLOT_RUN);
    started(sv, 0);
    CHECK_NUM(jw_slot_ask(sv, 1, &stop).act, JW_SLOT_QUIT);
    CHECK_NUM(jw_slot_ask(sv, 1, &late).act, JW_SLOT_QUIT);
    CHECK(ends(sv, 0, JW_JOB_TODO, 0));
    CHECK_NUM(jw_slot_ask(sv, 0, &late).act, JW_SLOT_QUIT);
    CHECK(jw_supervisor_sum(sv).left == 2 && !jw_supervisor_sum(sv).gave_up);
}

/* What a slot begins when so many seconds of a time limit have passed; MAX_JOBS: it is done. */
static size_t begins_at(struct jw_supervisor *sv, size_t slot, double passed)
{
    const struct jw_supervisor_now now = {.ns = (uint64_t)(passed * 1e9) + 1};
    struct jw_slot_action a = jw_slot_ask(sv, slot, &now);

    if (a.act == JW_SLOT_RUN)
        started(sv, slot);
    else
        CHECK_NUM(a.act, JW_SLOT_QUIT);
    return a.act == JW_SLOT_RUN ? a.job : MAX_JOBS;
}

TEST(a_box_begins_the_shortest_first_until_it_is_over)
{
    static const double seconds[] = {6, 0.2, 3, 1, 2};
    struct jobs j = {.n = 0};

    for (size_t i = 0; i < 5; i++)
        add(&j, 0, true, 1000, seconds[i]);
    struct jw_supervisor *sv = START(&j, .n_slots = 1, .deadline_ns = 5 * SECOND);

    CHECK_NUM(begins_at(sv, 0, 0), 1);
    done(sv, 0);
    CHECK_NUM(begins_at(sv, 0, 0.2), 3);
    done(sv, 0);
    CHECK_NUM(begins_at(sv, 0, 1.2), 4);
    done(sv, 0);
    CHECK_NUM(begins_at(sv, 0, 3.2), 2); /* 3 s in 1.8 s: a prediction may be wrong */
    done(sv, 0);
    CHECK_NUM(begins_at(sv, 0, 5), MAX_JOBS);
    CHECK(jw_supervisor_sum(sv).left == 1 && !jw_supervisor_sum(sv).gave_up);
}

TEST(a_box_too_short_for_used_modules_is_filled_with_others)
{
    struct jobs j = {.n = 0};

    add(&j, 0, true, 1000, 9);
    add(&j, 0, false, 1000, 1);
    j.list[0].stopped = 4.5;
    struct jw_supervisor *sv = START(&j, .n_slots = 1, .deadline_ns = 5 * SECOND);

    CHECK_NUM(begins_at(sv, 0, 0), 1);
    done(sv, 0);
    CHECK_NUM(begins_at(sv, 0, 1), MAX_JOBS);
}

/* Whatever happens in whatever order: every job ends once, and nobody waits for ever. */
static void play(uint32_t seed)
{
    const struct jw_device gpus[] = {{.sm = 0, .memory = 8 * GIB},
                                     {.sm = 0, .compute_mode = JW_COMPUTE_EXCLUSIVE},
                                     {.sm = 1, .memory = 2 * GIB}};
    struct jobs j = {.n = 0};
    struct jw_slot_action at[8];
    unsigned ended[MAX_JOBS] = {0}, quits = 0;

    for (size_t i = 0; i < 8; i++)
        at[i] = (struct jw_slot_action){.act = JW_SLOT_WAIT};
    for (unsigned i = 0; i < 60; i++)
        add(&j, i % 3 == 0, i % 2, (i * 37 % 50) * MIB, i * 37 % 50);
    struct jw_supervisor *sv =
        START(&j, .n_slots = 8, .devices = gpus, .n_devices = 3, .memory = 4 * GIB);

    for (unsigned step = 0; quits < 8 && step < 100000; step++) {
        unsigned slot = (seed = seed * 1664525 + 1013904223) >> 29, dice = seed >> 20 & 15;
        struct jw_slot_action *a = &at[slot];
        enum jw_outcome outcome = dice < 2    ? JW_JOB_CRASHED
                                  : dice == 2 ? JW_JOB_FAILED
                                              : JW_JOB_LOADED;

        if (a->act == JW_SLOT_QUIT)
            continue;
        if (a->act == JW_SLOT_RUN) {
            jw_slot_job_started(sv, slot, GIB, 2 * GIB);
            ended[a->job] += ends(sv, slot, outcome, dice == 2 ? 2 : 0);
        } else if (a->act == JW_SLOT_RECYCLE)
            jw_slot_worker_ended(sv, slot);
        *a = jw_slot_ask(sv, slot, &calm);
        quits += a->act == JW_SLOT_QUIT;
    }
    for (size_t i = 0; i < j.n; i++)
        CHECK_NUM(ended[i], 1);
    CHECK(jw_supervisor_sum(sv).left == 0 && quits == 8);
}

/* Jobs are warm, and in their order: nothing that was predicted counts. */
TEST(as_listed_they_begin_in_their_order)
{
    static const size_t run[] = {3, 0, 2};
    struct jobs j = {.n = 0};

    for (unsigned i = 0; i < 4; i++)
        add(&j, 0, i % 2, 1000, 100 * i);
    struct jw_supervisor_plan p = {.jobs = j.list,
                                   .run = run,
                                   .n_run = JW_COUNT(run),
                                   .devices = &one_gpu,
                                   .n_devices = 1,
                                   .n_slots = 1,
                                   .as_listed = true,
                                   .deadline_ns = SECOND};
    struct jw_supervisor *sv = jw_supervisor_new(&p);
    static const size_t want[] = {0, 2, 3}; /* their indexes, whatever the list's order */

    for (size_t i = 0; i < JW_COUNT(run); i++) {
        CHECK_NUM(begins(sv, 0), want[i]);
        done(sv, 0);
    }
    expect(sv, 0, JW_SLOT_QUIT);
    jw_supervisor_free(sv);
}

TEST(any_device_compiles_for_absent_architectures)
{
    const struct jw_device gpu = {.sm = 86};
    struct jobs j = {.n = 0};

    add(&j, 90, true, 1000, 1);
    add(&j, 120, true, 1000, 1);
    struct jw_supervisor *sv =
        start(&j, &(struct jw_supervisor_plan){
                      .n_slots = 1, .devices = &gpu, .n_devices = 1, .absent_gpus = true});

    for (size_t i = 0; i < 2; i++) {
        CHECK_NUM(begins(sv, 0), i);
        done(sv, 0);
    }
    expect(sv, 0, JW_SLOT_QUIT);
}

TEST(ten_times_the_prediction_is_a_hang_and_half_an_hour_is_none)
{
    CHECK_NUM(jw_job_timeout_ms(0), 30 * 60 * 1000);
    CHECK_NUM(jw_job_timeout_ms(180), 30 * 60 * 1000);
    CHECK_NUM(jw_job_timeout_ms(400), 4000 * 1000);
    CHECK_NUM(jw_job_timeout_ms(1e12), UINT32_MAX);
}

TEST(every_job_ends_once_whatever_happens)
{
    for (uint32_t seed = 1; seed <= 300; seed++)
        play(seed);
}
