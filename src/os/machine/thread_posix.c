#include "os/machine/thread.h"

#include "base/mem.h"
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

bool jw_sys_thread(struct jw_thread **out, void (*fn)(void *ctx), void *ctx, struct jw_err *err)
{
    struct jw_thread *t = jw_alloc(sizeof *t);

    *t = (struct jw_thread){ .fn = fn, .ctx = ctx };
    int why = pthread_create(&t->thread, NULL, run_thread, t);
    if (why) {
        jw_free(t);
        return jw_sys_fail(err, why);
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

void jw_lock_take(struct jw_lock *l)
{
    (void)pthread_mutex_lock(&l->mutex);
}

void jw_lock_drop(struct jw_lock *l)
{
    (void)pthread_mutex_unlock(&l->mutex);
}

void jw_lock_wait(struct jw_lock *l, unsigned timeout_ms)
{
    struct timespec until;

    if (!timeout_ms) {
        (void)pthread_cond_wait(&l->cond, &l->mutex);
        return;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(timeout_ms / 1000);
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&l->cond, &l->mutex, &until);
}

void jw_lock_wake_all(struct jw_lock *l)
{
    (void)pthread_cond_broadcast(&l->cond);
}
