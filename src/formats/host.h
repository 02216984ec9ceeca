/* Containers in the sections of a program, a library or an object: sections of containers are walked, and those of data are searched to the
 * last byte. */
#ifndef FORMATS_HOST_H
#define FORMATS_HOST_H

#include "formats/fatbin.h"
#include "formats/sections.h"

struct jw_host {
    const struct jw_source *src;
    const struct jw_sections *sections; /* sorted */
    struct jw_fats *fats;
    struct jw_problems *problems;
    bool embedded; /* a program loads what its data holds itself: all of them are searched, and it is code */
};

/* Tells whether the section may hold what a program embeds: data, and no section of containers. */
bool jw_host_embeds(const struct jw_section *s);

/* Appends the containers to `fats`. */
bool jw_host_find(const struct jw_host *h, struct jw_err *err) JW_MUST;

#endif
