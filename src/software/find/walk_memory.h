/*
 * The result of the last walk below a folder: the next one asks for the time of each folder instead of reading it. A
 * file with one checked record (base/fields.h). A damaged one, one of another version, and one that other users can
 * change are ignored.
 */
#ifndef SOFTWARE_FIND_WALK_MEMORY_H
#define SOFTWARE_FIND_WALK_MEMORY_H

#include "machine/listing.h"
#include "os/files/file.h"

enum {
    WALK_FOLDER = 'd',
    WALK_ENVIRONMENT = 'e',
    WALK_LOOSE = 'l', /* CUDA libraries or Python packages without an environment */
    WALK_NODE = 'n',
    WALK_PACKAGE = 'p'
};

struct walked_folder {
    char kind;
    int64_t mtime; /* 0: must be read again */
    struct jw_file_id id;
    size_t children, first;
    const char *name; /* relative to its parent; the first one has its whole path */
};

struct walk_memory {
    /* in the order of the walk: the children of each follow those of the one before */
    struct walked_folder *v;
    size_t n;
    int64_t looked; /* when running programs were looked at last, in seconds since 1970; 0: never */
    struct jw_listing running; /* libraries that they had loaded */
};

/* Loads the walk that began at `top` from a file in the folder `in`; empty if there is none. */
void walk_memory_load(const char *in, const char *top, struct jw_arena *a, struct walk_memory *out);
/* Failures are ignored. */
void walk_memory_save(const char *in, const struct walk_memory *m, struct jw_arena *a);

#endif
