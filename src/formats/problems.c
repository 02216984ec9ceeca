#include "formats/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void jw_problem(struct jw_problems *p, const char *fmt, ...)
{
    char said[384], whole[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(said, sizeof said, fmt, args);
    va_end(args);
    (void)snprintf(whole, sizeof whole, "%.100s%s%s", p->prefix ? p->prefix : "", p->prefix ? ": " : "",
                   said);
    if (p->n < JW_MAX_PROBLEMS && jw_arena_has_room(p->arena, strlen(whole) + 1))
        p->text[p->n++] = jw_arena_str(p->arena, whole);
    else
        p->more++;
}
