/* What is at a path? And sorted listings of folders. */
#pragma once

#include "base/arena.h"
#include "machine/run.h"

struct jw_listing {
    const char **names;
    size_t n;
};

/* The names in `folder` that match `pattern` (jw_path_match), at most JW_MAX_LISTED. A missing
 * folder counts as empty. An unreadable or too long one becomes a note (NULL: ignored). */
struct jw_listing jw_listing_read(const char *folder, const char *pattern, struct jw_arena *a,
                                  struct jw_texts *notes);

/* Is this a folder? Follows links. False on any error. */
bool jw_is_folder(const char *path);
bool jw_is_file(const char *path); /* a regular file; false for NULL */
/* Is `path` below `folder`, without a link between them? The way to the folder may have links.
 * False for a folder of NULL. */
bool jw_is_inside(const char *path, const char *folder, struct jw_arena *a);
bool jw_is_absent(const char *path); /* false also if that cannot be seen */
/* "no such file or folder", "a link that leads nowhere" */
const char *jw_why_absent(const char *path);
/* Why a path is no folder: "does not exist", "is not a folder". */
const char *jw_why_no_folder(const char *path);
