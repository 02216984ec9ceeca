/* Reads Windows programs, libraries and objects: PE32+, COFF, big COFF. */
#ifndef FORMATS_PE_H
#define FORMATS_PE_H

#include "formats/sections.h"

/* Tells whether this may be a COFF object, which has no magic. Checks the first 64 bytes and the size. */
bool jw_coff_plausible(struct jw_bytes head, uint64_t size);

/* `ours` false: MZ but not a 64-bit PE image. Names live in `a`. */
bool jw_pe_sections(const struct jw_source *src, struct jw_arena *a, struct jw_sections *out, bool *ours,
                    struct jw_err *err) JW_MUST;
bool jw_coff_sections(const struct jw_source *src, struct jw_arena *a, struct jw_sections *out,
                      struct jw_err *err) JW_MUST;

#endif
