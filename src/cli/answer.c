#include "cli/answer.h"

#include "base/buf.h"
#include "base/limits.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

void jw_answer_open(struct jw_answer *a, FILE *to, unsigned columns, size_t width)
{
    *a = (struct jw_answer){ .to = to, .columns = columns, .width = width };
}

static bool lost(struct jw_answer *a, int why)
{
    if (why == EPIPE) {
        a->dropped = true;
        return true;
    }
    a->failed = true;
    (void)jw_fail(&a->err, JW_E_IO, "cannot write the answer: %s", strerror(why));
    a->err.os = why;
    return false;
}

static bool put(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct jw_answer *a = ctx;

    errno = 0;
    if (!a->failed && !a->dropped && !a->muted && n && fwrite(p, 1, n, a->to) != n)
        (void)lost(a, errno ? errno : EIO);
    if (a->failed)
        *err = a->err;
    return !a->failed;
}

void jw_answer_text(struct jw_answer *a, const char *text)
{
    struct jw_err err;

    (void)put(a, text, strlen(text), &err);
}

void jw_answer_printf(struct jw_answer *a, const char *fmt, ...)
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
        (void)put(a, small, (size_t)n, &err);
    } else if (n >= 0) {
        jw_buf_fill(&b, 0, (size_t)n + 1);
        if (!b.bad) {
            (void)vsnprintf((char *)b.p, (size_t)n + 1, fmt, again);
            (void)put(a, b.p, (size_t)n, &err);
        }
    }
    if (!a->failed && (n < 0 || !jw_buf_ok(&b, &a->err))) {
        a->failed = true;
        (void)jw_fail(&a->err, JW_E_LIMIT, "cannot write the answer: a line is longer than %zu bytes", b.max);
    }
    va_end(again);
    jw_buf_free(&b);
}

void jw_answer_flush(struct jw_answer *a)
{
    errno = 0;
    if (!a->failed && !a->dropped && fflush(a->to) != 0)
        (void)lost(a, errno ? errno : EIO);
}

struct jw_sink jw_answer_sink(struct jw_answer *a)
{
    return (struct jw_sink){ put, a };
}

void jw_answer_json(struct jw_answer *a, struct jw_json *j, const char *schema, struct jw_err *err)
{
    jw_json_begin(j, jw_answer_sink(a), true, err);
    jw_json_object(j, NULL);
    jw_json_text(j, "schema", schema);
}

bool jw_answer_report(struct jw_answer *a, const struct jw_form *form, const void *of, struct jw_err *err)
{
    struct jw_json j;
    char schema[40];

    (void)snprintf(schema, sizeof schema, "jitwarm.%s/1", form->verb);
    jw_answer_json(a, &j, schema, err);
    jw_rows_write(&j, form->rows, of);
    jw_json_close(&j);
    return jw_json_end(&j);
}

bool jw_answer_close(struct jw_answer *a, struct jw_err *err)
{
    errno = 0;
    if (!a->failed && !a->dropped && fflush(a->to) != 0)
        (void)lost(a, errno ? errno : EIO);
    if (a->failed)
        *err = a->err;
    return !a->failed;
}
