/* Code in a program, a library or an object: sections of containers are walked, and all else is searched to the last byte, but for
 * instructions and what debuggers read, which are most of many files, and no place for data. */
#ifndef FORMATS_HOST_H
#define FORMATS_HOST_H

#include "formats/fatbin.h"
#include "formats/sections.h"

struct jw_host {
    const struct jw_source *src;
    const struct jw_sections *sections; /* sorted */
    struct jw_fats *fats;
    struct jw_problems *problems;
    /* What is in no section of containers is code, which the program loads itself; PTX texts are, too. */
    bool embedded;
};

/* Appends the containers to `fats`. */
bool jw_host_find(const struct jw_host *h, struct jw_err *err) JW_MUST;

#endif
