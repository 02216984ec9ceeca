/*
 * Containers in the sections of a program, a library or an object.
 *
 * Sections of containers are walked. Sections of data are searched to the last byte. With `samples`, one
 * above 1 MiB is searched in samples (jw_fat_sample), and to the last byte when there is a sign of containers
 * among this file's data:
 *
 *   - a sample of any of these sections, or one of them that was searched whole, holds a container;
 *   - a registration record, a relocation or a symbol points at one. In each large section the first
 *     64 addresses are looked at, in tables of up to 256 KiB.
 *
 * So containers are missed when all of the file's are in large sections, none begins in a sample and no table
 * names one.
 */
#ifndef FORMATS_HOST_H
#define FORMATS_HOST_H

#include "formats/fatbin.h"
#include "formats/sections.h"

struct jw_host {
    const struct jw_source *src;
    const struct jw_sections *sections; /* sorted */
    struct jw_fats *fats;
    struct jw_problems *problems;
    bool samples;  /* afterwards: no sign was seen, and large data were not searched */
    bool embedded; /* a program loads what its data holds itself: all of them are searched, and it is code */
};

/* Tells whether the section may hold what a program embeds: data, and no section of containers. */
bool jw_host_embeds(const struct jw_section *s);

/* Appends the containers to `fats`. */
bool jw_host_find(struct jw_host *h, struct jw_err *err) JW_MUST;

/* Marks the containers that registration records point to; `fats` is sorted. */
bool jw_host_label(const struct jw_host *h, struct jw_err *err) JW_MUST;

#endif
