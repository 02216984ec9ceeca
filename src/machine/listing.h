/* Sorted folder listings, so that results do not depend on the file system's order. */
#ifndef MACHINE_LISTING_H
#define MACHINE_LISTING_H

#include "base/arena.h"
#include "machine/run.h"
#include "os/files/dir.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_listing {
    const char **names;
    size_t n;
};

/*
 * The names in `folder` that match `pattern` (jw_path_match), at most JW_MAX_LISTED. A missing folder counts as empty.
 * An unreadable or too long one becomes a note.
 */
struct jw_listing jw_listing_read(const char *folder, const char *pattern, struct jw_arena *a,
                                  struct jw_notes *notes);

/* The listings of one run. A folder is listed again only if a name came or went in it. */
struct jw_listings {
    struct jw_arena *a;
    struct jw_listed *list;
    size_t n;
};

/* As jw_listing_read, without notes. */
struct jw_listing jw_listings_read(struct jw_listings *known, const char *folder, const char *pattern);

/*
 * A digest of the names in a folder, in any order: begin with JW_NO_NAMES and add each. __pycache__ does not count:
 * programs make it, and it holds no CUDA code. Two digests differ where a name came, went, or became a file, a folder
 * or a link.
 */
#define JW_NO_NAMES 1u
void jw_names_add(uint64_t *digest, const struct jw_entry *e);
bool jw_names_read(const char *folder, uint64_t *digest); /* false: it cannot be listed */

/* Tells whether this is a folder; follows links. False on any error. */
bool jw_is_folder(const char *path);
bool jw_is_file(const char *path);                    /* a regular file; false for NULL */
bool jw_is_absent(const char *path);                  /* false also where that cannot be seen */
bool jw_is_same_folder(const char *a, const char *b); /* two paths of one that is there */
/* Why a path is no folder: "does not exist", "is not a folder". */
const char *jw_why_no_folder(const char *path);

#endif
