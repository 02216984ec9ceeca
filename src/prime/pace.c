/* Learns how fast this driver compiles here, estimates the time left, and reports progress. */
#include "prime/compile.h"

#include "base/path.h"
#include "os/machine/time.h"

enum { LATE_S = 5 };

static const double KNOWN_S = 5, LITTLE_S = 30;

/* ---- how fast ---- */

struct pace pace_of(double slowness, double planned)
{
    return (struct pace){.planned_with = slowness > 0 ? slowness : 1,
                         .known = planned < KNOWN_S ? planned : KNOWN_S};
}

void pace_note(struct pace *p, double planned, double took)
{
    p->took += took;
    p->planned += planned;
    p->measured++;
}

/* The plan's speed has a weight, but no more than the plan is long: very small modules may take a
 * thousand times as long as planned, and all of them together are planned to take less than a
 * second. */
double pace_times(const struct pace *p)
{
    double before = p->took < p->known ? p->known - p->took : 0;

    return (before + p->took) / (before + p->planned);
}

/* Small modules take up to five times as long as predicted where large ones do not, and with a time
 * limit they come first. So what took little in all moves the speed a little, which the next run
 * begins with. */
double pace_slowness(const struct pace *p)
{
    return p->planned_with * (LITTLE_S + p->took) / (LITTLE_S + p->planned);
}

void compile_note_time(struct compiling *r, const struct jw_job *j)
{
    if (j->seconds > jw_job_time_limit(j->stopped)) /* else `seconds` is no prediction */
        pace_note(&r->pace, j->seconds, j->milliseconds / 1000.0);
}

void compile_keep_pace(const struct compiling *r)
{
    const char *build = r->p->look->scope.build;

    if (r->pace.measured < PACE_KNOWN || !build)
        return;
    /* A failure only makes the next estimate worse. */
    (void)!jw_driver_save_slowness(build, pace_slowness(&r->pace), JW_IGNORED);
}

/* ---- how long ---- */

static double predicted(const struct compiling *r, const struct jw_job *j)
{
    return plan_seconds(pace_times(&r->pace) * j->seconds, j->stopped);
}

/* Returns the seconds until all is done; before anything was measured they are the plan's. A module
 * that takes longer than predicted is taken to need as long again. */
static double estimate(const struct compiling *r, const struct jw_pool_state *s)
{
    double sum = 0;
    double longest = 0;

    for (size_t i = 0; i < r->p->plan.n_todo; i++) {
        const struct jw_job *j = &r->jobs[i];
        double left = j->ended ? 0 : predicted(r, j);

        for (size_t k = 0; k < s->n_slots; k++)
            if (s->slots[k].busy && s->slots[k].job == i) {
                double ran = jw_time_since(s->slots[k].since_ns);

                left = left > ran ? left - ran : ran;
            }
        sum += left;
        longest = left > longest ? left : longest;
    }
    sum /= s->n_slots ? (double)s->n_slots : 1;
    return sum > longest ? sum : longest;
}

/* ---- progress calls ---- */

static void show_longest(struct compiling *r, const struct jw_pool_state *s)
{
    uint64_t first = UINT64_MAX;

    r->progress.at = NULL;
    r->progress.late = 0;
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i].busy && s->slots[i].since_ns < first) {
            const struct jw_job *j = &r->jobs[s->slots[i].job];
            double ran = jw_time_since(first = s->slots[i].since_ns);

            r->progress.at = jw_path_base(j->place->path);
            r->progress.late = ran > LATE_S && ran > 2 * predicted(r, j) ? ran : 0;
        }
}

void compile_show(struct compiling *r, const struct jw_pool_state *s)
{
    const struct jw_run *run = r->p->run;

    r->progress.phase = JW_PHASE_COMPILE;
    r->progress.seconds = jw_time_since(run->began);
    if (s) {
        show_longest(r, s);
        r->progress.eta = estimate(r, s);
    }
    if (run->progress)
        run->progress(run->ctx, &r->progress);
}
