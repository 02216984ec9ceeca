/* Common to ELF and PE files: named ranges, their addresses in memory, and problems. */
#pragma once

#include "base/arena.h"
#include "base/limits.h"
#include "base/source.h"

struct jw_section {
    uint64_t at, size; /* in the file */
    uint64_t addr;     /* in memory; 0 when not loaded */
    const char *name;
    bool skipped; /* instructions, or data for debuggers: not searched for code */
};

struct jw_sections {
    struct jw_section *list; /* only sections with bytes in the file */
    size_t n;
    bool movable; /* loaded anywhere: relocations have the addresses, words in data do not */
};

/* Adds a section to the list, which lives in `a`; borrows `name`. It is inside the file. */
bool jw_sections_add(struct jw_sections *s, struct jw_arena *a, struct jw_section one,
                     struct jw_err *err) JW_MUST;

const struct jw_section *jw_section_named(const struct jw_sections *s, const char *name);
/* The file position of a memory address; false: no section there. */
bool jw_section_translate(const struct jw_sections *s, uint64_t addr, uint64_t *at);

/* Problems in a readable file: the first few. */
struct jw_problems {
    struct jw_arena *arena; /* memory of the sentences */
    const char *text[JW_MAX_PROBLEMS];
    size_t n;
};

void jw_problem_add(struct jw_problems *p, const char *fmt, ...) JW_PRINTF(2, 3);
