/* Sees that any process of this machine opens a file, wherever it runs. Needs no rights beyond
 * reading the file. Linux alone (inotify). */
#pragma once

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stddef.h>

struct jw_watch;

/* Watches files, and what is in folders. False: this system cannot, or has no watch left. */
bool jw_watch_start(struct jw_watch **out, const char *const *paths, size_t n,
                    struct jw_err *err) JW_MUST;

/* Calls `seen` for each open since the last call, with the path's number and the name in its folder
 * ("": the file itself). Waits for the first one, `timeout_ms` at most; less when it is woken.
 * False: events were dropped, or a file was replaced or removed, so that other opens were perhaps
 * not seen. Who opened a file is not known. */
bool jw_watch_next(struct jw_watch *w, unsigned timeout_ms,
                   void (*seen)(void *ctx, size_t i, const char *name), void *ctx);
void jw_watch_wake(struct jw_watch *w); /* from another thread: the wait, or the next one, ends */
void jw_watch_free(struct jw_watch *w); /* accepts NULL */
