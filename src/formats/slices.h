/* Slices: two words in the data of a program, an address in it and a length. So Go, Rust and others
 * keep strings, without a byte that ends them.
 *
 * Where the program is loaded at a fixed address the first word is the address. Elsewhere a
 * relocation has it: its place is that of the first word. */
#pragma once

#include "base/source.h"
#include "formats/sections.h"

/* Bytes of the file. */
struct jw_span {
    uint64_t at, end;
};

struct jw_slices {
    struct jw_span *list; /* by position, each once */
    size_t n, cap;
    bool cut_short; /* there are more than are listed */
};

/* Finds the slices that lie within one of these spans, which are sorted and do not overlap. Each
 * byte of data and each relocation is read once. The caller frees the list. */
bool jw_slices_find(const struct jw_source *src, const struct jw_sections *sections,
                    const struct jw_span *spans, size_t n, struct jw_slices *out,
                    struct jw_err *err) JW_MUST;
