#include "os/thread.h"

#include "base/limits.h"
#include "base/mem.h"

#include <windows.h>

#include <process.h>

struct job {
    void (*fn)(void *ctx, unsigned worker);
    void *ctx;
    unsigned worker;
    HANDLE thread;
};

static unsigned __stdcall start(void *arg)
{
    const struct job *job = arg;

    job->fn(job->ctx, job->worker);
    return 0;
}

void jw_parallel(unsigned n, void (*fn)(void *ctx, unsigned worker), void *ctx)
{
    struct job jobs[JW_MAX_WORKERS];
    unsigned made = 1;

    for (; made < n && made < JW_MAX_WORKERS; made++) {
        jobs[made] = (struct job){ .fn = fn, .ctx = ctx, .worker = made };
        jobs[made].thread = (HANDLE)_beginthreadex(NULL, 0, start, &jobs[made], 0, NULL);
        if (!jobs[made].thread)
            break;
    }
    fn(ctx, 0);
    for (unsigned i = 1; i < made; i++) {
        (void)WaitForSingleObject(jobs[i].thread, INFINITE);
        (void)CloseHandle(jobs[i].thread);
    }
}

struct jw_lock {
    SRWLOCK lock;
    CONDITION_VARIABLE signal;
};

struct jw_lock *jw_lock_new(void)
{
    struct jw_lock *l = jw_alloc(sizeof *l);

    if (!l)
        return NULL;
    InitializeSRWLock(&l->lock);
    InitializeConditionVariable(&l->signal);
    return l;
}

void jw_lock_free(struct jw_lock *l)
{
    jw_free(l);
}

void jw_lock_take(struct jw_lock *l)
{
    AcquireSRWLockExclusive(&l->lock);
}

void jw_lock_drop(struct jw_lock *l)
{
    ReleaseSRWLockExclusive(&l->lock);
}

void jw_lock_wait(struct jw_lock *l, unsigned timeout_ms)
{
    (void)SleepConditionVariableSRW(&l->signal, &l->lock, timeout_ms ? timeout_ms : INFINITE, 0);
}

void jw_lock_wake_all(struct jw_lock *l)
{
    WakeAllConditionVariable(&l->signal);
}
