#include "prime/rate.h"

/*
 * The first guess is below the usual rate (facts/compile_time.h), because a small `a` is found late behind a large
 * guess.
 */
#define FIRST_A 0.03
#define FIRST_B (1 / 1.1e6)

/* A measurement may be wrong by a tenth of itself, the first guess by all of itself. */
#define DOUBT (0.1 * 0.1)

static double first_guess(double bytes)
{
    return FIRST_A + FIRST_B * bytes;
}

void jw_rate_learn(struct jw_rate *r, uint64_t ptx_bytes, double seconds)
{
    double x = (double)ptx_bytes, usual = first_guess(x), w = 1 / (usual * usual);

    if (!(seconds >= 0))
        return;
    r->w += w;
    r->x += w * x;
    r->xx += w * x * x;
    r->y += w * seconds;
    r->xy += w * x * seconds;
    r->seen++;
}

struct line {
    double a, b;
};

/* Least squares over the measurements and two guesses: b is FIRST_B, and a / b is the same as in the guess, because a
 * slow machine is slow in both. Neither may be negative. */
static struct line fitted_line(const struct jw_rate *r)
{
    double times = FIRST_A / FIRST_B;
    double doubt_a = DOUBT / (FIRST_A * FIRST_A), doubt_b = DOUBT / (FIRST_B * FIRST_B);
    double w = r->w + doubt_a, x = r->x - doubt_a * times, xx = r->xx + doubt_a * times * times + doubt_b;
    double y = r->y, xy = r->xy + doubt_b * FIRST_B;
    double det = w * xx - x * x; /* positive because of the guesses */
    struct line l = { (y * xx - xy * x) / det, (xy * w - y * x) / det };

    if (l.a < 0)
        l = (struct line){ 0, xy / xx };
    else if (l.b < 0)
        l = (struct line){ y / w, 0 };
    return l;
}

double jw_rate_seconds(const struct jw_rate *r, uint64_t ptx_bytes)
{
    struct line l = fitted_line(r);

    return l.a + l.b * (double)ptx_bytes;
}

/* The span of the average in seconds, and the weight of the initial factor 1. */
#define LOAD_SPAN 30
#define LOAD_DOUBT 0.5
#define LOAD_MAX 40

void jw_rate_load_add(struct jw_rate_load *l, double wall, double cpu)
{
    double keep = LOAD_SPAN / (LOAD_SPAN + wall);

    l->wall = l->wall * keep + wall;
    l->cpu = l->cpu * keep + cpu;
}

double jw_rate_load_factor(const struct jw_rate_load *l)
{
    double factor = (l->wall + LOAD_DOUBT) / (l->cpu + LOAD_DOUBT);

    return factor < 1 || l->cpu * LOAD_MAX < l->wall ? 1 : factor;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

double jw_rate_eta(const struct jw_rate_left *left)
{
    double workers = left->workers ? left->workers : 1, sum = left->seconds, last = 0;
    double next = left->n_running < left->workers ? 0 : -1; /* when a worker is free for the longest */

    for (size_t i = 0; i < left->n_running; i++) {
        double rest = larger(left->running[i].predicted - left->running[i].elapsed, 0);

        sum += rest;
        last = larger(last, rest);
        if (next < 0 || rest < next)
            next = rest;
    }
    if (left->longest > 0)
        last = larger(last, larger(next, 0) + left->longest);
    return larger(sum / workers, last);
}
