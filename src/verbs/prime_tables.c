#include "base/text.h"
#include "verbs/prime_view.h"

static void cell_time(struct jw_table *t, double seconds)
{
    jw_table_cell(t, TINT_NONE, seconds > 0 ? JW_TENTHS(seconds) : "-");
}

/* ---- files ---- */

/* Adds a column for packages if there are any. */
static size_t columns_for(const struct prime_file *files, size_t n)
{
    enum { WITHOUT = 6, WITH = 7 };

    for (size_t i = 0; i < n; i++)
        if (files[i].package)
            return WITH;
    return WITHOUT;
}

void prime_put_files(struct jw_page *p, struct jw_arena *a, const struct prime_file *files, size_t n,
                     size_t max)
{
    static const struct jw_column columns[] = { { "MODULES", COLUMN_RIGHT },  { "PTX", COLUMN_RIGHT },
                                                { "CPU TIME", COLUMN_RIGHT }, { "CACHE", COLUMN_RIGHT },
                                                { "WARM", COLUMN_RIGHT },     { "FILE", COLUMN_PATH },
                                                { "PACKAGE", COLUMN_LEFT } };
    size_t n_columns = columns_for(files, n), shown = n < max ? n : max;
    struct jw_table t;

    if (!shown)
        return;
    jw_page_put(p, "\n");
    jw_table_begin(&t, a, columns, n_columns);
    for (size_t i = 0; i < shown; i++) {
        jw_table_cell_count(&t, files[i].modules);
        jw_table_cell_bytes(&t, files[i].ptx_bytes);
        cell_time(&t, files[i].seconds);
        jw_table_cell_bytes(&t, files[i].cache_bytes);
        jw_table_cell_count(&t, files[i].warm);
        jw_table_cell(&t, TINT_NONE, files[i].path);
        if (n_columns == JW_COUNT(columns))
            jw_table_cell(&t, TINT_NONE, files[i].package ? files[i].package : "-");
    }
    jw_page_table(p, &t);
    if (shown < n)
        jw_page_say(p, TINT_NONE, NULL, "and %s (--verbose lists all)",
                    JW_N(n - shown, "more file", "more files"));
    jw_page_put(p, "\n");
}

/* ---- jobs ---- */

static enum jw_tint job_tint(const struct jw_job *job)
{
    if (job->state == JW_JOB_WARMED)
        return TINT_GOOD;
    return job->state == JW_JOB_WARM || job->state == JW_JOB_TODO ? TINT_NONE : TINT_BAD;
}

void prime_put_jobs(struct jw_page *p, struct jw_arena *a, const struct jw_prime_report *r)
{
    static const struct jw_column columns[] = { { "STATE", COLUMN_LEFT },  { "GPU", COLUMN_LEFT },
                                                { "PTX", COLUMN_RIGHT },   { "TIME", COLUMN_RIGHT },
                                                { "CACHE", COLUMN_RIGHT }, { "FILE", COLUMN_PATH } };
    struct jw_table t;

    if (!r->n_jobs)
        return;
    jw_table_begin(&t, a, columns, JW_COUNT(columns));
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct jw_job *job = &r->jobs[i];

        jw_table_cell(&t, job_tint(job), jw_outcome_name(job->state));
        jw_table_cellf(&t, TINT_NONE, "sm_%u", job->sm);
        jw_table_cell_bytes(&t, job->module.ptx_bytes);
        cell_time(&t, job->state == JW_JOB_TODO ? job->seconds : job->milliseconds / 1000.0);
        jw_table_cell_bytes(&t, job->entry_bytes ? job->entry_bytes : job->cache_bytes);
        jw_table_cell(&t, TINT_NONE, prime_job_path(job));
    }
    jw_page_table(p, &t);
    jw_page_put(p, "\n");
}
