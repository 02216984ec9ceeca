#include "verbs/prime_view.h"

#include <stdlib.h>
#include <string.h>

/* NULL sorts first. */
static int compare_text(const char *a, const char *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static int compare_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* All jobs are in one array, so comparing addresses keeps the order of equal ones. */
static int compare_place(const struct jw_job *a, const struct jw_job *b)
{
    return (a > b) - (a < b);
}

static const struct jw_job **sorted(const struct jw_prime_report *r, struct jw_arena *a,
                                    bool (*wanted)(const struct jw_job *job),
                                    int (*compare)(const void *a, const void *b), size_t *n)
{
    const struct jw_job **list = jw_arena_alloc(a, r->n_jobs * sizeof *list);

    *n = 0;
    for (size_t i = 0; i < r->n_jobs; i++)
        if (wanted(&r->jobs[i]))
            list[(*n)++] = &r->jobs[i];
    qsort(list, *n, sizeof *list, compare);
    return list;
}

/* ---- files ---- */

static bool any_job(const struct jw_job *job)
{
    (void)job;
    return true;
}

static int jobs_by_path(const void *a, const void *b)
{
    const struct jw_job *x = *(const struct jw_job *const *)a;
    const struct jw_job *y = *(const struct jw_job *const *)b;
    int d = strcmp(prime_job_path(x), prime_job_path(y));

    return d ? d : compare_place(x, y);
}

static int by_seconds(const void *a, const void *b)
{
    const struct prime_file *x = a, *y = b;

    if (x->seconds > y->seconds || x->seconds < y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void count_job(struct prime_file *f, const struct jw_job *job)
{
    f->modules++;
    f->ptx_bytes += job->module.ptx_bytes;
    if (job->state == JW_JOB_WARM) {
        f->warm++;
        return;
    }
    f->left += !prime_job_is_warm(job);
    f->seconds += job->seconds;
    f->cache_bytes += job->cache_bytes;
}

void prime_files(const struct jw_prime_report *r, struct jw_arena *a, const struct prime_file **out,
                 size_t *n)
{
    size_t jobs, files = 0;
    const struct jw_job **list = sorted(r, a, any_job, jobs_by_path, &jobs);
    struct prime_file *all = jw_arena_alloc(a, jobs * sizeof *all);

    *out = all;
    for (size_t i = 0; i < jobs; i++) {
        const char *path = prime_job_path(list[i]);

        if (!files || strcmp(all[files - 1].path, path) != 0)
            all[files++] = (struct prime_file){
                .path = path, .package = list[i]->module.n_places ? list[i]->module.places[0].package : NULL
            };
        count_job(&all[files - 1], list[i]);
    }
    qsort(all, files, sizeof *all, by_seconds);
    *n = files;
}

/* ---- failures ---- */

static bool is_failure(const struct jw_job *job)
{
    return !prime_job_is_warm(job) && job->state != JW_JOB_TODO;
}

static int compare_reason(const struct jw_job *a, const struct jw_job *b)
{
    int d = compare_number(a->state, b->state);

    d = d ? d : (a->code > b->code) - (a->code < b->code);
    d = d ? d : compare_text(a->code_name, b->code_name);
    return d ? d : compare_text(a->why, b->why);
}

static int by_reason(const void *a, const void *b)
{
    const struct jw_job *x = *(const struct jw_job *const *)a;
    const struct jw_job *y = *(const struct jw_job *const *)b;
    int d = compare_reason(x, y);

    return d ? d : compare_place(x, y);
}

static int failures_by_number(const void *a, const void *b)
{
    const struct prime_failure *x = a, *y = b;
    int d = compare_number(y->n, x->n);

    return d ? d : compare_place(x->jobs[0], y->jobs[0]);
}

/* What verify did not try is missing, and no failure. */
static bool is_failed_load(const struct jw_job *job)
{
    return is_failure(job) && job->state != JW_JOB_BANNED && job->state != JW_JOB_NO_ROOM;
}

void prime_failures(const struct prime_view *v, struct jw_arena *a, const struct prime_failure **out,
                    size_t *n)
{
    size_t jobs, groups = 0;
    const struct jw_job **list =
        sorted(v->report, a, v->verb == PRIME_VERIFY ? is_failed_load : is_failure, by_reason, &jobs);
    struct prime_failure *all = jw_arena_alloc(a, jobs * sizeof *all);

    *out = all;
    for (size_t i = 0; i < jobs; i++) {
        if (!groups || compare_reason(all[groups - 1].jobs[0], list[i]) != 0)
            all[groups++] = (struct prime_failure){ .jobs = list + i };
        all[groups - 1].n++;
    }
    qsort(all, groups, sizeof *all, failures_by_number);
    *n = groups;
}

/* ---- misses ---- */

static int by_cause(const void *a, const void *b)
{
    const struct jw_verify_miss *x = a, *y = b;
    int d = compare_number(x->pass, y->pass);

    d = d ? d : compare_text(x->cause, y->cause);
    return d ? d : compare_number(x->job, y->job);
}

static int by_misses(const void *a, const void *b)
{
    const struct prime_miss *x = a, *y = b;
    int d = compare_number(x->pass, y->pass);

    d = d ? d : compare_number(y->jobs, x->jobs);
    return d ? d : compare_text(x->cause, y->cause);
}

void prime_misses(const struct jw_prime_report *r, struct jw_arena *a, const struct prime_miss **out,
                  size_t *n)
{
    size_t count = r->verify.n_misses, groups = 0;
    struct jw_verify_miss *list = jw_arena_copy(a, r->verify.misses, count * sizeof *list);
    struct prime_miss *all = jw_arena_alloc(a, count * sizeof *all);

    *out = all;
    qsort(list, count, sizeof *list, by_cause);
    for (size_t i = 0; i < count; i++) {
        if (!groups || all[groups - 1].pass != list[i].pass
            || compare_text(all[groups - 1].cause, list[i].cause) != 0)
            all[groups++] =
                (struct prime_miss){ .cause = list[i].cause,
                                     .pass = list[i].pass,
                                     .first = list[i].job < r->n_jobs ? &r->jobs[list[i].job] : NULL };
        all[groups - 1].jobs++;
    }
    qsort(all, groups, sizeof *all, by_misses);
    *n = groups;
}
