#include "cli/output.h"

#include <errno.h>
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

void jw_output_text(struct jw_output *o, const char *text)
{
    size_t n = strlen(text);

    errno = 0;
    o->wrote |= n > 0;
    if (!o->failed && !o->dropped && n && fwrite(text, 1, n, o->to) != n)
        write_failed(o);
}

void jw_output_flush(struct jw_output *o)
{
    errno = 0;
    if (!o->failed && !o->dropped && fflush(o->to) != 0)
        write_failed(o);
}

bool jw_output_close(struct jw_output *o, struct jw_err *err)
{
    jw_output_flush(o);
    if (o->failed)
        *err = o->err;
    return !o->failed;
}
