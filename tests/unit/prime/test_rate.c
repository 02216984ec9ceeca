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

/* ---- the time told, of recorded estimates ---- */

struct estimate {
    double seconds;    /* since the start */
    uint64_t measured; /* modules */
    double left;
};

/* Two primes of CTranslate2 4.4.0 for sm_90 with driver 550: one worker on two processors that other programs used, too. The
 * first took 38.7 s, the second 53.8 s. */
static const struct estimate quieter[] = {
    { 1.2, 0, 23.2 },  { 3.8, 0, 41.3 },  { 6.4, 0, 49.4 },  { 9.1, 0, 54.9 },  { 11.7, 0, 55.3 },
    { 14.3, 0, 51.5 }, { 17.0, 0, 51.7 }, { 19.6, 0, 51.0 }, { 22.2, 0, 51.4 }, { 24.9, 0, 51.9 },
    { 27.5, 0, 52.5 }, { 29.0, 1, 32.9 }, { 29.7, 2, 23.2 }, { 30.2, 3, 17.8 }, { 30.4, 4, 14.5 },
    { 32.9, 4, 13.0 }, { 33.7, 5, 16.6 }, { 34.5, 6, 12.6 }, { 35.4, 7, 9.5 },  { 35.8, 8, 5.2 },
    { 36.2, 9, 4.1 },  { 36.6, 10, 4.3 }, { 37.1, 11, 3.4 }, { 37.4, 12, 2.6 }, { 37.6, 13, 1.8 },
    { 37.9, 15, 0.9 }, { 38.2, 17, 0.6 }, { 38.4, 18, 0.6 }, { 38.6, 23, 0.0 }, { 38.7, 24, 0.0 },
};
static const struct estimate busier[] = {
    { 2.4, 0, 23.2 },  { 5.0, 0, 54.7 },  { 7.7, 0, 58.8 },  { 10.3, 0, 61.3 }, { 12.9, 0, 63.8 },
    { 15.6, 0, 67.3 }, { 18.2, 0, 68.9 }, { 20.8, 0, 68.0 }, { 23.5, 0, 66.6 }, { 26.1, 0, 64.3 },
    { 28.8, 0, 62.7 }, { 31.4, 0, 60.4 }, { 34.0, 0, 57.6 }, { 36.7, 0, 54.3 }, { 37.6, 1, 37.1 },
    { 38.0, 2, 25.1 }, { 38.5, 3, 19.4 }, { 39.0, 4, 15.5 }, { 41.6, 4, 14.1 }, { 44.3, 5, 20.2 },
    { 46.8, 6, 26.2 }, { 48.1, 7, 26.9 }, { 49.0, 8, 16.3 }, { 49.9, 9, 11.9 }, { 50.7, 10, 9.6 },
    { 51.1, 11, 6.7 }, { 51.5, 12, 4.5 }, { 51.9, 13, 3.4 }, { 52.4, 14, 3.2 }, { 52.7, 15, 2.2 },
    { 52.9, 17, 1.1 }, { 53.2, 18, 0.8 }, { 53.5, 20, 0.4 }, { 53.7, 24, 0.1 },
};

static void is_told(const struct estimate *list, size_t n)
{
    struct jw_rate_told told = { 0 };
    double lowest = -1;

    for (size_t i = 0; i < n; i++) {
        const struct estimate *e = &list[i];
        double left = jw_rate_tell(&told, e->left, e->measured);

        if (!e->measured) {
            CHECK(left < 0);
            continue;
        }
        if (i == 0 || e->measured != list[i - 1].measured) {
            CHECK(near(left, e->left, 1e-9));
            lowest = left;
        }
        CHECK(left >= 0 && left <= e->left && left <= lowest * 1.25 + 1e-9);
        lowest = left < lowest ? left : lowest;
    }
}

TEST(no_time_is_told_before_a_module_was_measured_and_none_rises_much_before_the_next)
{
    static const struct estimate rising[] = { { 1, 1, 26 },  { 8, 1, 42 },  { 12, 1, 20 }, { 20, 1, 69 },
                                              { 21, 2, 69 }, { 25, 2, 69 }, { 30, 2, 0 } };
    struct jw_rate_told told = { 0 };

    is_told(quieter, sizeof quieter / sizeof quieter[0]);
    is_told(busier, sizeof busier / sizeof busier[0]);
    is_told(rising, sizeof rising / sizeof rising[0]);
    CHECK(near(jw_rate_tell(&told, 26, 1), 26, 1e-9));
    CHECK(near(jw_rate_tell(&told, 42, 1), 32.5, 1e-9));
    CHECK(near(jw_rate_tell(&told, 20, 1), 20, 1e-9));
    CHECK(near(jw_rate_tell(&told, 69, 1), 25, 1e-9));
    CHECK(near(jw_rate_tell(&told, 69, 2), 69, 1e-9));
}
