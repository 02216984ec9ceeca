/* Finds the containers in a file, by sections or byte by byte. */
#ifndef FORMATS_FATBIN_FIND_H
#define FORMATS_FATBIN_FIND_H

#include "formats/fatbin.h"

struct jw_range {
    uint64_t at, end;
    const char *section;
    enum jw_role role;
    enum jw_among among;
};

/* Appends the containers of a range. Zero bytes between containers are skipped. In a range with only containers, other
 * bytes and malformed containers are problems, and the search continues to the end. In other ranges the search covers
 * 64 KiB at the start and 16 MiB after a container, and malformed ones are skipped. False only for a read error or a
 * limit. */
bool jw_fat_walk(struct jw_fats *f, const struct jw_source *src, struct jw_range range,
                 struct jw_problems *problems, struct jw_err *err) JW_MUST;

/* Searches a range byte by byte and appends containers with valid headers. */
bool jw_fat_deep(struct jw_fats *f, const struct jw_source *src, struct jw_range range,
                 struct jw_err *err) JW_MUST;

/* Sorts containers by position and removes those that begin inside an earlier one. */
void jw_fats_sort(struct jw_fats *f);

/* Marks the containers that wrappers in this range point to. */
bool jw_fat_wrappers(struct jw_fats *f, const struct jw_source *src, const struct jw_section *segment,
                     const struct jw_sections *sections, struct jw_err *err) JW_MUST;

#endif
