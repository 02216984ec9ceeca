/* Collects the names of files that are opened in some folders, by any process, and what else happens there. Linux alone. */
#ifndef OS_PROCESS_NAME_WATCH_H
#define OS_PROCESS_NAME_WATCH_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_name_watch;

enum jw_name_event {
    JW_NAME_OPENED,
    JW_NAME_WRITTEN, /* a file, or it was open for writing */
    JW_NAME_FOLDER   /* a folder was made */
};

/* `changes` false: only opens. */
bool jw_name_watch_start(struct jw_name_watch **out, const char *const *folders, size_t n, bool changes,
                         struct jw_err *err) JW_MUST;

typedef void jw_name_seen(void *ctx, size_t folder, const char *name, enum jw_name_event what);

/* Calls `seen` for each event since the last call, with the folder's number. False: the system dropped some. */
bool jw_name_watch_take(struct jw_name_watch *w, jw_name_seen *seen, void *ctx);
void jw_name_watch_free(struct jw_name_watch *w); /* accepts NULL */

#endif
