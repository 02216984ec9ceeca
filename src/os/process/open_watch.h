/* Sees that any process of this machine opens a file, wherever it runs. Needs no rights beyond reading the file. Linux
 * alone (inotify). */
#ifndef OS_PROCESS_OPEN_WATCH_H
#define OS_PROCESS_OPEN_WATCH_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { JW_OPEN_WATCH_MAX = 8 };

struct jw_open_watch;

/* Watches the files behind these names, at most JW_OPEN_WATCH_MAX. False: this system cannot, or has no watch left. */
bool jw_open_watch_start(struct jw_open_watch **out, const char *const *paths, size_t n,
                         struct jw_err *err) JW_MUST;

struct jw_opened {
    bool file[JW_OPEN_WATCH_MAX]; /* opened since the last call, once or more often */
    bool lost; /* events were dropped, or a file was replaced or removed: other opens were perhaps not seen */
};

/* Waits for an open, `timeout_ms` at most; less when it is woken. The process that opened the file is not
 * known. */
void jw_open_watch_next(struct jw_open_watch *w, unsigned timeout_ms, struct jw_opened *out);
void jw_open_watch_wake(struct jw_open_watch *w); /* from another thread: the wait, or the next one, ends */
void jw_open_watch_free(struct jw_open_watch *w); /* accepts NULL */

#endif
