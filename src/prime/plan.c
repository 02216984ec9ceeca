#include "prime/plan.h"

#include "base/num.h"
#include "base/sort.h"
#include "driver/worker/supervisor.h"
#include "facts/compile_time.h"
#include "facts/driver_settings.h"

#include <string.h>

/* ---- how large, how long ---- */

uint64_t plan_bytes(const struct jw_job *j)
{
    return j->entry_bytes ? j->entry_bytes : 2 * j->ptx_bytes + (3 << 10);
}

double plan_seconds(double predicted, double stopped)
{
    return predicted > jw_job_time_limit(stopped) ? predicted : jw_job_time_limit(stopped);
}

static void predict(const struct plan_input *in)
{
    double slowness = in->slowness > 0 ? in->slowness : 1;

    for (struct jw_job *j = in->jobs; j < in->jobs + in->n_jobs; j++)
        j->seconds = plan_seconds(
            slowness * jw_compile_seconds(in->branch, j->ptx_bytes, j->kernels), j->stopped);
}

/* ---- what fits ---- */

/* What is carried over is not compiled. */
static bool is_to_compile(const struct jw_job *j) { return jw_job_is_todo(j) && !j->old; }

/* Modules that are known to be loaded come first, then those that save most seconds for each byte
 * of cache. */
static int jobs_by_worth(const void *a, const void *b)
{
    const struct jw_job *x = a;
    const struct jw_job *y = b;
    double worth_x = x->seconds / (double)plan_bytes(x);
    double worth_y = y->seconds / (double)plan_bytes(y);

    if (x->used != y->used)
        return x->used ? -1 : 1;
    if (worth_x > worth_y || worth_x < worth_y)
        return worth_x > worth_y ? -1 : 1;
    return memcmp(x->id, y->id, sizeof x->id);
}

static void fit_jobs(const struct plan_input *in, struct plan *out)
{
    uint64_t room = jw_cache_room(in->limit, in->taken);
    uint64_t disk = in->disk;
    const char *large = jw_arena_printf(in->a, "its entry may be larger than the whole cache (%s)",
                                        JW_SIZE(in->limit));
    const char *limit =
        jw_arena_printf(in->a, "the cache has no room for all: its limit is %s, and %s stay free",
                        JW_SIZE(in->limit), JW_SIZE(jw_spare(in->limit)));
    const char *disk_full = "the disk has no room for all";

    for (size_t i = 0; i < in->n_jobs; i++) {
        struct jw_job *j = &in->jobs[i];

        if (!is_to_compile(j))
            continue;
        uint64_t bytes = plan_bytes(j);
        uint64_t more = j->entry_bytes ? 0 : bytes;

        out->bytes += bytes;
        if (more > room || bytes > disk) {
            jw_job_becomes(j, JW_MODULE_NO_ROOM,
                           bytes > in->limit ? large
                           : more > room     ? limit
                                             : disk_full);
            continue;
        }
        room -= more;
        disk -= disk == UINT64_MAX ? 0 : bytes;
    }
}

/* ---- in which order ---- */

static int by_start(const void *a, const void *b)
{
    const struct jw_job *x = a;
    const struct jw_job *y = b;

    if (is_to_compile(x) != is_to_compile(y))
        return is_to_compile(x) ? -1 : 1;
    if (x->is != y->is)
        return x->is < y->is ? -1 : 1;
    if (x->used != y->used)
        return x->used ? -1 : 1;
    if (x->seconds > y->seconds || x->seconds < y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return memcmp(x->id, y->id, sizeof x->id);
}

static void sum_jobs(const struct plan_input *in, struct plan *out)
{
    const struct jw_job *longest = in->jobs;
    double sum = 0;

    for (size_t i = 0; i < in->n_jobs && is_to_compile(&in->jobs[i]); i++) {
        out->n_todo++;
        sum += in->jobs[i].seconds;
        longest = in->jobs[i].seconds > longest->seconds ? &in->jobs[i] : longest;
    }
    out->workers = (unsigned)jw_max(1, jw_min(in->workers, jw_min(out->n_todo, JW_MAX_WORKERS)));
    out->seconds = sum / out->workers;
    if (!out->n_todo || longest->seconds <= out->seconds)
        return;
    out->seconds = longest->seconds;
    if (out->n_todo > out->workers)
        out->longest = longest->place;
}

void plan_make(const struct plan_input *in, struct plan *out)
{
    *out = (struct plan){0};
    predict(in);
    jw_sort(in->jobs, in->n_jobs, sizeof *in->jobs, jobs_by_worth);
    fit_jobs(in, out);
    jw_sort(in->jobs, in->n_jobs, sizeof *in->jobs, by_start);
    sum_jobs(in, out);
}
