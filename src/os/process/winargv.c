#include "os/process/winargv.h"

#include <string.h>

enum { LONGEST = 32766 };

static void quote(struct jw_buf *line, const char *arg)
{
    if (*arg && !strpbrk(arg, " \t\n\v\"")) {
        jw_buf_text(line, arg);
        return;
    }
    jw_buf_text(line, "\"");
    for (;;) {
        size_t slashes = strspn(arg, "\\");

        arg += slashes;
        if (*arg && *arg != '"') {
            jw_buf_fill(line, '\\', slashes);
            jw_buf_add(line, arg++, 1);
            continue;
        }
        jw_buf_fill(line, '\\', slashes * 2);
        if (!*arg)
            break;
        jw_buf_text(line, "\\\"");
        arg++;
    }
    jw_buf_text(line, "\"");
}

/* One UTF-16 unit for each character, two for those of four bytes. */
static size_t units_of(struct jw_bytes text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] >= 0xf0 ? 2u : (text.p[i] & 0xc0) != 0x80;
    return n;
}

bool jw_winargv_line(struct jw_buf *line, const char *const argv[], struct jw_err *err)
{
    size_t start = line->n;

    if (!argv[0] || strchr(argv[0], '"'))
        return jw_fail(err, JW_E_USAGE, "a program's name cannot be empty or hold a quote");
    jw_buf_text(line, "\"");
    jw_buf_text(line, argv[0]);
    jw_buf_text(line, "\"");
    for (size_t i = 1; argv[i]; i++) {
        jw_buf_text(line, " ");
        quote(line, argv[i]);
    }
    if (!jw_buf_ok(line, err))
        return false;
    return units_of((struct jw_bytes){ line->p + start, line->n - start }) <= LONGEST
           || jw_fail(err, JW_E_LIMIT, "the command line is too long");
}
