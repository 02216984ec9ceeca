#include "base/fault.h"
#include "check.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"

#include <stdatomic.h>

enum { ITEMS = 20000 };

struct shared {
    struct jw_lock *lock;
    unsigned next, done[ITEMS];
    atomic_uint workers, highest;
};

static void work(void *ctx, unsigned worker)
{
    struct shared *s = ctx;

    (void)atomic_fetch_add(&s->workers, 1);
    for (unsigned was = atomic_load(&s->highest); worker > was;)
        if (atomic_compare_exchange_weak(&s->highest, &was, worker))
            break;
    for (;;) {
        jw_lock_take(s->lock);

        unsigned i = s->next < ITEMS ? s->next++ : ITEMS;

        jw_lock_drop(s->lock);
        if (i == ITEMS)
            return;
        s->done[i]++;
    }
}

static void with_workers(unsigned n, unsigned expected)
{
    static struct shared s;

    s = (struct shared){.lock = jw_lock_new()};
    CHECK(s.lock != NULL);
    jw_parallel(n, work, &s);
    CHECK_NUM(atomic_load(&s.workers), expected);
    CHECK_NUM(atomic_load(&s.highest), expected - 1);
    for (unsigned i = 0; i < ITEMS; i++)
        if (s.done[i] != 1) {
            CHECK_NUM(s.done[i], 1);
            break;
        }
    jw_lock_free(s.lock);
    jw_lock_free(NULL);
}

TEST(each_item_is_done_once_by_any_number_of_workers)
{
    with_workers(0, 1);
    with_workers(1, 1);
    with_workers(2, 2);
    with_workers(8, 8);
}

struct relay {
    struct jw_lock *lock;
    unsigned turn, passes;
};

/* Each waits for its turn and hands on, so that every wake-up counts. */
static void pass_on(void *ctx, unsigned worker)
{
    struct relay *r = ctx;

    jw_lock_take(r->lock);
    for (unsigned i = 0; i < 200; i++) {
        while (r->turn % 3 != worker)
            jw_lock_wait(r->lock, i % 2 ? 0 : 1000);
        r->turn++;
        r->passes++;
        jw_lock_wake_all(r->lock);
    }
    jw_lock_drop(r->lock);
}

TEST(waiting_ends_by_a_wake)
{
    struct relay r = {.lock = jw_lock_new()};

    CHECK(r.lock != NULL);
    jw_parallel(3, pass_on, &r);
    CHECK_NUM(r.passes, 600);
    jw_lock_free(r.lock);
}

TEST(waiting_ends_by_time)
{
    struct jw_lock *lock = jw_lock_new();
    uint64_t before = jw_time_monotonic_ns(), after;

    CHECK(lock != NULL);
    jw_lock_take(lock);
    jw_lock_wait(lock, 1050);
    jw_lock_drop(lock);
    after = jw_time_monotonic_ns();
    CHECK(after - before > 900000000 && after - before < 30000000000);
    jw_lock_free(lock);
}

static void count_up(void *ctx) { (void)atomic_fetch_add((atomic_uint *)ctx, 1); }

TEST(a_thread_runs_once_and_is_joined)
{
    struct jw_thread *t[4];
    atomic_uint n = 0;

    for (size_t i = 0; i < 4; i++)
        CHECK(jw_thread_start(&t[i], count_up, &n, &err));
    for (size_t i = 0; i < 4; i++)
        jw_thread_join(t[i]);
    jw_thread_join(NULL);
    CHECK_NUM(atomic_load(&n), 4);
}

TEST(a_thread_that_cannot_be_made_says_so)
{
    struct jw_thread *t = NULL;
    atomic_uint n = 0;

    jw_fault_arm(1);
    CHECK(!jw_thread_start(&t, count_up, &n, &err));
    jw_fault_arm(0);
    CHECK(t == NULL && err.msg[0] && atomic_load(&n) == 0);
}
