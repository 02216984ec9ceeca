#include "os/machine/procfs.h"

#include <string.h>

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static const char *past_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* A number of digits only; false for none or too many. */
static bool number_at(const char **at, uint64_t *out)
{
    const char *p = *at;

    *out = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');

        if (*out > (UINT64_MAX - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    if (p == *at)
        return false;
    *at = p;
    return true;
}

bool jw_procfs_number(const char *text, const char *name, uint64_t *out)
{
    size_t n = strlen(name);

    for (const char *at = text; *at; at = next_line(at)) {
        const char *value = at + n;

        if (strncmp(at, name, n) != 0 || (*value != ':' && *value != ' '))
            continue;
        value = past_blanks(value + 1);
        if (!number_at(&value, out))
            return false;
        if (strncmp(past_blanks(value), "kB", 2) != 0)
            return true;
        if (*out > UINT64_MAX / 1024)
            return false;
        *out *= 1024;
        return true;
    }
    return false;
}

/* "PID (NAME) STATE ..."; the name may hold blanks and parentheses. */
bool jw_procfs_stat(const char *text, struct jw_procfs_stat *out)
{
    enum { STATE = 3, PARENT, USER = 14, SYSTEM, BEGAN = 22, FIELDS };
    const char *at = strrchr(text, ')');
    uint64_t v[FIELDS] = { 0 };

    *out = (struct jw_procfs_stat){ 0 };
    at = at ? at + 1 : "";
    for (unsigned field = STATE; field < FIELDS; field++) {
        const char *number = at = past_blanks(at);

        if (!*at || (!number_at(&number, &v[field]) && field == BEGAN))
            return false;
        if (field == STATE)
            out->state = *at;
        at += strcspn(at, " ");
    }
    out->parent = (unsigned long)v[PARENT];
    out->cpu = v[USER] + v[SYSTEM];
    out->began = v[BEGAN];
    return true;
}
