/* The learned rate, and the time that is left, against runs of known cost. */
#include "base/sort.h"
#include "check.h"
#include "prime/rate.h"

enum { JOBS = 1000, MAX_WORKERS = 16 };

static bool near(double got, double want, double share)
{
    return got >= want * (1 - share) && got <= want * (1 + share);
}

TEST(before_anything_is_seen_there_is_a_guess)
{
    struct jw_rate r = { 0 };

    CHECK(near(jw_rate_seconds(&r, 0), 0.03, 0.001));
    CHECK(near(jw_rate_seconds(&r, 11000000), 10.03, 0.001));
}

TEST(one_module_changes_all_predictions)
{
    struct jw_rate r = { 0 };

    jw_rate_learn(&r, 1100000, 4);
    CHECK_NUM(r.seen, 1);
    CHECK(near(jw_rate_seconds(&r, 1100000), 4, 0.1));
    CHECK(near(jw_rate_seconds(&r, 11000000), 40, 0.15));
}

TEST(an_exact_line_is_found)
{
    struct jw_rate r = { 0 };

    for (uint64_t bytes = 1000; bytes < 4000000; bytes += 50000)
        jw_rate_learn(&r, bytes, 0.4 + (double)bytes / 3e6);
    CHECK(near(jw_rate_seconds(&r, 0), 0.4, 0.03));
    CHECK(near(jw_rate_seconds(&r, 30000000), 10.4, 0.03));
}

TEST(no_prediction_is_negative)
{
    struct jw_rate r = { 0 };

    /* Large ones that were quick pull the line down to the right; and the other way round. */
    jw_rate_learn(&r, 1000, 5);
    jw_rate_learn(&r, 50000000, 0.1);
    CHECK(jw_rate_seconds(&r, 0) >= 0 && jw_rate_seconds(&r, (uint64_t)1 << 40) >= 0);
    r = (struct jw_rate){ 0 };
    jw_rate_learn(&r, 2000000, 0.1);
    jw_rate_learn(&r, 4000000, 40);
    CHECK(jw_rate_seconds(&r, 0) >= 0 && jw_rate_seconds(&r, 1000) >= 0);
    jw_rate_learn(&r, 1000, -1);
    CHECK_NUM(r.seen, 2);
}

TEST(a_busy_machine_takes_longer)
{
    struct jw_rate_load l = { 0 };

    CHECK(near(jw_rate_load_factor(&l), 1, 0.001));
    for (int i = 0; i < 20; i++) /* two seconds of a machine with ten programs for each processor */
        jw_rate_load_add(&l, 0.1, 0.01);
    CHECK(jw_rate_load_factor(&l) > 3);
    for (int i = 0; i < 1000; i++)
        jw_rate_load_add(&l, 0.1, 0.01);
    CHECK(near(jw_rate_load_factor(&l), 10, 0.2));
    for (int i = 0; i < 1200; i++) /* and two minutes of an idle one */
        jw_rate_load_add(&l, 0.1, 0.1);
    CHECK(near(jw_rate_load_factor(&l), 1, 0.1));
}

TEST(a_process_that_waits_for_something_else_is_not_slowed_by_load)
{
    struct jw_rate_load l = { 0 };

    for (int i = 0; i < 100; i++)
        jw_rate_load_add(&l, 0.1, 0.001);
    CHECK(near(jw_rate_load_factor(&l), 1, 0.001));
}

TEST(what_is_left_is_bounded_by_work_and_by_the_longest)
{
    const struct jw_rate_running two[] = { { 10, 4 }, { 3, 1 } }, late = { 2, 8 };

    CHECK(near(jw_rate_eta(&(struct jw_rate_left){ 100, 5, NULL, 0, 4 }), 25, 0.001));
    CHECK(near(jw_rate_eta(&(struct jw_rate_left){ 100, 60, NULL, 0, 4 }), 60, 0.001));
    CHECK(near(jw_rate_eta(&(struct jw_rate_left){ 0, 0, two, 2, 2 }), 6, 0.001));
    CHECK(near(jw_rate_eta(&(struct jw_rate_left){ 9, 9, two, 2, 2 }), 11, 0.001));
    CHECK(near(jw_rate_eta(&(struct jw_rate_left){ 9, 9, two, 2, 3 }), 9, 0.001));
    CHECK(jw_rate_eta(&(struct jw_rate_left){ 0, 0, &late, 1, 1 }) == 0);
    CHECK(near(jw_rate_eta(&(struct jw_rate_left){ 9, 9, &late, 1, 1 }), 9, 0.001));
    CHECK(jw_rate_eta(&(struct jw_rate_left){ 0, 0, NULL, 0, 0 }) == 0);
}

/* ---- a run of a thousand modules, 16 times as large as small, longest first ---- */

struct run {
    uint64_t bytes[JOBS];
    double cost[JOBS], end[MAX_WORKERS]; /* of what a worker does now */
    size_t at[MAX_WORKERS];              /* the module; JOBS: none */
    size_t next;
    unsigned workers;
    double now, work_done, work;
    struct jw_rate rate;
};

static double dice(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return (double)(*seed >> 8) / (1 << 24);
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? 1 : x > y ? -1 : 0;
}

static void prepare(struct run *r, unsigned workers, double a, double b, uint32_t seed)
{
    *r = (struct run){ .workers = workers };
    for (size_t i = 0; i < JOBS; i++) {
        double skew = dice(&seed);

        r->bytes[i] = (uint64_t)(100000 * (1 + 15 * skew * skew * skew));
    }
    jw_sort(r->bytes, JOBS, sizeof r->bytes[0], by_size);
    for (size_t i = 0; i < JOBS; i++) {
        r->cost[i] = (a + b * (double)r->bytes[i]) * (0.9 + 0.2 * dice(&seed));
        r->work += r->cost[i];
    }
    for (size_t i = 0; i < MAX_WORKERS; i++)
        r->at[i] = JOBS;
}

static void fill(struct run *r)
{
    for (size_t i = 0; i < r->workers; i++)
        if (r->at[i] == JOBS && r->next < JOBS) {
            r->at[i] = r->next++;
            r->end[i] = r->now + r->cost[r->at[i]];
        }
}

/* To the next end of a module; false: there is none. */
static bool step(struct run *r)
{
    size_t first = MAX_WORKERS;

    fill(r);
    for (size_t i = 0; i < r->workers; i++)
        if (r->at[i] < JOBS && (first == MAX_WORKERS || r->end[i] < r->end[first]))
            first = i;
    if (first == MAX_WORKERS)
        return false;
    r->now = r->end[first];
    r->work_done += r->cost[r->at[first]];
    jw_rate_learn(&r->rate, r->bytes[r->at[first]], r->cost[r->at[first]]);
    r->at[first] = JOBS;
    return true;
}

static double predicted_rest(struct run *r)
{
    struct jw_rate_running running[MAX_WORKERS];
    struct jw_rate_left left = { .running = running, .workers = r->workers };

    fill(r);
    for (size_t i = 0; i < r->workers; i++)
        if (r->at[i] < JOBS)
            running[left.n_running++] =
                (struct jw_rate_running){ jw_rate_seconds(&r->rate, r->bytes[r->at[i]]),
                                          r->now - (r->end[i] - r->cost[r->at[i]]) };
    for (size_t i = r->next; i < JOBS; i++)
        left.seconds += jw_rate_seconds(&r->rate, r->bytes[i]);
    left.longest = r->next < JOBS ? jw_rate_seconds(&r->rate, r->bytes[r->next]) : 0;
    return jw_rate_eta(&left);
}

static void eta_is_near(unsigned workers, double a, double b, uint32_t seed)
{
    static struct run r;

    prepare(&r, workers, a, b, seed);
    while (r.work_done < r.work / 10)
        CHECK(step(&r));

    double then = r.now, rest = predicted_rest(&r);

    while (step(&r))
        continue;
    if (!near(rest, r.now - then, 0.2))
        (void)printf("%u workers, a %g, b %g, seed %u: %g, not %g\n", workers, a, b, seed, rest,
                     r.now - then);
    CHECK(near(rest, r.now - then, 0.2));
}

TEST(after_a_tenth_of_the_work_the_rest_is_known_to_a_fifth)
{
    static const double lines[][2] = { { 0.03, 1 / 1.1e6 }, { 0.03, 1 / 0.3e6 }, { 0.06, 1 / 1.1e6 },
                                       { 0.005, 1 / 5e6 },  { 0, 1 / 2e6 },      { 0.1, 1 / 0.5e6 } };

    for (unsigned workers = 1; workers <= MAX_WORKERS; workers *= 2)
        for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
            for (uint32_t seed = 1; seed <= 10; seed++)
                eta_is_near(workers, lines[k][0], lines[k][1], seed);
}

/* On a machine that is ten times as slow as predicted, and busier at times: only what was measured makes it rise. */
TEST(the_rest_rises_only_when_a_module_was_measured)
{
    static struct run r;

    prepare(&r, 3, 0.3, 10 / 1.1e6, 7);
    for (size_t i = 0; i < JOBS; i++)
        r.cost[i] *= i % 90 == 5 ? 8 : 1;
    for (fill(&r); r.next < JOBS; CHECK(step(&r))) {
        double before = predicted_rest(&r), now = r.now, until = r.end[0];

        for (size_t i = 1; i < r.workers; i++)
            until = until < r.end[i] ? until : r.end[i];
        for (unsigned k = 1; k <= 10; k++) {
            double rest;

            r.now = now + (until - now) * k / 10;
            rest = predicted_rest(&r);
            CHECK(rest <= before + 1e-9);
            before = rest;
        }
        r.now = now;
    }
}
