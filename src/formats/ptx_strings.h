/* PTX that stands as text among a program's data, as a C string does: whole, or in pieces that the program puts
 * together while it runs. */
#ifndef FORMATS_PTX_STRINGS_H
#define FORMATS_PTX_STRINGS_H

#include "formats/fatbin.h"
#include "formats/sections.h"

/*
 * Appends the whole texts in sections of data to `fats`, each as a container of one entry without a header,
 * and counts pieces: a `.version` with a `.target sm_` near it that is no whole text. A whole text begins as
 * PTX does, has a kernel or a function and matching braces, and ends with a NUL. Text inside the containers
 * that were found before, which are sorted, is skipped. At most JW_MAX_PTX_SEARCH bytes are searched; sections larger than
 * `most` are passed over.
 */
bool jw_ptx_strings(struct jw_fats *fats, const struct jw_source *src, const struct jw_sections *sections,
                    uint64_t most, uint64_t *pieces, struct jw_problems *problems,
                    struct jw_err *err) JW_MUST;

#endif
