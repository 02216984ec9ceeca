/* POSIX threads, which mingw-w64 has for Windows, too. */
#include "os/machine/thread.h"

#include "base/limits.h"
#include "base/mem.h"
#include "os/machine/time.h"
#include "os/sys.h"

#include <pthread.h>
#include <time.h>

struct jw_thread {
    void (*fn)(void *ctx);
    void *ctx;
    pthread_t thread;
};

static void *run_thread(void *arg)
{
    const struct jw_thread *t = arg;

    t->fn(t->ctx);
    return NULL;
}

bool jw_thread_start(struct jw_thread **out, void (*fn)(void *ctx), void *ctx, struct jw_err *err)
{
    *out = NULL;
    if (jw_sys_fault(err))
        return false;

    struct jw_thread *t = jw_alloc(sizeof *t);

    *t = (struct jw_thread){.fn = fn, .ctx = ctx};
    if (pthread_create(&t->thread, NULL, run_thread, t) != 0) {
        jw_free(t);
        return jw_fail(err, JW_E_IO, "no more threads can be started");
    }
    *out = t;
    return true;
}

void jw_thread_join(struct jw_thread *t)
{
    if (!t)
        return;
    (void)pthread_join(t->thread, NULL);
    jw_free(t);
}

struct job {
    void (*fn)(void *ctx, unsigned worker);
    void *ctx;
    unsigned worker;
};

static void run_worker(void *ctx)
{
    const struct job *job = ctx;

    job->fn(job->ctx, job->worker);
}

void jw_parallel(unsigned n, void (*fn)(void *ctx, unsigned worker), void *ctx)
{
    struct jw_thread *threads[JW_MAX_WORKERS] = {NULL};
    struct job jobs[JW_MAX_WORKERS];

    if (n > JW_MAX_WORKERS)
        n = JW_MAX_WORKERS;
    for (unsigned i = 1; i < n; i++) {
        jobs[i] = (struct job){fn, ctx, i};
        if (!jw_thread_start(&threads[i], run_worker, &jobs[i], JW_IGNORED))
            break;
    }
    fn(ctx, 0);
    for (unsigned i = 1; i < JW_MAX_WORKERS; i++)
        jw_thread_join(threads[i]);
}

struct jw_lock {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
};

struct jw_lock *jw_lock_new(void)
{
    struct jw_lock *l = jw_alloc(sizeof *l);
    pthread_condattr_t attr;

    (void)pthread_mutex_init(&l->mutex, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&l->cond, &attr);
    (void)pthread_condattr_destroy(&attr);
    return l;
}

void jw_lock_free(struct jw_lock *l)
{
    if (!l)
        return;
    (void)pthread_cond_destroy(&l->cond);
    (void)pthread_mutex_destroy(&l->mutex);
    jw_free(l);
}

void jw_lock_take(struct jw_lock *l) { (void)pthread_mutex_lock(&l->mutex); }

void jw_lock_drop(struct jw_lock *l) { (void)pthread_mutex_unlock(&l->mutex); }

void jw_lock_wait(struct jw_lock *l, unsigned timeout_ms)
{
    struct timespec time = {(time_t)(timeout_ms / 1000), (long)(timeout_ms % 1000) * 1000000};

    if (!timeout_ms) {
        (void)pthread_cond_wait(&l->cond, &l->mutex);
        return;
    }
#ifdef _WIN32 /* it has no other clock for this than one that can be set */
    (void)pthread_cond_timedwait_relative_np(&l->cond, &l->mutex, &time);
#else
    uint64_t end = jw_time_after_ms(timeout_ms);

    time = (struct timespec){(time_t)(end / 1000000000), (long)(end % 1000000000)};
    (void)pthread_cond_timedwait(&l->cond, &l->mutex, &time);
#endif
}

void jw_lock_wake_all(struct jw_lock *l) { (void)pthread_cond_broadcast(&l->cond); }
