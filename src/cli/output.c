#include "cli/output.h"

#include "base/buf.h"
#include "base/limits.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

void jw_output_open(struct jw_output *o, FILE *to, unsigned columns, size_t width)
{
    *o = (struct jw_output){ .to = to, .columns = columns, .width = width };
}

static void write_failed(struct jw_output *o)
{
    int why = errno ? errno : EIO;

    if (why == EPIPE) {
        o->dropped = true;
        return;
    }
    o->failed = true;
    (void)jw_fail(&o->err, JW_E_IO, "cannot write the output: %s", strerror(why));
    o->err.os = why;
}

static bool put_bytes(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct jw_output *o = ctx;

    errno = 0;
    o->wrote |= n > 0;
    if (!o->failed && !o->dropped && n && fwrite(p, 1, n, o->to) != n)
        write_failed(o);
    if (o->failed)
        *err = o->err;
    return !o->failed;
}

void jw_output_text(struct jw_output *o, const char *text)
{
    struct jw_err err;

    (void)put_bytes(o, text, strlen(text), &err);
}

void jw_output_printf(struct jw_output *o, const char *fmt, ...)
{
    struct jw_buf b = JW_BUF(JW_MAX_LINE);
    char small[512];
    va_list args, again;
    struct jw_err err;

    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, fmt, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof small) {
        (void)put_bytes(o, small, (size_t)n, &err);
    } else if (n >= 0) {
        jw_buf_fill(&b, 0, (size_t)n + 1);
        if (!b.bad) {
            (void)vsnprintf((char *)b.p, (size_t)n + 1, fmt, again);
            (void)put_bytes(o, b.p, (size_t)n, &err);
        }
    }
    if (!o->failed && (n < 0 || !jw_buf_ok(&b, &o->err))) {
        o->failed = true;
        (void)jw_fail(&o->err, JW_E_LIMIT, "cannot write the output: a line is longer than %zu bytes", b.max);
    }
    va_end(again);
    jw_buf_free(&b);
}

void jw_output_flush(struct jw_output *o)
{
    errno = 0;
    if (!o->failed && !o->dropped && fflush(o->to) != 0)
        write_failed(o);
}

struct jw_sink jw_output_sink(struct jw_output *o)
{
    return (struct jw_sink){ put_bytes, o };
}

bool jw_output_close(struct jw_output *o, struct jw_err *err)
{
    jw_output_flush(o);
    if (o->failed)
        *err = o->err;
    return !o->failed;
}
