/* What ELF, PE and COFF files have in common: named ranges of the file, where they will be in memory, and a list of what is wrong. */
#ifndef FORMATS_SECTIONS_H
#define FORMATS_SECTIONS_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/source.h"

#include <stdint.h>

struct jw_section {
    const char *name;
    uint64_t at, size; /* in the file */
    uint64_t addr;     /* in memory; 0 when not loaded */
};

struct jw_sections {
    struct jw_section *list; /* only those that occupy bytes of the file */
    size_t n, cap;
    bool segments; /* the file has no section table: these are loadable segments */
};

/* `name` is borrowed. The caller has checked that the range lies in the file. */
bool jw_sections_add(struct jw_sections *s, struct jw_section one, struct jw_err *err) JW_MUST;
void jw_sections_free(struct jw_sections *s);

void jw_sections_sort(struct jw_sections *s); /* by position in the file */

/* The section that holds this position of the file, or NULL. They must be sorted. */
const struct jw_section *jw_section_at(const struct jw_sections *s, uint64_t at);
const struct jw_section *jw_section_named(const struct jw_sections *s, const char *name);
/* Position in the file of an address in memory; false when no section is loaded there. */
bool jw_section_translate(const struct jw_sections *s, uint64_t addr, uint64_t *at);

/* What is wrong inside a file that could be read all the same: a few sentences, and the number of further ones. */
struct jw_problems {
    struct jw_arena *arena; /* the sentences live there */
    const char *prefix;     /* NULL, or what comes before each: the member of an archive */
    const char *text[JW_MAX_PROBLEMS];
    size_t n;
    size_t more; /* not kept */
};

void jw_problem(struct jw_problems *p, const char *fmt, ...) JW_PRINTF(2, 3);

#endif
