#include "os/machine/thread.h"

#include "base/limits.h"
#include "base/mem.h"
#include "os/sys.h"

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

struct jw_thread {
    void (*fn)(void *ctx);
    void *ctx;
    HANDLE thread;
};

static unsigned __stdcall run(void *arg)
{
    const struct jw_thread *t = arg;

    t->fn(t->ctx);
    return 0;
}

bool jw_thread_start(struct jw_thread **out, void (*fn)(void *ctx), void *ctx, struct jw_err *err)
{
    *out = NULL;
    if (jw_sys_fault(err))
        return false;

    struct jw_thread *t = jw_alloc(sizeof *t);

    *t = (struct jw_thread){ .fn = fn, .ctx = ctx };
    t->thread = (HANDLE)_beginthreadex(NULL, 0, run, t, 0, NULL);
    if (!t->thread) {
        (void)jw_sys_fail(err, (long)GetLastError());
        jw_free(t);
        return false;
    }
    *out = t;
    return true;
}

void jw_thread_join(struct jw_thread *t)
{
    if (!t)
        return;
    (void)WaitForSingleObject(t->thread, INFINITE);
    (void)CloseHandle(t->thread);
    jw_free(t);
}

struct jw_lock {
    SRWLOCK lock;
    CONDITION_VARIABLE signal;
};

struct jw_lock *jw_lock_new(void)
{
    struct jw_lock *l = jw_alloc(sizeof *l);

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
