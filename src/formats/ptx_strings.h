/* PTX that stands as text among a program's data, as a C string does: whole, or in pieces that the program puts
 * together while it runs. */
#ifndef FORMATS_PTX_STRINGS_H
#define FORMATS_PTX_STRINGS_H

#include "formats/fatbin.h"
#include "formats/sections.h"

/*
 * Appends the whole texts (with a kernel or a function, and matching braces) to `fats`, each as a container of one entry without a header, and
 * counts pieces: a `.version` near a `.target sm_` that is no whole text. Skips text inside the containers that were found before, which are
 * sorted, and searches at most JW_MAX_PTX_SEARCH bytes.
 */
bool jw_ptx_strings(struct jw_fats *fats, const struct jw_source *src, const struct jw_sections *sections,
                    uint64_t *pieces, struct jw_problems *problems, struct jw_err *err) JW_MUST;

#endif
