/* Reads Windows programs and libraries: PE32+. */
#pragma once

#include "formats/sections.h"

/* `ours` false: MZ but not a 64-bit PE image. All of it lives in `a`. */
bool jw_pe_sections(const struct jw_source *src, struct jw_arena *a, struct jw_sections *out,
                    bool *ours, struct jw_err *err) JW_MUST;
