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
    char head[sizeof err->msg], whole[2 * sizeof err->msg + 2] = "";
    va_list args;

    va_start(args, fmt);
    int n = vsnprintf(head, sizeof head, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n + sizeof ": " > sizeof head)
        return;
    (void)snprintf(whole, sizeof whole, "%s: %s", head, err->msg);
    whole[sizeof err->msg - 1] = '\0';
    memcpy(err->msg, whole, sizeof err->msg);
}

void jw_err_becomes(struct jw_err *err, enum jw_code from, enum jw_code to)
{
    if (err->code == from)
        err->code = to;
}

void jw_err_becomes_all(struct jw_err *err, enum jw_code to)
{
    if (err->code != JW_E_INTERRUPTED)
        err->code = to;
}

bool jw_interrupted(const atomic_bool *flag)
{
    return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

bool jw_not_interrupted(const atomic_bool *flag, struct jw_err *err)
{
    return !jw_interrupted(flag) || jw_fail(err, JW_E_INTERRUPTED, "interrupted");
}

const char *const jw_end_names[] = {
#define END(name, word, code, tone) word,
#include "jitwarm/ends.def"
#undef END
};
