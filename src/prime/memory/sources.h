/*
 * The source files that a recorded command read, wherever they lie: modules of Python, scripts for a shell and CUDA
 * sources. Kernels that are compiled while a program runs are in them, and which libraries it loads is decided there.
 * A file is the same as long as its bytes are.
 *
 * One answer of a record is about files of a folder and of the folders below it:
 *
 *   question   source files in FOLDER
 *   answer     group { "//" group }, one or more for each folder; what is too long for a text is in another answer
 *   group      path below FOLDER, or "" "//" state "//" name "/" digest { "/" name "/" digest }
 *   state      16 hex digits of sizes, times and inodes: while it is the same, no file is read
 *   name       of the file; one without a dot is that of a module, "x" of x.py
 *   digest     10 hex digits of the bytes; "-": they were not read, or were written while the command ran
 *
 * No name of a file has a "/", and no path has "//".
 */
#ifndef PRIME_MEMORY_SOURCES_H
#define PRIME_MEMORY_SOURCES_H

#include "cache/memory/trace.h"
#include "prime/memory/places.h"

/* Paths that calls of the command tried to open, and those that they made, which are other files at each start and not
 * compared; sorted. */
struct prime_sources {
    const char *const *opened, *const *made;
    size_t n, n_made;
    /* files that it was recorded with before, which count, too: this start may have been cut short; NULL: none */
    const struct jw_warm_loads *before;
    int64_t started;      /* nanoseconds since 1970 */
    const char *untraced; /* why not all was seen; NULL: all was, or the command runs no Python */
};

/* Makes what is recorded of them. Left out are the standard library of Python, which belongs to its program, and what
 * is not there any more. A file that was written after the command started is recorded as one that will have
 * changed: which bytes the command read is not known. So is one that was written a moment before, of which its file
 * system's clock does not tell that. */
void prime_sources_record(const struct prime_sources *sources, struct prime_digesting *d,
                          struct jw_warm_answer **out, size_t *n_out);

/* Is this answer of a record one about source files? */
bool prime_is_of_sources(const struct jw_warm_answer *answer);

/* Returns the first file that is not as it was recorded, or gone; NULL: none. */
const char *prime_sources_change(const struct jw_warm_answer *answer, const struct jw_trace *now);

/* For files that are the same: the answer as it would be now. NULL: it needs no other. */
const char *prime_sources_renewed(const struct jw_warm_answer *answer, const struct jw_trace *now);

/* Did the command read this file? */
bool prime_was_read(const struct jw_warm_loads *then, const char *path, struct jw_arena *a);

#endif
