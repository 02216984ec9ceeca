/* PTX as text in a program. A driver reads a text up to its NUL; but Go, Rust and blobs keep texts
 * side by side with other data, and cut them while they run. So: where does a text begin and end,
 * and how do we know? Something in the file has to say it:
 *
 *   a slice     an address and a length (formats/slices.h): the text is just these bytes
 *   its length  a word behind the text, as C's `xxd -i` writes it
 *   borders     a NUL or the end of the section on both sides, with one text alone between them
 *
 * Where none of them does, as where only instructions have address and length, the text is not
 * known: it is counted (jw_fats.unbounded) and is no module. */
#pragma once

#include "formats/fatbin.h"
#include "formats/ptx.h"

/* Appends this text as a container of one entry without a header. */
bool jw_ptx_add(struct jw_fats *fats, uint64_t at, uint64_t size, const struct jw_ptx *ptx,
                struct jw_err *err) JW_MUST;

/* Where PTX may begin: each `.version` with a number behind it and a `.target` near it. */
struct jw_ptx_heads {
    const struct jw_source *src;
    uint64_t *list; /* positions, from front to back */
    size_t n, cap;
    uint64_t dropped; /* more than are listed */
};

/* Adds those of this chunk, which is at `at`. */
bool jw_ptx_heads_find(struct jw_ptx_heads *heads, uint64_t at, struct jw_bytes chunk,
                       struct jw_err *err) JW_MUST;
void jw_ptx_heads_free(struct jw_ptx_heads *heads);

/* Appends each text whose borders are known as a container of one entry without a header, and puts
 * all containers back into the order of their places. Counts those that are not known, and pieces:
 * heads of no whole text, and texts of data alone, which functions may follow. */
bool jw_ptx_strings(struct jw_fats *fats, const struct jw_ptx_heads *heads,
                    const struct jw_sections *sections, struct jw_err *err) JW_MUST;
