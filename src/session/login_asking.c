#include "session/login_asking.h"

#include "base/mem.h"
#include "os/machine/thread.h"

struct jw_login_asking {
    struct jw_arena a;
    struct jw_login_env login;
    bool ok;
    struct jw_err err;
    atomic_bool stop;
    struct jw_thread *thread; /* NULL: none could be started; then the waiting caller asks */
    struct jw_lock *lock;
    bool done; /* under the lock */
};

static void ask(void *ctx)
{
    struct jw_login_asking *k = ctx;

    k->ok = jw_login_env(&k->stop, &k->a, &k->login, &k->err);
    jw_lock_take(k->lock);
    k->done = true;
    jw_lock_wake_all(k->lock);
    jw_lock_drop(k->lock);
}

struct jw_login_asking *jw_login_asking_begin(void)
{
    struct jw_login_asking *k = jw_alloc(sizeof *k);
    struct jw_err ignored;

    atomic_init(&k->stop, false);
    k->lock = jw_lock_new();
    if (!jw_thread_start(&k->thread, ask, k, &ignored))
        k->thread = NULL;
    return k;
}

/* The files of both shells may run programs on a file system that is slow. */
static void wait_for_thread(struct jw_login_asking *k, const struct jw_session *s)
{
    enum { LOOK_MS = 100 };
    bool waited = false;

    jw_lock_take(k->lock);
    while (!k->done) {
        jw_lock_wait(k->lock, LOOK_MS);
        if (jw_interrupted(s->interrupted))
            atomic_store(&k->stop, true);
        if (!k->done && s->waits) {
            s->waits(s->waits_ctx, JW_WAITS_FOR_LOGIN);
            waited = true;
        }
    }
    jw_lock_drop(k->lock);
    if (waited)
        s->waits(s->waits_ctx, NULL);
}

const struct jw_login_env *jw_login_asking_wait(struct jw_login_asking *k, const struct jw_session *s,
                                                struct jw_err *err)
{
    struct jw_login_env *login = NULL;

    if (k->thread)
        wait_for_thread(k, s);
    else
        ask(k);
    if (k->ok)
        login = jw_arena_copy(s->a, &k->login, sizeof *login);
    else
        *err = k->err;
    jw_arena_take(s->a, &k->a);
    jw_login_asking_end(k);
    return login;
}

void jw_login_asking_end(struct jw_login_asking *k)
{
    if (!k)
        return;
    atomic_store(&k->stop, true);
    jw_thread_join(k->thread);
    jw_lock_free(k->lock);
    jw_arena_free(&k->a);
    jw_free(k);
}
