#include "jitwarm/err.h"

#include "jitwarm/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void jw_err_set(struct jw_err *err, enum jw_code code, const char *fmt, ...)
{
    va_list args;

    err->code = code;
    err->os = 0;
    va_start(args, fmt);
    (void)vsnprintf(err->msg, sizeof err->msg, fmt, args);
    va_end(args);
}

void jw_err_wrap(struct jw_err *err, const char *fmt, ...)
{
    char head[sizeof err->msg];
    va_list args;

    va_start(args, fmt);
    int n = vsnprintf(head, sizeof head, fmt, args);
    va_end(args);
    if (n < 0)
        return;

    size_t used = (size_t)n < sizeof head ? (size_t)n : sizeof head - 1;
    size_t room = sizeof head - 1 - used;
    size_t tail = strlen(err->msg);

    if (room < 3)
        return;
    memcpy(head + used, ": ", 2);
    used += 2;
    if (tail > sizeof head - 1 - used)
        tail = sizeof head - 1 - used;
    memcpy(head + used, err->msg, tail);
    head[used + tail] = '\0';
    memcpy(err->msg, head, used + tail + 1);
}

bool jw_not_interrupted(const atomic_bool *flag, struct jw_err *err)
{
    return !flag || !atomic_load(flag) || jw_fail(err, JW_E_INTERRUPTED, "interrupted");
}

static const char *const ends[] = { "done",         "nothing", "listed", "partly",  "no-gpu",
                                    "cannot-write", "consent", "busy",   "time",    "interrupted",
                                    "stopped",      "waiting", "unfit",  "refused", "not-proven" };

const char *jw_end_name(enum jw_end e)
{
    return ends[e];
}
