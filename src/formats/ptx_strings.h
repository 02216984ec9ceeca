/* PTX in a program as a C string: whole, or in pieces that the program puts together while it
 * runs. */
#ifndef FORMATS_PTX_STRINGS_H
#define FORMATS_PTX_STRINGS_H

#include "formats/fatbin.h"
#include "formats/ptx.h"

/* Appends this text as a container of one entry without a header. */
bool jw_ptx_add(struct jw_fats *fats, uint64_t at, uint64_t size, const struct jw_ptx *ptx,
                struct jw_err *err) JW_MUST;

/* A range that is read from front to back, and what was found in it. */
struct jw_ptx_strings {
    struct jw_fats *fats;
    const struct jw_source *src;
    uint64_t seen, end; /* no text begins before `seen`, or reaches behind `end` */
    uint64_t failed_at; /* what was read of the last one that is no whole text, up to here */
    unsigned failed;    /* how many before it were read to the same NUL */
};

/*
 * Appends the whole texts whose `.version` begins in this chunk, which is at `at`, each as a
 * container of one entry without a header; a whole one declares something, has matching braces, and
 * is no template of printf's. Counts pieces: a `.version` near a
 * `.target` that is no whole text, or has data alone, which functions may follow.
 */
bool jw_ptx_strings(struct jw_ptx_strings *s, uint64_t at, struct jw_bytes chunk,
                    struct jw_err *err) JW_MUST;

#endif
