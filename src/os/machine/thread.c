#include "os/machine/thread.h"

#include "base/limits.h"
#include "os/sys.h"

bool jw_thread_start(struct jw_thread **out, void (*fn)(void *ctx), void *ctx, struct jw_err *err)
{
    *out = NULL;
    return !jw_sys_fault(err) && jw_sys_thread(out, fn, ctx, err);
}

struct job {
    void (*fn)(void *ctx, unsigned worker);
    void *ctx;
    unsigned worker;
    struct jw_thread *thread;
};

static void run_worker(void *ctx)
{
    const struct job *job = ctx;

    job->fn(job->ctx, job->worker);
}

void jw_parallel(unsigned n, void (*fn)(void *ctx, unsigned worker), void *ctx)
{
    struct job jobs[JW_MAX_WORKERS];
    struct jw_err ignored;
    unsigned made = 1;

    for (; made < n && made < JW_MAX_WORKERS; made++) {
        jobs[made] = (struct job){ .fn = fn, .ctx = ctx, .worker = made };
        if (!jw_sys_thread(&jobs[made].thread, run_worker, &jobs[made], &ignored))
            break;
    }
    fn(ctx, 0);
    for (unsigned i = 1; i < made; i++)
        jw_thread_join(jobs[i].thread);
}
