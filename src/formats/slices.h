/* Slices: an address and a length. Go, Rust and others keep them in data, two words of a string
 * that no byte ends; symbols have those of C's objects.
 *
 * Where the program is loaded at a fixed address the first word is the address. Elsewhere a
 * relocation has it: its place is that of the first word. A relocation's address, and both ends of
 * a symbol, are borders by themselves: slices of no length. */
#pragma once

#include "base/source.h"
#include "formats/sections.h"

/* Bytes of the file. */
struct jw_span {
    uint64_t at, end;
};

struct jw_slices {
    struct jw_span *list; /* by position; equal ones side by side */
    size_t n, cap;
    bool cut_short; /* there are more than are listed */
};

/* Finds the slices that lie within one of these spans, which are sorted and do not overlap. Each
 * byte of data and each relocation is read once. The caller frees the list. */
bool jw_slices_find(const struct jw_source *src, const struct jw_sections *sections,
                    const struct jw_span *spans, size_t n, struct jw_slices *out,
                    struct jw_err *err) JW_MUST;
