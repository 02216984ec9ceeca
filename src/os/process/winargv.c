#include "os/process/winargv.h"

#include <string.h>

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

bool jw_winargv_line(struct jw_buf *line, const char *const argv[], struct jw_err *err)
{
    if (!argv[0] || strchr(argv[0], '"'))
        return jw_fail(err, JW_E_USAGE, "a program's name cannot be empty or hold a quote");
    jw_buf_text(line, "\"");
    jw_buf_text(line, argv[0]);
    jw_buf_text(line, "\"");
    for (size_t i = 1; argv[i]; i++) {
        jw_buf_text(line, " ");
        quote(line, argv[i]);
    }
    return jw_buf_ok(line, err);
}
