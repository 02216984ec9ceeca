/* The Task Scheduler of Windows. */
#ifndef SETUP_STARTUP_SCHEDULER_WINDOWS_H
#define SETUP_STARTUP_SCHEDULER_WINDOWS_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

struct startup_task {
    bool found, enabled;
    const char *xml;  /* as Windows rewrote it, or NULL */
    const char *last; /* when it ran, local time; NULL: it has not run */
    uint32_t result;  /* of that run */
};

/* In UTF-8. */
bool startup_text_of(const wchar_t *wide, struct jw_arena *a, const char **out, struct jw_err *err) JW_MUST;

bool startup_task_look(const char *name, struct jw_arena *a, struct startup_task *out,
                       struct jw_err *err) JW_MUST;
bool startup_task_put(const char *name, const char *xml, bool everybody, struct jw_err *err) JW_MUST;
bool startup_task_remove(const char *name, struct jw_err *err) JW_MUST; /* may be missing */

#endif
