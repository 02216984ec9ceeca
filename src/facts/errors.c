#include "facts/errors.h"

#include "base/text.h"
#include "facts/rows.h"

static const struct jw_error_row *find(unsigned code)
{
    for (size_t i = 0; code && i < jw_facts_errors_n; i++) {
        if (jw_facts_errors[i].code == code)
            return &jw_facts_errors[i];
    }
    return NULL;
}

const char *jw_error_name(unsigned code)
{
    const struct jw_error_row *row = find(code);

    return row ? jw_facts_pool + row->name : NULL;
}

const char *jw_error_meaning(unsigned code)
{
    const struct jw_error_row *row = find(code);

    return row ? jw_facts_pool + row->meaning : NULL;
}

/* Does `line` hold all parts of `pattern`, which ".*" and "XX" (any number) divide, in this order? */
static bool holds(const char *line, const char *pattern)
{
    char part[128];

    while (*pattern) {
        size_t n = 0;

        while (pattern[n] && !jw_text_starts(pattern + n, ".*") && !jw_text_starts(pattern + n, "XX")) {
            if (n + 1 == sizeof part)
                return false;
            part[n] = pattern[n];
            n++;
        }
        part[n] = '\0';
        line = jw_text_find_nocase(line, part);
        if (!line)
            return false;
        line += n;
        pattern += pattern[n] ? n + 2 : n;
    }
    return true;
}

const char *jw_error_in_log(const char *line)
{
    for (size_t i = 0; i < jw_facts_errors_n; i++) {
        const struct jw_error_row *row = &jw_facts_errors[i];

        if (!row->code && holds(line, jw_facts_pool + row->name))
            return jw_facts_pool + row->meaning;
    }
    return NULL;
}
