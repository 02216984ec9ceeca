/* Collects the names of files that are opened in some folders, by any process. Linux alone (inotify). */
#ifndef OS_PROCESS_NAME_WATCH_H
#define OS_PROCESS_NAME_WATCH_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_name_watch;

/* False: this system cannot, or has no watch left. */
bool jw_name_watch_start(struct jw_name_watch **out, const char *const *folders, size_t n,
                         struct jw_err *err) JW_MUST;

/* Calls `seen` for each open since the last call, with the folder's number; waits for none. False: the system dropped some. */
bool jw_name_watch_take(struct jw_name_watch *w, void (*seen)(void *ctx, size_t folder, const char *name),
                        void *ctx);
void jw_name_watch_free(struct jw_name_watch *w); /* accepts NULL */

#endif
