#include "prime/report/job_groups.h"

#include "base/sort.h"
#include "prime/report/job_words.h"

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
    jw_sort(list, *n, sizeof *list, compare);
    return list;
}

static bool any_job(const struct jw_job *job)
{
    (void)job;
    return true;
}

static int jobs_by_path(const void *a, const void *b)
{
    const struct jw_job *x = *(const struct jw_job *const *)a;
    const struct jw_job *y = *(const struct jw_job *const *)b;
    int d = strcmp(jw_job_path(x), jw_job_path(y));

    return d ? d : compare_place(x, y);
}

static int by_seconds(const void *a, const void *b)
{
    const struct jw_job_file *x = a, *y = b;

    if (x->seconds > y->seconds || x->seconds < y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void count_job(struct jw_job_file *f, const struct jw_job *job)
{
    f->modules++;
    f->ptx_bytes += job->module.ptx_bytes;
    f->warm += job->state == JW_JOB_WARM;
    if (job->state == JW_JOB_WARM || job->state == JW_JOB_SKIPPED || job->state == JW_JOB_NO_COMPILER
        || job->state == JW_JOB_HIDDEN)
        return;
    f->seconds += job->seconds;
    f->cache_bytes += job->cache_bytes;
}

struct jw_job_file *jw_job_files(const struct jw_prime_report *r, struct jw_arena *a, size_t *n)
{
    size_t jobs, files = 0;
    const struct jw_job **list = sorted(r, a, any_job, jobs_by_path, &jobs);
    struct jw_job_file *all = jw_arena_alloc(a, jobs * sizeof *all);

    for (size_t i = 0; i < jobs; i++) {
        const char *path = jw_job_path(list[i]);

        if (!files || strcmp(all[files - 1].path, path) != 0)
            all[files++] = (struct jw_job_file){
                .path = path, .package = list[i]->module.n_places ? list[i]->module.places[0].package : NULL
            };
        count_job(&all[files - 1], list[i]);
    }
    jw_sort(all, files, sizeof *all, by_seconds);
    *n = files;
    return all;
}

static bool is_failure(const struct jw_job *job)
{
    return !jw_job_is_warm(job) && job->state != JW_JOB_TODO;
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
    const struct jw_job_failure *x = a, *y = b;
    int d = compare_number(y->n, x->n);

    return d ? d : compare_place(x->jobs[0], y->jobs[0]);
}

/* A module that verify did not try is missing, and no failure. */
static bool is_failed_load(const struct jw_job *job)
{
    return is_failure(job) && job->state != JW_JOB_SKIPPED && job->state != JW_JOB_NO_COMPILER
           && job->state != JW_JOB_HIDDEN && job->state != JW_JOB_NO_ROOM;
}

struct jw_job_failure *jw_job_failures(const struct jw_prime_report *r, bool verified, struct jw_arena *a,
                                       size_t *n)
{
    size_t jobs, groups = 0;
    const struct jw_job **list = sorted(r, a, verified ? is_failed_load : is_failure, by_reason, &jobs);
    struct jw_job_failure *all = jw_arena_alloc(a, jobs * sizeof *all);

    for (size_t i = 0; i < jobs; i++) {
        if (!groups || compare_reason(all[groups - 1].jobs[0], list[i]) != 0)
            all[groups++] = (struct jw_job_failure){ .jobs = list + i };
        all[groups - 1].n++;
    }
    jw_sort(all, groups, sizeof *all, failures_by_number);
    *n = groups;
    return all;
}

static int by_cause(const void *a, const void *b)
{
    const struct jw_verify_miss *x = a, *y = b;
    int d = compare_number(x->pass, y->pass);

    d = d ? d : compare_text(x->cause, y->cause);
    return d ? d : compare_number(x->job, y->job);
}

static int by_misses(const void *a, const void *b)
{
    const struct jw_job_miss *x = a, *y = b;
    int d = compare_number(x->pass, y->pass);

    d = d ? d : compare_number(y->jobs, x->jobs);
    return d ? d : compare_text(x->cause, y->cause);
}

struct jw_job_miss *jw_job_misses(const struct jw_prime_report *r, struct jw_arena *a, size_t *n)
{
    size_t count = r->verify.n_misses, groups = 0;
    struct jw_verify_miss *list = jw_arena_copy(a, r->verify.misses, count * sizeof *list);
    struct jw_job_miss *all = jw_arena_alloc(a, count * sizeof *all);

    jw_sort(list, count, sizeof *list, by_cause);
    for (size_t i = 0; i < count; i++) {
        if (!groups || all[groups - 1].pass != list[i].pass
            || compare_text(all[groups - 1].cause, list[i].cause) != 0)
            all[groups++] =
                (struct jw_job_miss){ .cause = list[i].cause,
                                      .pass = list[i].pass,
                                      .first = list[i].job < r->n_jobs ? &r->jobs[list[i].job] : NULL };
        all[groups - 1].jobs++;
    }
    jw_sort(all, groups, sizeof *all, by_misses);
    *n = groups;
    return all;
}
