#include "check.h"
#include "facts/compile_time.h"
#include "prime/compile.h"

struct timing {
    uint64_t bytes, kernels, milliseconds;
};

/* Processor time of each second module of a llama.cpp library, sm_90, driver 555, the shortest
 * first. */
static const struct timing llama[] = {
    {96223, 0, 26},       {97075, 1, 35},       {97853, 1, 26},       {98333, 1, 32},
    {98816, 2, 30},       {99296, 1, 35},       {100664, 1, 46},      {102206, 2, 38},
    {103052, 1, 60},      {118901, 4, 70},      {121272, 2, 83},      {129465, 4, 130},
    {161134, 42, 117},    {173501, 14, 161},    {212592, 4, 170},     {249228, 13, 326},
    {253867, 13, 319},    {289915, 46, 339},    {345587, 16, 408},    {424178, 41, 737},
    {437258, 13, 550},    {478949, 13, 992},    {511659, 13, 1374},   {514224, 4, 1544},
    {521280, 13, 1386},   {583719, 13, 1081},   {1255649, 24, 2342},  {1284077, 24, 2444},
    {1624816, 24, 3707},  {1643136, 24, 3130},  {1984644, 24, 3973},  {2030467, 24, 4068},
    {2931943, 24, 6517},  {3041714, 24, 7186},  {4919581, 64, 12994}, {5228526, 64, 12652},
    {5394741, 64, 12304}, {5594071, 64, 15091}, {5654866, 64, 12779}, {5741836, 64, 12947},
    {6223529, 64, 13820}, {6591266, 64, 15221}, {6621812, 64, 13938}};

/* Of half of the data of TensorFlow 2.10.0, driver 550, the mean module: in slow minutes twice what
 * is predicted. */
static const struct timing little = {5098, 1, 19};
enum { LITTLES = 941 };

static double predicted(const struct timing *t)
{
    return jw_compile_seconds(550, t->bytes, t->kernels);
}

/* The worst estimate of the rest, from a tenth of the bytes on. `slow`: the machine takes so many
 * times as long. */
static double worst(const struct timing *list[], size_t n, double slow)
{
    struct pace p = pace_of(0, 60);
    double all = 0, done = 0, rest = 0, planned = 0, out = 1;

    for (size_t i = 0; i < n; i++) {
        all += (double)list[i]->bytes;
        rest += slow * (double)list[i]->milliseconds / 1000;
        planned += predicted(list[i]);
    }
    for (size_t i = 0; i + 1 < n && done < .9 * all; i++) {
        double took = slow * (double)list[i]->milliseconds / 1000;

        pace_note(&p, predicted(list[i]), took);
        done += (double)list[i]->bytes;
        rest -= took;
        planned -= predicted(list[i]);
        double times = pace_times(&p) * planned / rest;

        times = times < 1 ? 1 / times : times;
        out = done >= .1 * all && times > out ? times : out;
    }
    return out;
}

TEST(the_rest_is_known_within_half_of_it)
{
    const struct timing *up[JW_COUNT(llama) + LITTLES], *down[JW_COUNT(up)];
    size_t n = 0;

    for (size_t i = 0; i < LITTLES; i++)
        up[n++] = &little;
    for (size_t i = 0; i < JW_COUNT(llama); i++)
        up[n++] = &llama[i];
    for (size_t i = 0; i < n; i++)
        down[i] = up[n - 1 - i];
    for (double slow = .5; slow < 5; slow += 2) {
        CHECK(worst(up, n, slow) < 1.5); /* as with a time limit */
        CHECK(worst(down, n, slow) < 1.5);
        CHECK(worst(up + LITTLES, n - LITTLES, slow) < 1.5);
    }
}

/* Equal modules: what is said of one of those that are left, as a multiple of the plan, and what
 * the next run plans with. */
static const struct {
    double before, all, planned, took; /* `all`: planned for the whole run */
    unsigned n;
    double times, least, most;
} runs[] = {
    {0, 60, .005, 11, PACE_KNOWN, 2200, 2.8, 2.9}, /* a hundred of them take 18 minutes */
    {2, 60, .005, 11, PACE_KNOWN, 2200, 5.6, 5.7},
    {2, 60, .02, .1, 10, 1.2, 2, 2.1}, /* what took little changes little */
    {2, 60, .02, .1, 100, 5, 2, 2.6},
    {0, 60, 10, 30, 100, 3, 2.9, 3},
    {0, .016, .001, .3, 3, 300, 1, 1.1}, /* of so short a plan three modules show more */
};

TEST(what_is_left_takes_as_long_as_what_was_compiled)
{
    for (size_t i = 0; i < JW_COUNT(runs); i++) {
        struct pace p = pace_of(runs[i].before, runs[i].all);

        for (unsigned k = 0; k < runs[i].n; k++)
            pace_note(&p, runs[i].planned, runs[i].took);
        CHECK(pace_times(&p) > runs[i].times * .99 && pace_times(&p) < runs[i].times * 1.01);
        CHECK(pace_slowness(&p) > runs[i].least && pace_slowness(&p) < runs[i].most);
    }
}
