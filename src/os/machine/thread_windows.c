#include "os/machine/thread.h"

#include "base/mem.h"
#include "os/sys.h"

#include <windows.h>

#include <process.h>

struct jw_thread {
    void (*fn)(void *ctx);
    void *ctx;
    HANDLE thread;
};

static unsigned __stdcall run_thread(void *arg)
{
    const struct jw_thread *t = arg;

    t->fn(t->ctx);
    return 0;
}

bool jw_sys_thread(struct jw_thread **out, void (*fn)(void *ctx), void *ctx, struct jw_err *err)
{
    struct jw_thread *t = jw_alloc(sizeof *t);

    *t = (struct jw_thread){ .fn = fn, .ctx = ctx };
    t->thread = (HANDLE)_beginthreadex(NULL, 0, run_thread, t, 0, NULL);
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
