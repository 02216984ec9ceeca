#include "formats/kernel_name.h"

#include "base/limits.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 48 };

struct part {
    const char *at;
    size_t n; /* 0: none */
};

/* The last of the names that follow each other, each behind its length: "N2at6native10vectorizedILi4EE". What stands behind
 * template arguments is not looked at. */
static struct part itanium(const char *at)
{
    struct part last = { NULL, 0 };

    at += *at == 'N';
    for (at += strspn(at, "LK"); isdigit((unsigned char)*at); at += strspn(at, "L")) {
        char *name;
        size_t n = strtoul(at, &name, 10);

        if (!n || n > JW_MAX_LINE || strnlen(name, n) < n)
            break;
        last = (struct part){ name, n };
        at = name + n;
    }
    return last;
}

/* "?scale@@YAXPEAMM@Z", "??$scale@M@ns@@YAXPEAM@Z" */
static struct part msvc(const char *at)
{
    at += strncmp(at, "?$", 2) == 0 ? 2 : 0;
    return (struct part){ at, isalpha((unsigned char)*at) || *at == '_' ? strcspn(at, "@") : 0 };
}

void jw_kernel_plain(struct jw_buf *out, const char *name)
{
    struct part part = { NULL, 0 };
    struct jw_buf raw = JW_BUF(JW_MAX_LINE), plain = JW_BUF(JW_MAX_LINE);
    size_t width;

    if (strncmp(name, "_Z", 2) == 0)
        part = itanium(name + 2);
    else if (name[0] == '?')
        part = msvc(name + 1);
    if (!part.n)
        part = (struct part){ name, strnlen(name, JW_MAX_LINE / 8) };
    jw_buf_add(&raw, part.at, part.n);
    jw_text_clean(&plain, jw_buf_cstr(&raw));
    width = jw_text_width(jw_buf_cstr(&plain));
    jw_text_fit(out, jw_buf_cstr(&plain), width < MAX_COLUMNS ? width : MAX_COLUMNS);
    jw_buf_free(&raw);
    jw_buf_free(&plain);
}
