#include "formats/sections.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool jw_sections_add(struct jw_sections *s, struct jw_arena *a, struct jw_section one,
                     struct jw_err *err)
{
    struct jw_section *slot = jw_list_add(a, &s->list, &s->n, sizeof one, JW_MAX_SECTIONS, err);

    if (slot)
        *slot = one;
    return slot;
}

const struct jw_section *jw_section_named(const struct jw_sections *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->list[i].name, name) == 0)
            return &s->list[i];
    return NULL;
}

bool jw_section_translate(const struct jw_sections *s, uint64_t addr, uint64_t *at)
{
    for (const struct jw_section *one = s->list; one < s->list + s->n; one++)
        if (one->addr && addr >= one->addr && addr - one->addr < one->size) {
            *at = one->at + (addr - one->addr);
            return true;
        }
    return false;
}

void jw_problem_add(struct jw_problems *p, const char *fmt, ...)
{
    char message[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    if (p->n < JW_MAX_PROBLEMS && jw_arena_has_room(p->arena, strlen(message) + 1))
        p->text[p->n++] = jw_arena_str(p->arena, message);
}
