/* Where in a file the containers are: section by section, or byte by byte. */
#ifndef FORMATS_FATBIN_FIND_H
#define FORMATS_FATBIN_FIND_H

#include "formats/fatbin.h"

struct jw_range {
    uint64_t at, end;
    const char *section;
    enum jw_role role;
    enum jw_among among;
};

/*
 * Appends the containers of one range. After a container, zero bytes are skipped; where something else stands
 * the next
 * container is searched for: to the end of a range that holds nothing else, and what is malformed there is a
 * problem;
 * else within 64 KiB of the start and 16 MiB behind a container, and what is malformed is passed over.
 * False only for what ends the scan of this file: a read error or a ceiling.
 */
bool jw_fat_walk(struct jw_fats *f, const struct jw_source *src, struct jw_range range,
                 struct jw_problems *problems, struct jw_err *err) JW_MUST;

/* Searches a range byte by byte for containers whose every header is sound, and appends them. */
bool jw_fat_deep(struct jw_fats *f, const struct jw_source *src, struct jw_range range,
                 struct jw_err *err) JW_MUST;

/* Sorts containers by position and drops any that begins inside an earlier one. */
void jw_fats_sort(struct jw_fats *f);

/* Labels containers that a wrapper in this range points to. */
bool jw_fat_wrappers(struct jw_fats *f, const struct jw_source *src, const struct jw_section *segment,
                     const struct jw_sections *sections, struct jw_err *err) JW_MUST;

#endif
