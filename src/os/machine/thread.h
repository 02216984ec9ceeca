/* Threads, mutexes and condition variables. */
#pragma once

#include "base/compiler.h"
#include "jitwarm/err.h"

/* Calls fn(ctx, worker) on `n` threads, this one included as worker 0, and returns when all calls
 * have returned. If one cannot be created, the others do its work: fn takes its work from a shared
 * list. */
void jw_parallel(unsigned n, void (*fn)(void *ctx, unsigned worker), void *ctx);

/* One thread that calls `fn` once. Join it before freeing `ctx`. */
struct jw_thread;
bool jw_thread_start(struct jw_thread **out, void (*fn)(void *ctx), void *ctx,
                     struct jw_err *err) JW_MUST;
void jw_thread_join(struct jw_thread *t); /* accepts NULL */

struct jw_lock; /* a mutex and its condition variable */

struct jw_lock *jw_lock_new(void) JW_NEVER_NULL;
void jw_lock_free(struct jw_lock *l); /* accepts NULL */
void jw_lock_take(struct jw_lock *l);
void jw_lock_drop(struct jw_lock *l);
void jw_lock_wait(struct jw_lock *l, unsigned timeout_ms); /* held before and after; 0: no limit */
void jw_lock_wake_all(struct jw_lock *l);
